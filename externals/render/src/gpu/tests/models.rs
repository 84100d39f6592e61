//! Models with bitmaps, masks, blending, poses and parameters.

use std::sync::Arc;

use base::{Quat, StringId, Vec3};
use tags::Bulk;
use view::{BulkKind, BulkSource, NodePose, Parameter, PartState, Shape, Span};

use super::*;
use crate::SoftwareRenderer;

/// A square of two metres that faces the camera, and an image whose left half is red and whose right half is blue.
struct Square {
    /// The opacity of the right half.
    opacity: u8,
    has_texels: bool,
    /// With a second layer, all of it green.
    is_sequence: bool,
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
                let first = (0..16).map(|at| if at % 4 < 2 { [255, 0, 0, 255] } else { [0, 0, 255, self.opacity] });
                first
                    .chain([[0, 255, 0, 255]; 16].into_iter().take(if self.is_sequence { 16 } else { 0 }))
                    .flatten()
                    .collect()
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
    scene_with(node, paint, BITMAP)
}

fn scene_with(node: &str, paint: &str, bitmap: &str) -> Scene {
    let model = model(node);
    let tags = [("square.model", model.as_str()), ("paint.material", paint), ("paint.bitmap", bitmap)];
    let mut scene = Scene::with_tags(&tags, Vec3::new(-5.0, 0.0, 0.0), Vec3::ZERO, 1.0);
    scene.add(Shape::None, Vec3::ZERO, 0xffffff).model = StringId::from("square.model");
    scene
}

const WHOLE: Square = Square { opacity: 255, has_texels: true, is_sequence: false };

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

/// The pixels of the middle row, between the edges of the square, that are neither red nor blue.
fn mixed(pixels: &Pixels) -> usize {
    let row = (132..188).map(|x| pixels.at(x, 90).unwrap());
    row.filter(|[red, green, blue, _]| !is_red([*red, *green, *blue]) && !is_blue([*red, *green, *blue])).count()
}

#[test]
fn the_nearest_texel_is_shown_where_a_material_or_a_bitmap_says_so() {
    with_renderer(|renderer| {
        let sharp = PAINT.replace("\"paint.bitmap\"", "\"paint.bitmap\", smooth false");
        let point = format!("{BITMAP}!set filter \"point\"\n");
        let [smooth, by_material, by_bitmap] =
            [(PAINT, BITMAP), (&sharp, BITMAP), (PAINT, &point)].map(|(paint, bitmap)| {
                let scene = scene_with("", paint, bitmap);
                renderer.draw(&scene.picture_at(SIZE), &scene.content, &WHOLE).unwrap();
                mixed(&renderer.read_pixels().unwrap())
            });
        assert!(smooth > 5 && by_material <= 2 && by_bitmap <= 2, "{smooth} {by_material} {by_bitmap}");
        // A material that is sharp and one that is not share a bitmap.
        let scene = scene("", PAINT);
        renderer.draw(&scene.picture_at(SIZE), &scene.content, &WHOLE).unwrap();
        assert_eq!(mixed(&renderer.read_pixels().unwrap()), smooth);
    });
}

#[test]
fn the_bias_of_a_bitmap_chooses_its_level() {
    with_renderer(|renderer| {
        let soft = scene_with("", PAINT, &format!("{BITMAP}!set lod_bias 8\n"));
        renderer.draw(&soft.picture_at(SIZE), &soft.content, &WHOLE).unwrap();
        assert_eq!(mixed(&renderer.read_pixels().unwrap()), 56, "all of it is the average");
        let sharp = scene_with("", PAINT, &format!("{BITMAP}!set lod_bias -2\n"));
        let [left, right] = halves(renderer, &sharp, &WHOLE);
        assert!(is_red(left) && is_blue(right), "{left:?} {right:?}");
    });
}

#[test]
fn sequences_play_on_materials_in_the_time_of_the_world() {
    with_renderer(|renderer| {
        let sequence = format!("{BITMAP}!set kind \"sequence\"\n!set layers 2\n!set frames_per_second 10\n");
        let mut scene = scene_with("", PAINT, &sequence);
        let bulk = Square { is_sequence: true, ..WHOLE };
        let mut software = SoftwareRenderer::new(1);
        for (seconds, ahead, is_second) in
            [(0.0, 0.0, false), (0.12, 0.0, true), (0.22, 0.0, false), (0.05, 0.06, true), (1000.15, 0.0, true)]
        {
            (scene.frame.moment.seconds, scene.ahead) = (seconds, ahead);
            let left = halves(renderer, &scene, &bulk)[0];
            software.draw(&scene.picture_at(SIZE), &scene.content, &bulk).unwrap();
            let [red, green, blue, _] = software.read_pixels().unwrap().at(145, 90).unwrap();
            for seen in [left, [red, green, blue]] {
                let is_green = seen[1] > 90 && seen[1] > seen[0].saturating_mul(2);
                assert_eq!([is_red(seen), is_green], [!is_second, is_second], "at {seconds} + {ahead}: {seen:?}");
            }
        }
        // What is no sequence has one picture, whatever its layers.
        let plain = scene_with("", PAINT, &sequence.replace("sequence", "2d"));
        scene.content = plain.content;
        scene.frame.moment.seconds = 0.12;
        assert!(is_red(halves(renderer, &scene, &bulk)[0]));
    });
}
