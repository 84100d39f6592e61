//! Draws a scene on a graphics processor without a window, and writes it as PPM: `gpu_picture space 1280 720 space.ppm`.

#[path = "common/scenes.rs"]
mod scenes;

use render::Renderer;
use render::gpu::{GpuOptions, GpuRenderer};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, width, height, file] = arguments.as_slice() else {
        return Err("usage: gpu_picture space|quarry|crowd WIDTH HEIGHT FILE.ppm".into());
    };
    let scene = match name.as_str() {
        "space" => scenes::space(),
        "quarry" => scenes::quarry(),
        _ => scenes::crowd(2000),
    };
    let size = [width.parse()?, height.parse()?];
    let mut renderer = GpuRenderer::offscreen(GpuOptions { sky_side: 256, has_occlusion: std::env::var("NO_AO").is_err(), shader_folder: std::env::var("SHADERS").ok().map(Into::into), ..GpuOptions::default() })?;
    println!("{}", renderer.device_name());
    for _ in 0..3 {
        let start = std::time::Instant::now();
        renderer.draw(&scene.picture(size), &scene.content, &scenes::NoBulk)?;
        renderer.read_pixels()?;
        println!("{:?}", start.elapsed());
    }
    let pixels = renderer.read_pixels()?;
    for report in renderer.take_reports() {
        println!("{report}");
    }
    for time in renderer.pass_times() {
        println!("{:12} {:8.3} ms", time.name, time.milliseconds);
    }
    let mut bytes = format!("P6\n{} {}\n255\n", size[0], size[1]).into_bytes();
    bytes.extend(pixels.bytes.chunks_exact(4).flat_map(|pixel| &pixel[..3]));
    std::fs::write(file, bytes)?;
    Ok(())
}
