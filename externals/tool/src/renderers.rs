//! The renderers of pictures without a window.

use render::software::SoftwareRenderer;
use render::{RenderError, Renderer};

use crate::showing::RendererChoice;

/// The threads of the software renderer.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().min(16))
}

/// The renderer that was chosen. `Auto` is the software renderer, so that pictures are the same on every machine.
pub fn open(choice: RendererChoice) -> Result<Box<dyn Renderer>, RenderError> {
    match choice {
        RendererChoice::Auto | RendererChoice::Software => Ok(Box::new(SoftwareRenderer::new(threads()))),
        RendererChoice::Gpu => open_gpu(),
    }
}

#[cfg(not(feature = "window"))]
fn open_gpu() -> Result<Box<dyn Renderer>, RenderError> {
    Err(RenderError::NoDevice { why: String::from("this program was built without graphics processors") })
}

#[cfg(feature = "window")]
fn open_gpu() -> Result<Box<dyn Renderer>, RenderError> {
    use render::gpu::{GpuOptions, GpuRenderer};

    Ok(Box::new(GpuRenderer::offscreen(GpuOptions::default())?))
}
