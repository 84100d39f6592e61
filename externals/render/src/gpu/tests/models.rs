//! Models with bitmaps, masks, blending, poses and parameters.

use std::sync::Arc;

use base::{Quat, StringId, Vec3};
use tags::Bulk;
use view::{BulkKind, BulkSource, NodePose, Parameter, PartState, Shape, Span};

use super::*;

/// A square of two metres that faces the camera, and an image whose left half is red and whose right half is blue.
struct Square {
    /// The opacity of the right half.
    opacity: u8,
    has_texels: bool,
}

impl BulkSource for Square {
    fn part(&self, _: &Bulk, part: u32, kind: BulkKind) -> PartState {
        let bytes: Vec<u8> = match (kind, part) {
            (BulkKind::Geometry, 0) => vertices(),
            (BulkKind::Geometry, 1) => [0_u16, 1, 2, 0, 2, 3].iter().flat_map(|index| index.to_le_bytes()).collect(),
            (BulkKind::Geometry, _) => [1.0_f32, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
            (BulkKind::Texture, _) if self.has_texels => {
                (0..16).flat_map(|at| if at % 4 < 2 { [255, 0, 0, 255] } else { [0, 0, 255, self.opacity] }).collect()
            }
            _ => return PartState::Failed,
        };
        PartState::Ready(Arc::from(bytes))
    }
}

/// Position, normal towards −x, texture coordinates, joints and weights.
fn vertices() -> Vec<u8> {
    let corners =
        [(1.0_f32, -1.0_f32, 0.0_f32, 1.0_f32), (-1.0, -1.0, 1.0, 1.0), (-1.0, 1.0, 1.0, 0.0), (1.0, 1.0, 0.0, 0.0)];
    let mut bytes = Vec::new();
    for (y, z, u, v) in corners {
        for value in [0.0, y, z] {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend([-32767_i16, 0].iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend(u.to_le_bytes());
        bytes.extend(v.to_le_bytes());
        bytes.extend([0, 0, 0, 0, 255, 0, 0, 0]);
    }
    bytes
}

fn model(node: &str) -> String {
    format!(
        "@model\n!set bounds {{ min vec(-0.1, -1, -1), max vec(0.1, 1, 1), radius 1.5 }}\n\
         !set nodes [{{ name \"root\" }}, {{ name \"arm\", parent 0, mesh_count 1{node} }}]\n\
         !set skins [{{ name \"skin\", joints [1], part 2 }}]\n\
         !set materials [{{ name \"paint\", material \"paint.material\" }}]\n\
         !set meshes [{{ name \"square\", material 0, stride 32, bounds {{ radius 1.5 }}, attributes [\n\
         {{ meaning \"position\" }}, {{ meaning \"normal\", format \"octahedral\", offset 12 }}, {{ meaning \"uv0\", offset 16 }},\n\
         {{ meaning \"joints\", format \"index8\", offset 24 }}, {{ meaning \"weights\", format \"unit8\", offset 28 }}],\n\
         lods [{{ vertex_part 0, index_part 1, vertices 4, triangles 2 }}] }}]\n"
    )
}

const BITMAP: &str = "@bitmap\n!set width 4\n!set height 4\n!set levels [{ width 4, height 4, part 0 }]\n";
const PAINT: &str = "@material\n!set unlit true\n!set base_colour_map { bitmap \"paint.bitmap\" }\n";

fn scene(node: &str, paint: &str) -> Scene {
    let model = model(node);
    let tags = [("square.model", model.as_str()), ("paint.material", paint), ("paint.bitmap", BITMAP)];
    let mut scene = Scene::with_tags(&tags, Vec3::new(-5.0, 0.0, 0.0), Vec3::ZERO, 1.0);
    scene.add(Shape::None, Vec3::ZERO, 0xffffff).model = StringId::from("square.model");
    scene
}

const WHOLE: Square = Square { opacity: 255, has_texels: true };

/// Red, green and blue at the left and the right quarter of the square.
fn halves(renderer: &mut GpuRenderer, scene: &Scene, bulk: &Square) -> [[u8; 3]; 2] {
    renderer.draw(&scene.picture_at(SIZE), &scene.content, bulk).unwrap();
    let pixels = renderer.read_pixels().unwrap();
    [145, 175].map(|x| {
        let [red, green, blue, _] = pixels.at(x, 90).unwrap();
        [red, green, blue]
    })
}

fn is_red([red, green, blue]: [u8; 3]) -> bool {
    red > 90 && red > green.saturating_mul(2) && red > blue.saturating_mul(2)
}

fn is_blue([red, green, blue]: [u8; 3]) -> bool {
    blue > 60 && blue > red.saturating_mul(2) && blue > green
}

#[test]
fn a_bitmap_is_shown_on_its_model() {
    with_renderer(|renderer| {
        let [left, right] = halves(renderer, &scene("", PAINT), &WHOLE);
        assert!(is_red(left) && is_blue(right), "{left:?} {right:?}");
    });
}

#[test]
fn a_mask_cuts_holes() {
    with_renderer(|renderer| {
        let paint = format!("{PAINT}!set alpha \"mask\"\n");
        let bulk = Square { opacity: 20, ..WHOLE };
        let [left, right] = halves(renderer, &scene("", &paint), &bulk);
        assert!(is_red(left) && right.iter().all(|part| *part < 50), "{left:?} {right:?}");
        let opaque = halves(renderer, &scene("", PAINT), &bulk);
        assert!(is_blue(opaque[1]), "without a mask opacity is ignored: {opaque:?}");
    });
}

#[test]
fn light_falls_through_the_holes_of_a_mask() {
    with_renderer(|renderer| {
        let model = model("");
        let paint = format!("{PAINT}!set alpha \"mask\"\n");
        let sky = "@sky\n!set kind \"day\"\n!set sun_direction vec(-1, 0, 0)\n!set sun_strength 4\n!set ambient_strength 0.1\n";
        let tags = [
            ("square.model", model.as_str()),
            ("paint.material", paint.as_str()),
            ("paint.bitmap", BITMAP),
            ("noon.sky", sky),
        ];
        let mut scene = Scene::with_tags(&tags, Vec3::new(-5.0, 0.0, 0.0), Vec3::ZERO, 1.0);
        scene.frame.sky = StringId::from("noon.sky");
        // The wall behind the square is seen through its right half.
        scene.add(Shape::Box { half: Vec3::new(0.1, 6.0, 6.0) }, Vec3::new(3.0, 0.0, 0.0), 0xc0_c0_c0);
        let wall = |seen: [[u8; 3]; 2]| seen[1].iter().map(|part| i32::from(*part)).sum::<i32>();
        let bulk = Square { opacity: 20, ..WHOLE };
        let lit = wall(halves(renderer, &scene, &bulk));
        scene.add(Shape::None, Vec3::ZERO, 0xff_ff_ff).model = StringId::from("square.model");
        let behind_hole = wall(halves(renderer, &scene, &bulk));
        // An opaque plate behind the camera casts the shadow that the hole does not.
        scene.add(Shape::Box { half: Vec3::new(0.1, 1.0, 1.0) }, Vec3::new(-9.0, 0.0, 0.0), 0xff_ff_ff);
        let shadowed = wall(halves(renderer, &scene, &bulk));
        assert!((lit - behind_hole).abs() < 30 && shadowed < lit - 100, "{lit} {behind_hole} {shadowed}");
    });
}

#[test]
fn blended_models_let_what_is_behind_shine_through() {
    with_renderer(|renderer| {
        let mut scene = scene("", &format!("{PAINT}!set alpha \"blend\"\n"));
        let bulk = Square { opacity: 100, ..WHOLE };
        let alone = halves(renderer, &scene, &bulk);
        let half = Vec3::new(0.1, 3.0, 3.0);
        scene.add(Shape::Box { half }, Vec3::new(3.0, 0.0, 0.0), 0x00ff00);
        let over = halves(renderer, &scene, &bulk);
        assert!(is_red(over[0]), "{over:?}");
        assert!(over[1][1] > alone[1][1] + 15, "{alone:?} {over:?}");
    });
}

#[test]
fn poses_move_nodes_and_joints() {
    with_renderer(|renderer| {
        for node in ["", ", skin 0"] {
            let mut scene = scene(node, PAINT);
            let at = |y: f32| NodePose { position: Vec3::new(0.0, y, 0.0), rotation: Quat::IDENTITY, scale: Vec3::ONE };
            // The square is moved to the right by its own width: its red half is where the blue one was.
            scene.frame.poses = vec![at(0.0), at(-1.0)];
            let rest = halves(renderer, &scene, &WHOLE);
            scene.frame.instances[0].pose = Span { first: 0, count: 2 };
            let posed = halves(renderer, &scene, &WHOLE);
            assert!(is_blue(rest[1]) && is_red(posed[1]) && !is_red(posed[0]), "{node}: {rest:?} {posed:?}");
        }
    });
}

#[test]
fn parameters_change_the_material_of_one_instance() {
    with_renderer(|renderer| {
        let mut scene = scene("", PAINT);
        let value = |name, value| Parameter { name: StringId::new(name), material: StringId::NONE, value };
        scene.frame.parameters = vec![value("base_colour.red", 0.0), value("emissive.green", 1.0)];
        scene.frame.instances[0].parameters = Span { first: 0, count: 2 };
        let [left, right] = halves(renderer, &scene, &WHOLE);
        assert!(left[1] > 90 && left[1] > left[0] * 2, "{left:?}");
        assert!(right[1] > 90, "{right:?}");
        scene.frame.instances[0].parameters = Span::default();
        assert!(is_red(halves(renderer, &scene, &WHOLE)[0]));
    });
}

#[test]
fn broken_bitmaps_are_seen_and_reported() {
    with_renderer(|renderer| {
        let scene = scene("", PAINT);
        renderer.draw(&scene.picture_at(SIZE), &scene.content, &Square { has_texels: false, ..WHOLE }).unwrap();
        let pixels = renderer.read_pixels().unwrap();
        let is_magenta = |[r, g, b, _]: &&[u8; 4]| *r > 120 && *g < 120 && *b > 100;
        assert!(pixels.bytes.as_chunks::<4>().0.iter().filter(is_magenta).count() > 200);
        assert!(renderer.take_reports().iter().any(|report| report.starts_with("paint.bitmap")));
    });
}
