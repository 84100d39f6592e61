//! Pictures of the software renderer are exact, on every machine and with any number of threads, and nothing breaks it.
//!
//! When a picture has changed on purpose, look at the file that the failed test names, and put the printed hash into its test.

use std::fs::File;
use std::path::PathBuf;

use base::{Quat, StringId, Vec2, Vec3};
use render::files::write_png;
use render::limits::PICTURE_SIDE_MAX;
use render::scenes::{NoBulk, Scene, fleet, heap, still_life};
use render::{Pixels, RenderError, Renderer, SoftwareRenderer};
use tags::Library;
use view::instance::look;
use view::{
    Blend, CanvasItem, ColourVision, Light, NodePose, OverlayMesh, OverlayTexture, OverlayVertex, PictureSettings,
    PostValues, Quality, Rect, Rgba, RibbonPoint, Shape, ShapeMesh, Span, TextStyle,
};

fn drawn(scene: &Scene, threads: usize) -> Pixels {
    drawn_by(&mut SoftwareRenderer::new(threads), scene)
}

fn drawn_by(renderer: &mut SoftwareRenderer, scene: &Scene) -> Pixels {
    renderer.draw(&scene.picture(), &Library::new(), &NoBulk).expect("the size is sound");
    renderer.read_pixels().expect("a picture was drawn")
}

/// Compares the hash of a picture; a picture that differs is written to the folder for temporary files.
fn check(name: &str, pixels: &Pixels, expected: u64) {
    if pixels.hash() != expected {
        let path: PathBuf = std::env::temp_dir().join(format!("astrarium-{name}.png"));
        let file = File::create(&path).expect("the folder can be written to");
        write_png(file, pixels).expect("the picture is whole");
        panic!("{name} has the hash {:#018x}, not {expected:#018x}: look at {}", pixels.hash(), path.display());
    }
}

#[test]
fn a_still_life_is_exact() {
    check("still-life", &drawn(&still_life([320, 180]), 2), 0x2d09_dfa5_32e1_98a0);
}

#[test]
fn a_heap_is_exact() {
    check("heap", &drawn(&heap([240, 135], 300), 2), 0x6299_d78a_fce4_71fb);
}

#[test]
fn a_fleet_is_exact() {
    check("fleet", &drawn(&fleet([256, 144], 400), 2), 0xc801_5345_c06d_8b10);
}

#[test]
fn a_split_screen_is_exact() {
    let mut scene = still_life([200, 120]);
    scene.views[0].viewport = [0.0, 0.0, 0.5, 1.0];
    let mut other = render::scenes::looking(Vec3::new(6.0, -6.0, 3.0), Vec3::ZERO);
    other.viewport = [0.5, 0.1, 1.0, 0.9];
    scene.views.push(other);
    check("split-screen", &drawn(&scene, 2), 0x1f96_6e83_515e_2d59);
}

#[test]
fn the_number_of_threads_does_not_change_a_picture() {
    for scene in [still_life([200, 113]), heap([200, 113], 150), fleet([200, 113], 200)] {
        let one = drawn(&scene, 1);
        for threads in [2, 3, 7] {
            assert!(drawn(&scene, threads) == one, "{threads} threads");
        }
    }
}

#[test]
fn a_renderer_draws_the_same_picture_again() {
    let (first, second) = (still_life([160, 90]), fleet([90, 160], 100));
    let mut renderer = SoftwareRenderer::new(2);
    let before = drawn_by(&mut renderer, &first);
    drawn_by(&mut renderer, &second);
    assert!(drawn_by(&mut renderer, &first) == before);
}

#[test]
fn sizes_are_checked() {
    let mut renderer = SoftwareRenderer::new(1);
    assert_eq!(renderer.read_pixels(), Err(RenderError::NoPicture));
    for size in [[0, 0], [0, 10], [10, 0], [16384, 10], [10, PICTURE_SIDE_MAX + 1], [u32::MAX; 2]] {
        let scene = still_life(size);
        let refused = renderer.draw(&scene.picture(), &Library::new(), &NoBulk);
        assert_eq!(refused, Err(RenderError::Size { size }));
    }
    for size in [[1, 1], [1, 50], [33, 1], [PICTURE_SIDE_MAX, 2]] {
        let pixels = drawn(&still_life(size), 2);
        assert_eq!(pixels.bytes.len(), size[0] as usize * size[1] as usize * 4);
    }
}

#[test]
fn a_picture_without_views_shows_the_canvas() {
    let mut scene = still_life([100, 100]);
    scene.views.clear();
    let rect = Rect { min: Vec2::new(20.0, 30.0), max: Vec2::new(60.0, 60.0) };
    let fill = Rgba { red: 200, green: 10, blue: 20, alpha: 255 };
    scene.canvas.items.push(CanvasItem::Quad { rect, fill, border: Rgba::default(), border_width: 0.0, radius: 0.0 });
    let pixels = drawn(&scene, 1);
    assert_eq!(pixels.at(40, 45), Some([200, 10, 20, 255]));
    assert_eq!(pixels.at(40, 80), Some([0, 0, 0, 255]));
    assert_eq!(pixels.at(100, 0), None);
}

#[test]
fn neighbouring_triangles_leave_no_gap() {
    // A wall of thin triangles around a point near the middle of the picture: the sky must not shine through.
    let mut scene = Scene::new([160, 160], Vec3::new(-4.0, 0.0, 0.0), Vec3::ZERO);
    let mut points = vec![Vec3::new(0.0, 0.013, 0.017)];
    let mut triangles = Vec::new();
    for step in 0..60_u32 {
        let (sine, cosine) = base::number::sin_cos(step as f32 * 0.104_719_76);
        points.push(Vec3::new(0.0, cosine * 9.0, sine * 9.0));
        triangles.push([0, 1 + (step + 1) % 60, 1 + step]);
    }
    let name = StringId::new("wall");
    scene.catalogue.meshes.insert(name, ShapeMesh { points, triangles });
    scene.add(Shape::Mesh { name }, Vec3::ZERO, 0xff_ff_ff);
    let pixels = drawn(&scene, 1);
    let darkest = pixels.bytes.as_chunks::<4>().0.iter().map(|pixel| pixel[0]).min().unwrap();
    let brightest = pixels.bytes.as_chunks::<4>().0.iter().map(|pixel| pixel[0]).max().unwrap();
    assert!(brightest - darkest < 30, "from {darkest} to {brightest}");
}

#[test]
fn nearer_things_hide_farther_ones() {
    let mut scene = Scene::new([64, 64], Vec3::new(-10.0, 0.0, 0.0), Vec3::ZERO);
    scene.add(Shape::Sphere { radius: 2.0 }, Vec3::new(4.0, 0.0, 0.0), 0xff_20_20);
    scene.add(Shape::Sphere { radius: 2.0 }, Vec3::ZERO, 0x20_20_ff);
    scene.add(Shape::Sphere { radius: 2.0 }, Vec3::new(8.0, 0.0, 0.0), 0x20_ff_20);
    let [red, green, blue, _] = drawn(&scene, 1).at(32, 28).unwrap();
    assert!(blue > 2 * red && blue > 2 * green, "{red} {green} {blue}");
}

#[test]
fn the_eye_may_be_within_things() {
    let mut scene = Scene::new([64, 64], Vec3::ZERO, Vec3::X);
    scene.add(Shape::Box { half: Vec3::splat(3.0) }, Vec3::ZERO, 0xff_ff_ff);
    scene.add(Shape::Sphere { radius: 0.5 }, Vec3::new(0.2, 0.0, 0.0), 0xff_ff_ff);
    scene.add(Shape::Box { half: Vec3::new(1e6, 1e6, 0.1) }, Vec3::new(0.0, 0.0, -1.0), 0x80_ff_80);
    let [_, green, blue, _] = drawn(&scene, 1).at(32, 60).unwrap();
    assert!(green > blue && green > 60, "the floor is clipped at the near plane, and drawn: {green} {blue}");
}

const STRANGE: [f32; 9] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e30, -1e30, 1e-40, 0.0];

#[test]
fn strange_numbers_in_instances_break_nothing() {
    let mut renderer = SoftwareRenderer::new(2);
    let mut scene = still_life([64, 48]);
    for value in STRANGE {
        let shape = Shape::Box { half: Vec3::splat(1.0) };
        scene.add(shape, Vec3::new(value, 0.0, 0.0), 0).velocity = Vec3::splat(value);
        scene.add(shape, Vec3::ZERO, 0).scale = value;
        scene.add(shape, Vec3::ZERO, 0).orientation = Quat::new(value, value, 0.0, 1.0);
        scene.add(shape, Vec3::ZERO, 0).angular_velocity = Vec3::splat(value);
        scene.add(Shape::Sphere { radius: value }, Vec3::ZERO, 0);
        scene.add(Shape::Capsule { radius: 1.0, length: value }, Vec3::ZERO, 0);
        scene.add(Shape::Capsule { radius: value, length: 1.0 }, Vec3::ZERO, 0);
        scene.add(Shape::Box { half: Vec3::new(1.0, value, 1.0) }, Vec3::ZERO, 0);
        scene.add(shape, Vec3::ZERO, 0).pose = Span { first: 0, count: 9 };
        scene.frame.poses.push(NodePose {
            position: Vec3::splat(value),
            rotation: Quat::IDENTITY,
            scale: Vec3::splat(value),
        });
        let name = StringId::from(format!("mesh {value}").as_str());
        let points = vec![Vec3::splat(value), Vec3::X, Vec3::Y, Vec3::ZERO];
        let triangles = vec![[0, 1, 2], [0, 0, 0], [1, 2, 99], [3, 1, 1], [u32::MAX; 3]];
        scene.catalogue.meshes.insert(name, ShapeMesh { points, triangles });
        scene.add(Shape::Mesh { name }, Vec3::ZERO, 0);
        scene.frame.up = Vec3::splat(value);
        drawn_by(&mut renderer, &scene);
    }
}

#[test]
fn strange_numbers_in_views_and_effects_break_nothing() {
    let mut renderer = SoftwareRenderer::new(1);
    for value in STRANGE {
        let mut scene = still_life([48, 48]);
        scene.glow(Vec3::splat(value), 1.0, [1.0; 4], Blend::Additive);
        scene.glow(Vec3::ZERO, value, [1.0; 4], Blend::Alpha);
        scene.glow(Vec3::ZERO, 1.0, [value; 4], Blend::Additive);
        let sprite = scene.visuals.sprites[0];
        scene.visuals.sprites.push(view::Sprite {
            stretch: Vec3::splat(value),
            rotation: value,
            frame: value,
            ..sprite
        });
        let point = |position| RibbonPoint { position, width: value, colour: [1.0; 4] };
        scene.ribbon([point(Vec3::ZERO), point(Vec3::splat(value)), point(Vec3::X)]);
        scene.visuals.decals[0].half = Vec3::splat(value);
        let light = Light { intensity: Vec3::splat(value), range: value, cone: value, ..scene.visuals.lights[0] };
        scene.visuals.lights.push(light);
        drawn_by(&mut renderer, &scene);
        for change in 0..6 {
            let view = &mut scene.views[0];
            *view = render::scenes::looking(Vec3::new(-9.0, 0.0, 3.0), Vec3::ZERO);
            match change {
                0 => view.fov = value,
                1 => view.near = value,
                2 => view.position = Vec3::splat(value),
                3 => view.orientation = Quat::new(value, 1.0, value, 0.0),
                4 => view.viewport = [value; 4],
                _ => view.viewport = [0.0, 0.0, value, 1.0],
            }
            drawn_by(&mut renderer, &scene);
        }
    }
}

#[test]
fn strange_canvases_and_overlays_break_nothing() {
    let mut renderer = SoftwareRenderer::new(2);
    for value in STRANGE {
        let mut scene = still_life([48, 48]);
        let (rect, odd) =
            (Rect { min: Vec2::ZERO, max: Vec2::splat(40.0) }, Rect { min: Vec2::ZERO, max: Vec2::splat(value) });
        let white = Rgba { red: 255, green: 255, blue: 255, alpha: 200 };
        let items = [
            CanvasItem::Unclip,
            CanvasItem::Quad { rect: odd, fill: white, border: white, border_width: value, radius: value },
            CanvasItem::Quad { rect, fill: white, border: white, border_width: value, radius: value },
            CanvasItem::Image { rect, bitmap: StringId::new("gone"), part: odd, tint: white },
            CanvasItem::Image { rect: odd, bitmap: StringId::new("gone"), part: rect, tint: white },
            CanvasItem::Line { from: Vec2::splat(value), to: Vec2::ZERO, width: 2.0, colour: white },
            CanvasItem::Line { from: Vec2::ZERO, to: Vec2::X, width: value, colour: white },
            CanvasItem::Text {
                rect: odd,
                text: Span { first: 3, count: u32::MAX },
                style: TextStyle { font: StringId::NONE, size: value, align: value, wraps: true },
                colour: white,
            },
            CanvasItem::Clip { rect: odd },
            CanvasItem::Quad { rect, fill: white, border: white, border_width: 1.0, radius: 1.0 },
        ];
        scene.canvas.items.extend(items);
        scene.canvas.items.extend([CanvasItem::Clip { rect }; 200]);
        scene.canvas.scale = value;
        let corner = |x: f32| OverlayVertex { position: [x, value], uv: [value; 2], colour: [255; 4] };
        scene.overlay.meshes.push(OverlayMesh {
            clip: [0.0, 0.0, value, 48.0],
            texture: 1,
            vertices: vec![corner(0.0), corner(value), corner(20.0)],
            indices: vec![0, 1, 2, 2, 1, 77, 0],
        });
        for (corner, size, bytes) in
            [(None, [2, 2], 16), (None, [2, 2], 3), (Some([1, 1]), [2, 2], 16), (Some([u32::MAX; 2]), [1, 1], 4)]
        {
            scene.overlay.changed.push(OverlayTexture { texture: 1, corner, size, pixels: vec![200; bytes] });
        }
        scene.overlay.freed.push(9);
        drawn_by(&mut renderer, &scene);
    }
}

#[test]
fn an_overlay_is_drawn_with_its_texture() {
    let mut scene = Scene::new([40, 40], Vec3::ZERO, Vec3::X);
    scene.overlay.changed.push(OverlayTexture {
        texture: 5,
        corner: None,
        size: [1, 1],
        pixels: vec![128, 255, 0, 255],
    });
    let corner = |x: f32, y: f32| OverlayVertex { position: [x, y], uv: [0.5; 2], colour: [255, 255, 255, 255] };
    let vertices = vec![corner(0.0, 0.0), corner(40.0, 0.0), corner(40.0, 40.0), corner(0.0, 40.0)];
    scene.overlay.meshes.push(OverlayMesh {
        clip: [10.0, 10.0, 30.0, 30.0],
        texture: 5,
        vertices,
        indices: vec![0, 1, 2, 2, 0, 3],
    });
    let pixels = drawn(&scene, 1);
    for place in 10..30 {
        assert_eq!(pixels.at(place, place), Some([128, 255, 0, 255]), "also on the diagonal, {place}");
    }
    assert_ne!(pixels.at(9, 9), Some([128, 255, 0, 255]));
}

#[test]
fn a_million_sprites_are_bounded() {
    let mut scene = Scene::new([32, 32], Vec3::new(-5.0, 0.0, 0.0), Vec3::ZERO);
    scene.glow(Vec3::ZERO, 0.2, [0.1, 0.1, 0.1, 0.01], Blend::Additive);
    scene.visuals.sprites = vec![scene.visuals.sprites[0]; 1_000_000];
    let pixels = drawn(&scene, 2);
    assert_eq!(pixels.size, [32, 32]);
}

#[test]
fn selected_things_have_an_outline() {
    let mut scene = Scene::new([64, 64], Vec3::new(-6.0, 0.0, 0.0), Vec3::ZERO);
    scene.add(Shape::Sphere { radius: 1.0 }, Vec3::ZERO, 0x20_20_20);
    let plain = drawn(&scene, 1);
    scene.frame.instances[0].look = view::instance::look::SELECTED;
    let outlined = drawn(&scene, 1);
    let changed =
        (0..64).flat_map(|y| (0..64).map(move |x| (x, y))).filter(|(x, y)| plain.at(*x, *y) != outlined.at(*x, *y));
    let places: Vec<(u32, u32)> = changed.collect();
    assert!(places.len() > 40 && places.len() < 400, "{}", places.len());
    assert!(!places.contains(&(32, 32)));
}

#[test]
fn settings_change_pictures_exactly_and_can_be_taken_back() {
    let scene = still_life([160, 90]);
    let mut renderer = SoftwareRenderer::new(2);
    let usual = drawn_by(&mut renderer, &scene);
    let settings = |change: &dyn Fn(&mut PictureSettings)| {
        let mut settings = PictureSettings::default();
        change(&mut settings);
        settings
    };
    let rows: [(&str, PictureSettings, u64); 7] = [
        ("dark", settings(&|all| all.brightness = 0.5), 0x93be_6d6f_8cfa_7d1c),
        ("small", settings(&|all| all.render_scale = 0.5), 0xe0b4_0480_aa11_6866),
        ("large", settings(&|all| all.render_scale = 2.0), 0x7376_293a_b88c_4094),
        ("low", settings(&|all| all.quality = Quality::Low), 0xe390_124a_f13c_f802),
        ("protanopia", settings(&|all| all.colour_vision = ColourVision::Protanopia), 0x5366_74ae_6086_3291),
        ("tritanopia", settings(&|all| all.colour_vision = ColourVision::Tritanopia), 0x8ce8_09e8_9d43_cc9e),
        ("greys", settings(&|all| all.colour_vision = ColourVision::Greys), 0x75f6_6f7f_af53_03ee),
    ];
    let mut found = Vec::new();
    for (name, settings, _) in rows {
        renderer.set_settings(settings);
        let pixels = drawn_by(&mut renderer, &scene);
        assert!(pixels.size == usual.size && pixels != usual, "{name}");
        let mut other = SoftwareRenderer::new(3);
        other.set_settings(settings);
        assert!(drawn_by(&mut other, &scene) == pixels, "{name} with three threads");
        found.push((name, pixels.hash()));
    }
    let expected: Vec<(&str, u64)> = rows.iter().map(|(name, _, hash)| (*name, *hash)).collect();
    assert!(found == expected, "{found:#x?}");
    renderer.set_settings(PictureSettings::default());
    assert!(drawn_by(&mut renderer, &scene) == usual);
}

#[test]
fn a_post_effect_changes_the_view_of_its_player_alone() {
    let mut scene = still_life([160, 90]);
    // What is drawn over the world keeps its colours, and outlines are seen in the dark.
    scene.canvas.items.clear();
    scene.frame.instances.iter_mut().for_each(|instance| instance.look &= !(look::SELECTED | look::HOVERED));
    let mut other = scene.views[0];
    (scene.views[0].viewport, other.viewport) = ([0.0, 0.0, 0.5, 1.0], [0.5, 0.0, 1.0, 1.0]);
    scene.views.push(other);
    let usual = drawn(&scene, 2);
    let pixels_of = |pixels: &Pixels, columns: std::ops::Range<u32>| -> Vec<[u8; 4]> {
        (0..90).flat_map(|y| columns.clone().map(move |x| (x, y))).filter_map(|(x, y)| pixels.at(x, y)).collect()
    };
    for post in [
        PostValues { saturation: 0.0, ..PostValues::NONE },
        PostValues { fade: ([0.2, 0.4, 0.6], 1.0), ..PostValues::NONE },
        PostValues { light: 0.0, ..PostValues::NONE },
    ] {
        scene.views[1].post = post;
        let changed = drawn(&scene, 2);
        assert!(changed == drawn(&scene, 3), "with three threads");
        assert_eq!(pixels_of(&changed, 0..80), pixels_of(&usual, 0..80), "the other player sees what they saw");
        let right = pixels_of(&changed, 80..160);
        let is_as_said = |[red, green, blue, _]: &[u8; 4]| match post {
            PostValues { saturation: 0.0, .. } => red == green && green == blue,
            PostValues { light: 0.0, .. } => red.max(green).max(blue) < &40,
            _ => (*red, *green, *blue) == (51, 102, 153),
        };
        assert!(right.iter().all(is_as_said), "{post:?}: {:?}", right.iter().find(|pixel| !is_as_said(pixel)));
    }
    scene.views[1].post = PostValues { vignette: ([0.0; 3], 1.0), contrast: 1.2, ..PostValues::NONE };
    check("post-effect", &drawn(&scene, 2), 0x6732_e58c_800d_5750);
}
