//! Our scene of many things, drawn by Bevy without a window and measured as our example `gpu_speed` measures ours.
//!
//! `peers-bevy --instances 10000 --json`
//! Options: `--instances N`, `--width W`, `--height H`, `--pictures N`, `--still`, `--cascades N`, `--shadow-side N`, `--in-turn` (the
//! main world and the render world one after the other, instead of pipelined rendering), `--no-cpu-culling` (culling on the
//! graphics processor alone), `--picture FILE.png`, `--json`.
//!
//! Places, meshes, colours, camera and sun are read from our own scene, so both draw the same. Bevy has no levels of detail that
//! follow the error in pixels, so each thing gets for good the level that ours chooses for the camera.

mod crowd;
mod report;

use std::error::Error;
use std::time::Instant;

use bevy::app::PluginsState;
use bevy::diagnostic::DiagnosticsStore;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::diagnostic::RenderDiagnosticsPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::PollType;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};
use bevy::window::ExitCondition;

use report::Measured;

/// What is measured, and how.
#[derive(Clone, Resource)]
struct Wanted {
    instances: u32,
    size: [u32; 2],
    pictures: u32,
    is_still: bool,
    cascades: usize,
    shadow_side: usize,
    is_in_turn: bool,
    has_cpu_culling: bool,
    file: Option<String>,
    is_json: bool,
}

/// Pictures that are drawn before anything is measured.
const WARM_UP: u32 = 20;
/// After so many pictures the graphics processor is waited for, so that no more are under way. Ours waits for the one before the last.
const UNDER_WAY: u32 = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted = wanted()?;
    let mut app = App::new();
    let windows = WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() };
    let renderer = RenderPlugin { synchronous_pipeline_compilation: true, ..default() };
    let log = LogPlugin { filter: String::from("error"), ..default() };
    let mut plugins = DefaultPlugins.set(windows).set(renderer).set(log);
    if wanted.is_in_turn {
        plugins = plugins.disable::<PipelinedRenderingPlugin>();
    }
    let start = Instant::now();
    app.add_plugins((plugins, RenderDiagnosticsPlugin)).insert_resource(wanted.clone());
    crowd::add_to(&mut app, &wanted);
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    let device = app.world().resource::<RenderDevice>().clone();
    let mut measured = Measured::default();
    measured.start_ms = milliseconds(start);
    let wait = || device.poll(PollType::wait_indefinitely());
    let mut clock = Instant::now();
    for picture in 0..wanted.pictures + WARM_UP {
        if picture == WARM_UP {
            wait()?;
            clock = Instant::now();
        }
        let begun = Instant::now();
        app.update();
        let update = milliseconds(begun);
        let waited = Instant::now();
        if wanted.is_in_turn || picture % UNDER_WAY == 0 {
            wait()?;
        }
        if picture < WARM_UP {
            continue;
        }
        measured.updates.push(update);
        measured.waits.push(milliseconds(waited));
        measured.note(app.world().resource::<DiagnosticsStore>());
    }
    wait()?;
    measured.picture_ms = milliseconds(clock) / wanted.pictures.max(1) as f32;
    measured.triangles = crowd::triangles(app.world_mut());
    let name = app.world().get_resource::<RenderAdapterInfo>().map_or_else(String::new, |info| info.0.name.clone());
    if wanted.file.is_some() {
        crowd::keep_picture(&mut app, &|| drop(wait()));
    }
    measured.print(&wanted, &name);
    // The threads of Bevy do not always end with the app.
    std::process::exit(0)
}

fn wanted() -> Result<Wanted, Box<dyn Error>> {
    let mut wanted = Wanted {
        instances: 10_000,
        size: [1920, 1080],
        pictures: 200,
        is_still: false,
        cascades: 4,
        shadow_side: 2048,
        is_in_turn: false,
        has_cpu_culling: true,
        file: None,
        is_json: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
        match name.as_str() {
            "--instances" => wanted.instances = value()?.parse()?,
            "--width" => wanted.size[0] = value()?.parse()?,
            "--height" => wanted.size[1] = value()?.parse()?,
            "--pictures" => wanted.pictures = value()?.parse()?,
            "--still" => wanted.is_still = true,
            "--cascades" => wanted.cascades = value()?.parse()?,
            "--shadow-side" => wanted.shadow_side = value()?.parse()?,
            "--in-turn" => wanted.is_in_turn = true,
            "--no-cpu-culling" => wanted.has_cpu_culling = false,
            "--picture" => wanted.file = Some(value()?),
            "--json" => wanted.is_json = true,
            _ => return Err(format!("unknown option {name}").into()),
        }
    }
    Ok(wanted)
}

fn milliseconds(since: Instant) -> f32 {
    since.elapsed().as_secs_f32() * 1000.0
}
