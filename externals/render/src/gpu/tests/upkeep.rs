//! What happens over time: lost devices, sizes, shaders that change, devices that are refused.

use base::Vec3;
use view::Shape;

use super::*;

fn one_ball() -> Scene {
    let mut scene = Scene::with_tags(&[], Vec3::new(-6.0, 0.0, 0.0), Vec3::ZERO, 1.0);
    scene.add(Shape::Sphere { radius: 1.0 }, Vec3::ZERO, 0xe0e0e0);
    scene
}

#[test]
fn a_lost_device_is_replaced_and_everything_made_again() {
    with_renderer(|renderer| {
        let scene = scenes::space();
        let before = drawn(renderer, &scene);
        renderer.lose_device();
        let after = match renderer.draw(&scene.picture_at(SIZE), &scene.content, &NoBulk) {
            Ok(()) => renderer.read_pixels().unwrap(),
            // A loss that is noticed while drawing costs one picture.
            Err(RenderError::DeviceLost { .. }) => drawn(renderer, &scene),
            Err(error) => panic!("{error}"),
        };
        assert!(changed(&before, &after, 8) < 30);
        assert!(renderer.take_reports().iter().any(|report| report.contains("was lost")));
    });
}

#[test]
fn memory_does_not_grow_with_sizes() {
    with_renderer(|renderer| {
        renderer.set_options(GpuOptions {
            cascades: 0,
            sky_side: 16,
            has_bloom: false,
            has_occlusion: false,
            ..GpuOptions::small()
        });
        let scene = one_ball();
        let bytes = |renderer: &mut GpuRenderer| {
            renderer.read_pixels().unwrap();
            let stage = renderer.stage.as_ref().unwrap();
            let counters = stage.device.device.generate_allocator_report().map(|report| report.total_allocated_bytes);
            counters.expect("this back end reports its memory")
        };
        let draw =
            |renderer: &mut GpuRenderer, size| renderer.draw(&scene.picture_at(size), &scene.content, &NoBulk).unwrap();
        for step in 0..20 {
            draw(renderer, [20 + step, 30]);
        }
        let before = bytes(renderer);
        for step in 0..500_u32 {
            draw(renderer, [16 + step * 7 % 50, 16 + step * 3 % 40]);
        }
        draw(renderer, [39, 30]);
        let after = bytes(renderer);
        assert!(after <= before + (1 << 20), "{before} bytes before, {after} after");
    });
}

#[test]
fn a_picture_without_pixels_is_refused() {
    with_renderer(|renderer| {
        let scene = one_ball();
        let refused = renderer.draw(&scene.picture_at([0, 10]), &scene.content, &NoBulk);
        assert_eq!(refused, Err(RenderError::Size { size: [0, 10] }));
        assert!(renderer.draw(&scene.picture_at([1, 1]), &scene.content, &NoBulk).is_ok());
        assert_eq!(renderer.read_pixels().unwrap().bytes.len(), 4);
    });
}

#[test]
fn a_processor_is_refused_where_it_is_not_wanted() {
    with_renderer(|renderer| {
        renderer.sound_stage().unwrap();
        let is_processor = renderer.stage.as_ref().unwrap().device.is_processor();
        let other = GpuRenderer::offscreen(GpuOptions { accepts_processor: false, ..GpuOptions::small() });
        assert_eq!(matches!(other, Err(RenderError::NoDevice { .. })), is_processor);
    });
}

#[test]
fn changed_shaders_are_used_once_they_are_valid() {
    with_renderer(|renderer| {
        let folder = std::env::temp_dir().join(format!("astrarium-shaders-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let options = GpuOptions { shader_folder: Some(folder.clone()), ..GpuOptions::small() };
        renderer.set_options(options.clone());
        let scene = one_ball();
        let before = drawn(renderer, &scene);
        let file = folder.join("tone.wgsl");
        std::fs::write(&file, "this is not a shader").unwrap();
        let stage = renderer.stage.as_mut().unwrap();
        let error = stage.reload_shaders(&options).expect("a file is new").expect_err("it is not a shader");
        assert!(error.contains("tone"), "{error}");
        assert!(changed(&drawn(renderer, &scene), &before, 4) == 0);
        let text =
            include_str!("../shaders/tone.wgsl").replace("vec4f(shown_colour, 1.0)", "vec4f(1.0 - shown_colour, 1.0)");
        std::fs::write(&file, text).unwrap();
        // Files that are written within the resolution of the clock look unchanged.
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
        assert_eq!(renderer.stage.as_mut().unwrap().reload_shaders(&options), Some(Ok(())));
        assert_eq!(renderer.stage.as_mut().unwrap().reload_shaders(&options), None);
        assert!(brightness(&drawn(renderer, &scene)) > brightness(&before) + 80.0);
        std::fs::remove_dir_all(&folder).unwrap();
    });
}

#[test]
fn passes_are_timed_one_by_one() {
    with_renderer(|renderer| {
        let scene = one_ball();
        for _ in 0..4 {
            drawn(renderer, &scene);
        }
        let names: Vec<&str> = renderer.pass_times().iter().map(|time| time.name).collect();
        if renderer.stage.as_ref().unwrap().device.has_timestamps {
            assert_eq!(
                names,
                ["cull", "shadows", "triangles", "surfaces", "occlusion", "compose", "bloom", "tone", "smoothing"]
            );
        }
    });
}
