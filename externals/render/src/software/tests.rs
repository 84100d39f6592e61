//! Models with textures, masks, skins and lights are drawn as their tags say.

use base::{Quat, StringId, Vec3};
use tags::{Library, Tag};
use view::classes::{Bitmap, Material, Model, Sky};
use view::{NodePose, RibbonPoint, Shape, Span};

use super::SoftwareRenderer;
use crate::renderer::{Pixels, Renderer};
use crate::resources::tests::{Parts, put};
use crate::scenes::Scene;

/// A square of two metres that faces −x, with texture coordinates; two joints move its left and right half.
const QUAD: &str = "@model\n!set bounds { min vec(0, -1, -1), max vec(0, 1, 1), radius 1.5 }\n\
    !set nodes [{ name \"root\", mesh_count 1, skin 0 }, { name \"left\" }, { name \"right\" }]\n\
    !set skins [{ name \"skin\", joints [1, 2], part 2 }]\n\
    !set meshes [{ name \"quad\", material 0, stride 28, attributes [\n\
        { meaning \"position\" }, { meaning \"uv0\", offset 12 },\n\
        { meaning \"joints\", format \"index8\", offset 20 }, { meaning \"weights\", format \"unit8\", offset 24 }],\n\
        lods [{ vertex_part 0, index_part 1, vertices 4, triangles 2 }] }]\n\
    !set materials [{ name \"paint\", material \"paint.material\" }]\n\
    !set lights [{ name \"lamp\", node 0, intensity 40, range 20, colour vec(0, 0, 1) }]\n";

const MATERIAL: &str = "@material\n!set metallic 0\n!set alpha \"mask\"\n!set unlit true\n\
    !set base_colour_map { bitmap \"paint.bitmap\", smooth false, wrap_u \"clamp\", wrap_v \"clamp\" }\n";

const BITMAP: &str = "@bitmap\n!set width 2\n!set height 1\n!set format \"rgba8\"\n!set alpha \"mask\"\n!set opaque false\n\
    !set levels [{ width 2, height 1, part 3 }]\n";

/// A dark sky without anything.
const DARK: &str = "@sky\n!set stars 0\n!set sun_strength 0\n!set ambient_strength 0\n!set brightness 0\n";

fn quad() -> Vec<u8> {
    let vertex = |y: f32, z: f32, u: f32, v: f32, joint: u8| {
        let mut bytes: Vec<u8> = [0.0, y, z, u, v].iter().flat_map(|value: &f32| value.to_le_bytes()).collect();
        bytes.extend([joint, 0, 0, 0, 255, 0, 0, 0]);
        bytes
    };
    let (left, right) = (1.0, -1.0);
    [
        vertex(left, 1.0, 0.0, 0.0, 0),
        vertex(right, 1.0, 1.0, 0.0, 1),
        vertex(right, -1.0, 1.0, 1.0, 1),
        vertex(left, -1.0, 0.0, 1.0, 0),
    ]
    .concat()
}

fn drawn(scene: &Scene, library: &Library) -> Pixels {
    let indices: Vec<u8> = [0_u16, 2, 1, 0, 3, 2].iter().flat_map(|index| index.to_le_bytes()).collect();
    let row: [f32; 12] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let binds: Vec<u8> = [row, row].concat().iter().flat_map(|value| value.to_le_bytes()).collect();
    let texels = [255, 0, 0, 255, 0, 255, 0, 40];
    let parts = Parts::of(&[&quad(), &indices, &binds, &texels]);
    let mut renderer = SoftwareRenderer::new(2);
    renderer.draw(&scene.picture(), library, &parts).unwrap();
    assert_eq!((renderer.take_reports(), renderer.loading()), (Vec::<String>::new(), 0));
    renderer.read_pixels().unwrap()
}

fn library() -> Library {
    let mut library = Library::new();
    put(&mut library, Model::class(), "quad.model", 1, QUAD);
    put(&mut library, Material::class(), "paint.material", 1, MATERIAL);
    put(&mut library, Bitmap::class(), "paint.bitmap", 1, BITMAP);
    put(&mut library, Sky::class(), "dark.sky", 1, DARK);
    library
}

fn scene() -> Scene {
    let mut scene = Scene::new([64, 64], Vec3::new(-4.0, 0.0, 0.0), Vec3::ZERO);
    scene.frame.sky = StringId::new("dark.sky");
    scene.add(Shape::None, Vec3::ZERO, 0xff_ff_ff).model = StringId::new("quad.model");
    scene
}

#[test]
fn a_texture_colours_and_a_mask_cuts_out() {
    let pixels = drawn(&scene(), &library());
    let [red, green, blue, _] = pixels.at(24, 32).unwrap();
    assert!(red > 150 && green < 120 && blue < 120, "the left half is red: {red} {green} {blue}");
    assert!(pixels.at(40, 32).unwrap()[1] < 12, "the right half is cut out");
    assert!(pixels.at(4, 4).unwrap()[0] < 12, "the sky is dark");
}

#[test]
fn a_pose_moves_the_joints_of_a_skin() {
    let mut scene = scene();
    let rest = NodePose { position: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };
    let raised = NodePose { position: Vec3::new(0.0, 0.0, 1.2), ..rest };
    scene.frame.poses = vec![rest, raised, raised];
    scene.frame.instances[0].pose = Span { first: 0, count: 3 };
    let pixels = drawn(&scene, &library());
    assert!(pixels.at(24, 44).unwrap()[0] < 12, "it has left the lower half");
    assert!(pixels.at(24, 14).unwrap()[0] > 150, "and is in the upper one");
}

#[test]
fn the_lights_of_models_shine() {
    let mut scene = scene();
    scene.add(Shape::Box { half: Vec3::new(0.1, 3.0, 0.3) }, Vec3::new(1.0, 0.0, -1.4), 0xff_ff_ff);
    let [red, green, blue, _] = drawn(&scene, &library()).at(32, 50).unwrap();
    assert!(blue > 40 && blue > 2 * red && blue > 2 * green, "{red} {green} {blue}");
}

#[test]
fn missing_content_is_drawn_as_its_shape() {
    let mut scene = Scene::new([64, 64], Vec3::new(-4.0, 0.0, 0.0), Vec3::ZERO);
    scene.add(Shape::Sphere { radius: 1.0 }, Vec3::ZERO, 0xff_80_20).model = StringId::new("gone.model");
    let mut renderer = SoftwareRenderer::new(1);
    for _ in 0..2 {
        renderer.draw(&scene.picture(), &Library::new(), &crate::scenes::NoBulk).unwrap();
    }
    assert_eq!(renderer.take_reports().len(), 1);
    let [red, _, blue, _] = renderer.read_pixels().unwrap().at(32, 24).unwrap();
    assert!(red > 2 * blue, "{red} {blue}");
}

#[test]
fn the_bitmap_of_a_ribbon_is_repeated_along_it() {
    let mut scene = Scene::new([64, 64], Vec3::new(-4.0, 0.0, 0.0), Vec3::ZERO);
    scene.frame.sky = StringId::new("dark.sky");
    // Four times as long as it is wide.
    let point = |y| RibbonPoint { position: Vec3::new(0.0, y, 0.0), width: 0.4, colour: [1.0; 4] };
    scene.ribbon([point(1.6), point(-1.6)]);
    scene.visuals.ribbons[0].bitmap = StringId::new("paint.bitmap");
    let pixels = drawn(&scene, &library());
    let is_red = |x: &u32| pixels.at(*x, 32).unwrap()[0] > 120;
    let begins = (1..64).filter(|x| is_red(x) && !is_red(&(x - 1))).count();
    assert_eq!(begins, 4);
}
