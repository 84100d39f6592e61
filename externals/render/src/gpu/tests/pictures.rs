//! Whole scenes: as they were when people last looked at them, and like the software renderer's.

use std::path::PathBuf;

use super::*;
use crate::SoftwareRenderer;
use crate::files::write_png;

/// Compares the blocks of a picture with those that are kept, on every device: drivers differ in single pixels, the means of blocks
/// hardly. `ASTRARIUM_PICTURES=keep` writes them anew.
fn check_kept(renderer: &GpuRenderer, pixels: &Pixels, name: &str) {
    let means = blocks(pixels);
    let [width, height] = pixels.size.map(|side| side.div_ceil(8));
    let bytes = means.iter().flat_map(|[r, g, b]| [*r as u8, *g as u8, *b as u8, 255]).collect();
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/gpu/tests/kept").join(format!("{name}.png"));
    if std::env::var("ASTRARIUM_PICTURES").is_ok_and(|wish| wish == "keep") {
        write_png(std::fs::File::create(&path).unwrap(), &Pixels { size: [width, height], bytes }).unwrap();
        return;
    }
    let kept = read_png(&path);
    let kept: Vec<[f32; 3]> = kept.as_chunks::<4>().0.iter().map(|[r, g, b, _]| [*r, *g, *b].map(f32::from)).collect();
    let all = differences(&means, &kept);
    let (mean, high) = (all.iter().sum::<f32>() / all.len() as f32, all[all.len() * 99 / 100]);
    assert!(
        mean <= 3.0 && high <= 16.0,
        "{name} on {}: blocks differ by {mean:.1} on average, one in a hundred by {high:.1}",
        renderer.device_name()
    );
}

fn read_png(path: &std::path::Path) -> Vec<u8> {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    bytes
}

/// Nothing that was drawn is the colour of missing content.
fn check_no_magenta(pixels: &Pixels) {
    let is_magenta = |[r, g, b, _]: &&[u8; 4]| *r > 180 && *g < 90 && *b > 150;
    assert_eq!(pixels.bytes.as_chunks::<4>().0.iter().filter(is_magenta).count(), 0);
}

#[test]
fn space_looks_as_it_did() {
    with_renderer(|renderer| {
        let scene = scenes::space();
        let pixels = drawn(renderer, &scene);
        check_no_magenta(&pixels);
        let mean = brightness(&pixels);
        assert!((12.0..80.0).contains(&mean), "{mean}");
        check_kept(renderer, &pixels, "space");
    });
}

#[test]
fn the_quarry_looks_as_it_did() {
    with_renderer(|renderer| {
        let scene = scenes::quarry();
        let pixels = drawn(renderer, &scene);
        check_no_magenta(&pixels);
        let mean = brightness(&pixels);
        assert!((70.0..180.0).contains(&mean), "{mean}");
        check_kept(renderer, &pixels, "quarry");
    });
}

#[test]
fn both_renderers_show_the_same_quarry() {
    with_renderer(|renderer| {
        let scene = scenes::quarry();
        let pixels = drawn(renderer, &scene);
        let mut software = SoftwareRenderer::new(2);
        software.draw(&scene.picture_at(SIZE), &scene.content, &NoBulk).unwrap();
        let other = software.read_pixels().unwrap();
        let all = differences(&blocks(&pixels), &blocks(&other));
        let mean = all.iter().sum::<f32>() / all.len() as f32;
        assert!(mean < 30.0, "blocks differ by {mean} on average");
        // A picture of something else differs by more.
        software.draw(&scenes::space().picture_at(SIZE), &scene.content, &NoBulk).unwrap();
        let wrong = differences(&blocks(&pixels), &blocks(&software.read_pixels().unwrap()));
        assert!(wrong.iter().sum::<f32>() / wrong.len() as f32 > 60.0);
    });
}

#[test]
fn both_renderers_show_the_same_canvas() {
    with_renderer(|renderer| {
        let mut scene = Scene::with_tags(&[], base::Vec3::ZERO, base::Vec3::X, 1.0);
        scene.canvas = scenes::space().canvas;
        scene.views.clear();
        let pixels = drawn(renderer, &scene);
        let mut software = SoftwareRenderer::new(1);
        software.draw(&scene.picture_at(SIZE), &scene.content, &NoBulk).unwrap();
        let other = software.read_pixels().unwrap();
        let far = changed(&pixels, &other, 40);
        let drawn = changed(&pixels, &Pixels { bytes: vec![0; other.bytes.len()], ..other }, 40);
        assert!(far < 100 && drawn > 600, "{far} pixels of {drawn} differ");
    });
}
