//! Measures the renderer for graphics processors without a window: the time of each pass, and of the processor.
//!
//! `cargo run --release -p astrarium-render --example gpu_speed -- --instances 10000 --json`
//! Options: `--instances N`, `--scene crowd|space|quarry|empty`, `--width W`, `--height H`, `--pictures N`, `--still` (nothing changes between pictures; otherwise
//! every instance moves with each), `--in-turn` (each picture is waited for, as `peers-bevy --in-turn` does), `--quality Q`, `--no-occlusion`, `--no-smoothing`, `--cascades N`, `--shadow-side N`, `--error-pixels E`, `--shaders FOLDER`, `--picture FILE.png`, `--json`.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use render::Renderer;
use render::files::write_png;
use render::gpu::{GpuOptions, GpuRenderer};
use render::scenes;
use view::{PictureSettings, Quality};

struct Wanted {
    scene: String,
    instances: u32,
    size: [u32; 2],
    pictures: u32,
    is_still: bool,
    is_in_turn: bool,
    file: Option<String>,
    is_json: bool,
    options: GpuOptions,
    settings: PictureSettings,
}

/// Pictures that are drawn before anything is measured.
const WARM_UP: u32 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted = wanted()?;
    let start = Instant::now();
    let mut renderer = GpuRenderer::offscreen(wanted.options.clone())?;
    let start_ms = milliseconds(start);
    let mut scene = match wanted.scene.as_str() {
        "space" => scenes::space(),
        "quarry" => scenes::quarry(),
        "empty" => scenes::Scene::with_tags(&[], base::Vec3::ZERO, base::Vec3::X, 1.0),
        _ => scenes::crowd(wanted.instances),
    };
    renderer.set_settings(wanted.settings);
    let mut processor = Vec::new();
    let mut waits = Vec::new();
    let mut passes: BTreeMap<&'static str, Vec<f32>> = BTreeMap::new();
    let mut order: Vec<&'static str> = Vec::new();
    let mut measured = Instant::now();
    for picture in 0..wanted.pictures + WARM_UP {
        if picture == WARM_UP {
            measured = Instant::now();
        }
        if !wanted.is_still {
            for instance in &mut scene.frame.instances {
                instance.position += instance.velocity * 0.001;
            }
        }
        scene.ahead = (picture % 10) as f32 * 0.001;
        let start = Instant::now();
        renderer.draw(&scene.picture_at(wanted.size), &scene.content, &scenes::NoBulk)?;
        let drawn_ms = milliseconds(start);
        let waited = Instant::now();
        if wanted.is_in_turn {
            renderer.wait();
        }
        if picture < WARM_UP {
            continue;
        }
        waits.push(milliseconds(waited));
        processor.push(drawn_ms);
        for time in renderer.pass_times() {
            if !order.contains(&time.name) {
                order.push(time.name);
            }
            passes.entry(time.name).or_default().push(time.milliseconds);
        }
    }
    let pixels = renderer.read_pixels()?;
    let picture_ms = milliseconds(measured) / wanted.pictures.max(1) as f32;
    let counts = renderer.read_counts()?;
    let (seen, triangles) = (
        counts.first().map_or(0, |count| count.instances),
        counts.iter().map(|count| count.triangles).collect::<Vec<_>>(),
    );
    for report in renderer.take_reports() {
        eprintln!("{report}");
    }
    if let Some(file) = &wanted.file {
        write_png(std::io::BufWriter::new(std::fs::File::create(file)?), &pixels)?;
    }
    let rows: Vec<(&str, f32)> =
        order.iter().map(|name| (*name, passes.get_mut(name).map_or(0.0, |times| median(times)))).collect();
    let gpu_ms: f32 = rows.iter().map(|(_, time)| time).sum();
    let (cpu_ms, wait_ms) = (median(&mut processor), median(&mut waits));
    if wanted.is_json {
        let list: Vec<String> = rows.iter().map(|(name, time)| format!("\"{name}\": {time:.4}")).collect();
        println!(
            "{{ \"device\": \"{}\", \"instances\": {}, \"seen\": {seen}, \"triangles\": {triangles:?}, \"size\": [{}, {}], \"start_ms\": {start_ms:.1}, \"picture_ms\": \
             {picture_ms:.3}, \"draw_call_ms\": {cpu_ms:.3}, \"encode_ms\": {:.3}, \"wait_ms\": {wait_ms:.3}, \"gpu_ms\": {gpu_ms:.3}, \"passes\": {{ {} }} }}",
            renderer.device_name(),
            scene.frame.instances.len(),
            wanted.size[0],
            wanted.size[1],
            renderer.processor_ms(),
            list.join(", ")
        );
    } else {
        println!(
            "{}\n{} instances, {seen} seen, triangles for the camera and the cascades: {triangles:?}, {} × {}",
            renderer.device_name(),
            scene.frame.instances.len(),
            wanted.size[0],
            wanted.size[1]
        );
        for (name, time) in rows {
            println!("{name:12} {time:9.4} ms");
        }
        println!(
            "graphics processor {gpu_ms:.3} ms, processor {:.3} ms to encode, draw() {cpu_ms:.3} ms, then waiting {wait_ms:.3} ms; {picture_ms:.3} ms per picture",
            renderer.processor_ms()
        );
    }
    Ok(())
}

fn wanted() -> Result<Wanted, Box<dyn Error>> {
    let mut wanted = Wanted {
        scene: String::new(),
        instances: 10_000,
        size: [1920, 1080],
        pictures: 200,
        is_still: false,
        is_in_turn: false,
        file: None,
        is_json: false,
        options: GpuOptions::default(),
        settings: PictureSettings::default(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
        match name.as_str() {
            "--scene" => wanted.scene = value()?,
            "--instances" => wanted.instances = value()?.parse()?,
            "--width" => wanted.size[0] = value()?.parse()?,
            "--height" => wanted.size[1] = value()?.parse()?,
            "--pictures" => wanted.pictures = value()?.parse()?,
            "--still" => wanted.is_still = true,
            "--in-turn" => wanted.is_in_turn = true,
            "--quality" => renderer_quality(&value()?, &mut wanted.settings)?,
            "--no-occlusion" => wanted.options.has_occlusion = false,
            "--no-smoothing" => wanted.options.has_smoothing = false,
            "--picture" => wanted.file = Some(value()?),
            "--cascades" => wanted.options.cascades = value()?.parse()?,
            "--shadow-side" => wanted.options.shadow_side = value()?.parse()?,
            "--error-pixels" => wanted.options.error_pixels = value()?.parse()?,
            "--shaders" => wanted.options.shader_folder = Some(value()?.into()),
            "--json" => wanted.is_json = true,
            _ => return Err(format!("unknown option {name}").into()),
        }
    }
    Ok(wanted)
}

fn renderer_quality(name: &str, settings: &mut PictureSettings) -> Result<(), Box<dyn Error>> {
    settings.quality = match name {
        "low" => Quality::Low,
        "medium" => Quality::Medium,
        "high" => Quality::High,
        "ultra" => Quality::Ultra,
        _ => return Err(format!("no quality {name}").into()),
    };
    Ok(())
}

fn milliseconds(since: Instant) -> f32 {
    since.elapsed().as_secs_f32() * 1000.0
}

fn median(times: &mut [f32]) -> f32 {
    times.sort_by(f32::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}
