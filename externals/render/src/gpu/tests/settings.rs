//! What a player prefers is seen in the next picture.

use base::Vec3;
use view::{ColourVision, PictureSettings, PostValues, Quality, Shape};

use super::*;
use crate::SoftwareRenderer;

const USUAL: PictureSettings =
    PictureSettings { quality: Quality::High, render_scale: 1.0, brightness: 1.0, colour_vision: ColourVision::Usual };

/// A red and a green ball.
fn balls() -> Scene {
    let mut scene = Scene::with_tags(&[], Vec3::new(-6.0, 0.0, 0.0), Vec3::ZERO, 1.0);
    scene.add(Shape::Sphere { radius: 1.5 }, Vec3::new(0.0, 2.0, 0.0), 0xe0_20_20);
    scene.add(Shape::Sphere { radius: 1.5 }, Vec3::new(0.0, -2.0, 0.0), 0x20_a0_20);
    scene
}

/// Draws with settings, and leaves the usual ones.
fn drawn_with(renderer: &mut GpuRenderer, scene: &Scene, settings: PictureSettings) -> Pixels {
    renderer.set_settings(settings);
    let pixels = drawn(renderer, scene);
    renderer.set_settings(USUAL);
    pixels
}

#[test]
fn brightness_changes_the_world_and_not_the_interface() {
    with_renderer(|renderer| {
        let scene = scenes::quarry();
        let usual = drawn(renderer, &scene);
        let dark = drawn_with(renderer, &scene, PictureSettings { brightness: 0.5, ..USUAL });
        let bright = drawn_with(renderer, &scene, PictureSettings { brightness: 2.0, ..USUAL });
        let [dark, middle, bright] = [dark, usual.clone(), bright].map(|pixels| brightness(&pixels));
        assert!(dark < middle * 0.85 && bright > middle * 1.15, "{dark} {middle} {bright}");
        let mut flat = Scene::with_tags(&[], Vec3::ZERO, Vec3::X, 1.0);
        flat.canvas = scenes::space().canvas;
        flat.views.clear();
        let plain = drawn(renderer, &flat);
        assert_eq!(changed(&plain, &drawn_with(renderer, &flat, PictureSettings { brightness: 2.0, ..USUAL }), 0), 0);
        assert_eq!(changed(&usual, &drawn(renderer, &scene), 2), 0, "the usual ones are back");
    });
}

#[test]
fn colours_are_moved_to_where_an_eye_sees_them() {
    with_renderer(|renderer| {
        let scene = balls();
        let usual = drawn(renderer, &scene);
        for vision in ColourVision::ALL_BUT_USUAL {
            let settings = PictureSettings { colour_vision: vision, ..USUAL };
            let corrected = drawn_with(renderer, &scene, settings);
            // The same as the table of the software renderer makes of the usual picture.
            let mut expected = usual.clone();
            crate::vision::correct(&crate::vision::correction(vision).unwrap(), &mut expected.bytes);
            assert!(changed(&corrected, &expected, 2) < 20, "{vision:?}");
            assert!(changed(&corrected, &usual, 12) > 2000, "{vision:?}");
        }
    });
}

#[test]
fn the_world_is_drawn_in_another_size_and_the_interface_is_not() {
    with_renderer(|renderer| {
        let mut scene = balls();
        scene.canvas = scenes::space().canvas;
        let usual = drawn(renderer, &scene);
        for render_scale in [0.5, 0.73, 2.0] {
            let scaled = drawn_with(renderer, &scene, PictureSettings { render_scale, ..USUAL });
            assert_eq!(scaled.size, usual.size);
            let all = differences(&blocks(&usual), &blocks(&scaled));
            let mean = all.iter().sum::<f32>() / all.len() as f32;
            assert!(mean < 4.0, "{render_scale}: blocks differ by {mean} on average");
        }
        let targets = |renderer: &GpuRenderer| renderer.stage.as_ref().unwrap().view_sizes();
        drawn_with(renderer, &scene, PictureSettings { render_scale: 0.5, ..USUAL });
        assert_eq!(targets(renderer), [[SIZE[0] / 2, SIZE[1] / 2]]);
        // Edges are coarser: fewer pixels, less work.
        let coarse = drawn_with(renderer, &scene, PictureSettings { render_scale: 0.25, ..USUAL });
        assert!(changed(&usual, &coarse, 24) > 200);
    });
}

#[test]
fn quality_sets_shadows_occlusion_bloom_and_smoothing_without_another_device() {
    with_renderer(|renderer| {
        let scene = scenes::quarry();
        let names =
            |renderer: &GpuRenderer| -> Vec<&str> { renderer.pass_times().iter().map(|time| time.name).collect() };
        let mut seen = Vec::new();
        let mut pictures = Vec::new();
        for quality in [Quality::Low, Quality::Medium, Quality::High] {
            renderer.set_settings(PictureSettings { quality, ..USUAL });
            // Times are known some pictures later.
            (0..6).for_each(|_| drop(drawn(renderer, &scene)));
            pictures.push(drawn(renderer, &scene));
            seen.push(names(renderer));
        }
        let made = renderer.stage.as_ref().unwrap().device.device.clone();
        renderer.set_settings(USUAL);
        drawn(renderer, &scene);
        assert!(renderer.stage.as_ref().unwrap().device.device == made, "the device stays");
        if !seen[2].is_empty() {
            let has = |quality: usize, name: &str| seen[quality].contains(&name);
            assert!(!has(0, "occlusion") && !has(0, "bloom") && !has(0, "smoothing"), "{:?}", seen[0]);
            assert!(!has(1, "occlusion") && has(1, "bloom") && has(1, "smoothing"), "{:?}", seen[1]);
            assert!(has(2, "occlusion") && has(2, "bloom") && has(2, "smoothing"), "{:?}", seen[2]);
            let cascades = |quality: usize| seen[quality].iter().filter(|name| **name == "shadows").count();
            assert!(cascades(0) <= cascades(2));
        }
        assert!(changed(&pictures[0], &pictures[2], 12) > 500, "low differs from high");
        let options = GpuOptions::default();
        assert_eq!((options.at(Quality::Low).cascades, options.at(Quality::Low).shadow_side), (2, 512));
        assert_eq!((options.at(Quality::Medium).cascades, options.at(Quality::Medium).shadow_side), (3, 1024));
        assert_eq!(options.at(Quality::High), options);
        assert_eq!(options.at(Quality::Ultra).shadow_side, 4096);
    });
}

#[test]
fn both_renderers_follow_the_same_settings() {
    with_renderer(|renderer| {
        let scene = scenes::quarry();
        let mut software = SoftwareRenderer::new(2);
        let settings =
            PictureSettings { brightness: 0.5, colour_vision: ColourVision::Greys, render_scale: 0.8, ..USUAL };
        let pixels = drawn_with(renderer, &scene, settings);
        let other = |software: &mut SoftwareRenderer, settings| {
            software.set_settings(settings);
            software.draw(&scene.picture_at(SIZE), &scene.content, &NoBulk).unwrap();
            let all = differences(&blocks(&pixels), &blocks(&software.read_pixels().unwrap()));
            all.iter().sum::<f32>() / all.len() as f32
        };
        let (same, usual) = (other(&mut software, settings), other(&mut software, USUAL));
        assert!(same < usual * 0.8, "{same} with the same settings, {usual} with the usual ones");
    });
}

#[test]
fn a_post_effect_does_to_colours_what_its_numbers_say() {
    with_renderer(|renderer| {
        let mut scene = balls();
        let usual = drawn(renderer, &scene);
        let [width, height] = usual.size;
        for post in [
            PostValues { saturation: 0.0, ..PostValues::NONE },
            PostValues { contrast: 1.5, tint: [1.0, 0.5, 0.8], ..PostValues::NONE },
            PostValues { vignette: ([0.6, 0.0, 0.0], 0.9), fade: ([0.0, 0.0, 1.0], 0.25), ..PostValues::NONE },
        ] {
            scene.views[0].post = post;
            let changed_by = drawn(renderer, &scene);
            let mut expected = usual.clone();
            for (at, pixel) in expected.bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let (x, y) = (at as u32 % width, at as u32 / width);
                let place = [(x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32];
                let colour = [pixel[0], pixel[1], pixel[2]].map(|part| f32::from(part) / 255.0);
                let [red, green, blue] = post.apply(colour, place).map(|part| (part * 255.0).round() as u8);
                *pixel = [red, green, blue, 255];
            }
            // Edges are smoothed after it.
            let all = differences(&blocks(&changed_by), &blocks(&expected));
            let mean = all.iter().sum::<f32>() / all.len() as f32;
            assert!(mean < 2.0, "{post:?}: blocks differ by {mean} on average");
            assert!(changed(&changed_by, &usual, 6) > 1000, "{post:?}");
        }
        scene.views[0].post = PostValues { light: 0.25, ..PostValues::NONE };
        assert!(brightness(&drawn(renderer, &scene)) < brightness(&usual) * 0.8);
        scene.views[0].post = PostValues::NONE;
        assert_eq!(changed(&drawn(renderer, &scene), &usual, 2), 0, "nothing is left of it");
    });
}
