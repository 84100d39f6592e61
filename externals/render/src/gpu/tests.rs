//! Pictures on a graphics device, usually lavapipe. Without a device these tests say so and pass; where `CI` is set, a device
//! is required. They run one at a time and under a time limit, because drivers may hang.

mod bitmaps;
mod facts;
mod models;
mod pictures;
mod settings;
mod upkeep;

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use super::{GpuOptions, GpuRenderer};
use crate::renderer::{Pixels, RenderError, Renderer};

use crate::scenes::{self, NoBulk, Scene};

/// The size of pictures in tests.
const SIZE: [u32; 2] = [320, 180];
/// The longest time that a test may take.
const TIME_MAX: Duration = Duration::from_secs(180);

/// One renderer for all tests: making its pipelines takes a second.
static SHARED: OnceLock<Mutex<Option<GpuRenderer>>> = OnceLock::new();

/// Runs a test with a renderer, if there is a device.
fn with_renderer(test: impl FnOnce(&mut GpuRenderer) + Send + 'static) {
    let (sender, receiver) = channel();
    let thread = std::thread::spawn(move || {
        let shared = SHARED.get_or_init(|| Mutex::new(renderer(GpuOptions::small())));
        // A test that failed leaves a renderer that is still sound.
        let mut shared = shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(renderer) = shared.as_mut() {
            renderer.set_options(GpuOptions::small());
            renderer.set_settings(view::PictureSettings::default());
            test(renderer);
            let errors: Vec<String> =
                renderer.take_reports().into_iter().filter(|report| report.starts_with("graphics device")).collect();
            assert_eq!(errors, Vec::<String>::new());
        }
        let _ = sender.send(());
    });
    match receiver.recv_timeout(TIME_MAX) {
        Ok(()) => {}
        Err(RecvTimeoutError::Timeout) => panic!("the driver took longer than {TIME_MAX:?}"),
        Err(RecvTimeoutError::Disconnected) => {}
    }
    if let Err(failure) = thread.join() {
        std::panic::resume_unwind(failure);
    }
}

fn renderer(options: GpuOptions) -> Option<GpuRenderer> {
    match GpuRenderer::offscreen(options) {
        Ok(renderer) => Some(renderer),
        Err(RenderError::NoDevice { why }) if std::env::var_os("CI").is_none() => {
            println!("skipped: no graphics device ({why})");
            None
        }
        Err(error) => panic!("a graphics device is required where CI is set: {error}"),
    }
}

fn drawn(renderer: &mut GpuRenderer, scene: &Scene) -> Pixels {
    drawn_at(renderer, scene, SIZE)
}

fn drawn_at(renderer: &mut GpuRenderer, scene: &Scene, size: [u32; 2]) -> Pixels {
    renderer.draw(&scene.picture_at(size), &scene.content, &NoBulk).unwrap();
    renderer.read_pixels().unwrap()
}

/// The means of blocks of 8 × 8 pixels: red, green, blue.
fn blocks(pixels: &Pixels) -> Vec<[f32; 3]> {
    let [width, height] = pixels.size;
    let mut means = Vec::new();
    for top in (0..height).step_by(8) {
        for left in (0..width).step_by(8) {
            let mut sum = [0.0; 3];
            let mut count = 0.0;
            for y in top..(top + 8).min(height) {
                for x in left..(left + 8).min(width) {
                    let pixel = pixels.at(x, y).unwrap();
                    for channel in 0..3 {
                        sum[channel] += f32::from(pixel[channel]);
                    }
                    count += 1.0;
                }
            }
            means.push(sum.map(|value| value / count));
        }
    }
    means
}

/// The differences of the blocks of two pictures, the smallest first.
fn differences(first: &[[f32; 3]], second: &[[f32; 3]]) -> Vec<f32> {
    assert_eq!(first.len(), second.len());
    let mut all: Vec<f32> = first
        .iter()
        .zip(second)
        .map(|(a, b)| (0..3).map(|channel| (a[channel] - b[channel]).abs()).fold(0.0, f32::max))
        .collect();
    all.sort_by(f32::total_cmp);
    all
}

/// The number of pixels in which two pictures differ by more than `least` in a channel.
fn changed(first: &Pixels, second: &Pixels, least: u8) -> usize {
    let (first, second) = (first.bytes.as_chunks::<4>().0, second.bytes.as_chunks::<4>().0);
    first.iter().zip(second).filter(|(a, b)| (0..3).any(|channel| a[channel].abs_diff(b[channel]) > least)).count()
}

/// The mean of all channels.
fn brightness(pixels: &Pixels) -> f32 {
    let sum: u64 =
        pixels.bytes.as_chunks::<4>().0.iter().map(|[r, g, b, _]| u64::from(*r) + u64::from(*g) + u64::from(*b)).sum();
    sum as f32 / (pixels.bytes.len() / 4 * 3) as f32
}
