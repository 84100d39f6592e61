//! Draws a scene on a graphics processor without a window: `gpu_picture space|quarry|crowd WIDTH HEIGHT FILE.png [SHADER FOLDER]`.

use render::Renderer;
use render::files::write_png;
use render::gpu::{GpuOptions, GpuRenderer};
use render::scenes;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, width, height, file, folder @ ..] = arguments.as_slice() else {
        return Err("usage: gpu_picture space|quarry|crowd WIDTH HEIGHT FILE.png [SHADER FOLDER]".into());
    };
    let scene = match name.as_str() {
        "space" => scenes::space(),
        "quarry" => scenes::quarry(),
        _ => scenes::crowd(2000),
    };
    let size = [width.parse()?, height.parse()?];
    let shader_folder = folder.first().map(Into::into);
    let mut renderer = GpuRenderer::offscreen(GpuOptions { shader_folder, ..GpuOptions::default() })?;
    println!("{}", renderer.device_name());
    // The times of a picture arrive with a later one.
    for _ in 0..3 {
        renderer.draw(&scene.picture_at(size), &scene.content, &scenes::NoBulk)?;
    }
    let pixels = renderer.read_pixels()?;
    for report in renderer.take_reports() {
        println!("{report}");
    }
    for time in renderer.pass_times() {
        println!("{:12} {:8.3} ms", time.name, time.milliseconds);
    }
    write_png(std::io::BufWriter::new(std::fs::File::create(file)?), &pixels)?;
    Ok(())
}
