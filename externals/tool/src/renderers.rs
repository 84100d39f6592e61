//! The renderers of pictures without a window.

#[cfg(feature = "window")]
use std::path::Path;

#[cfg(feature = "window")]
use astrarium::content::FOLDER;
#[cfg(feature = "window")]
use render::gpu::{GpuOptions, GpuRenderer};
use render::software::SoftwareRenderer;
use render::{RenderError, Renderer};

use crate::showing::{RendererChoice, Showing};

/// The threads of the software renderer.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().min(16))
}

/// The renderer that was chosen. `Auto` is the software renderer, so that pictures are the same on every machine.
pub fn open(showing: &Showing) -> Result<Box<dyn Renderer>, RenderError> {
    match showing.renderer {
        RendererChoice::Auto | RendererChoice::Software => Ok(Box::new(SoftwareRenderer::new(threads()))),
        RendererChoice::Gpu => open_gpu(showing),
    }
}

/// How a graphics processor draws. What its driver compiles is kept for the next start.
#[cfg(feature = "window")]
pub fn gpu_options(showing: &Showing) -> GpuOptions {
    let cache_folder = Some(Path::new(FOLDER).join("compiled"));
    GpuOptions { shader_folder: showing.shaders.clone(), cache_folder, ..GpuOptions::default() }
}

#[cfg(not(feature = "window"))]
fn open_gpu(_: &Showing) -> Result<Box<dyn Renderer>, RenderError> {
    Err(RenderError::NoDevice { why: String::from("this program was built without graphics processors") })
}

#[cfg(feature = "window")]
fn open_gpu(showing: &Showing) -> Result<Box<dyn Renderer>, RenderError> {
    Ok(Box::new(GpuRenderer::offscreen(gpu_options(showing))?))
}
