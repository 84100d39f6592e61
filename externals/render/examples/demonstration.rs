//! Draws a demonstration scene with the software renderer: `demonstration [fleet|heap|still] [out.png] [threads] [count]
//! [pictures]`.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

use render::files::write_png;
use render::scenes::{NoBulk, fleet, heap, still_life};
use render::{Renderer, SoftwareRenderer};
use tags::Library;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let name = arguments.get(1).map_or("fleet", String::as_str);
    let path = arguments.get(2).map_or("demonstration.png", String::as_str);
    let threads = arguments.get(3).map_or(Ok(2), |text| text.parse())?;
    let count = arguments.get(4).map_or(Ok(4000), |text| text.parse())?;
    let pictures: u32 = arguments.get(5).map_or(Ok(3), |text| text.parse())?;
    let size = [1280, 720];
    let scene = match name {
        "heap" => heap(size, count),
        "still" => still_life(size),
        _ => fleet(size, count),
    };
    let mut renderer = SoftwareRenderer::new(threads);
    for _ in 0..pictures.max(1) {
        renderer.draw(&scene.picture(), &Library::new(), &NoBulk)?;
        let total: f32 = renderer.pass_times().iter().map(|pass| pass.milliseconds).sum();
        let passes: Vec<String> =
            renderer.pass_times().iter().map(|pass| format!("{} {:.1}", pass.name, pass.milliseconds)).collect();
        println!("{total:.1} ms: {}", passes.join(", "));
    }
    let pixels = renderer.read_pixels()?;
    println!("hash {:016x}", pixels.hash());
    write_png(BufWriter::new(File::create(path)?), &pixels)?;
    Ok(())
}
