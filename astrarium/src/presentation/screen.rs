//! What a window is drawn with: a graphics processor, or the processor and a copy.

use host::window::{Painter, Window};
use render::gpu::{GpuOptions, GpuRenderer};
use render::software::SoftwareRenderer;
use render::{RenderError, Renderer};
use view::PictureSettings;

use super::{RendererWish, Tell};

/// What a window is drawn with.
pub enum Screen {
    /// A graphics processor draws into the window.
    Gpu(Box<GpuRenderer>),
    /// The processor draws, and the picture is copied into the window.
    Software {
        /// The renderer.
        renderer: Box<SoftwareRenderer>,
        /// Copies pictures.
        painter: Painter,
    },
}

impl Screen {
    /// Opens what is wished for, or the next best.
    pub fn open(
        window: &Window,
        (wish, gpu): (RendererWish, &GpuOptions),
        tell: Tell<'_>,
    ) -> Result<Screen, RenderError> {
        // A processor that pretends to be a graphics processor is slower than the software renderer.
        let options = GpuOptions { accepts_processor: wish == RendererWish::Gpu, ..gpu.clone() };
        if wish != RendererWish::Software {
            match GpuRenderer::for_window(window.clone(), options) {
                Ok(renderer) => return Ok(Screen::Gpu(Box::new(renderer))),
                Err(error) if wish == RendererWish::Gpu => return Err(error),
                Err(error) => tell(&format!("{error}; the processor draws")),
            }
        }
        let painter = Painter::new(window).map_err(|error| RenderError::NoDevice { why: error.to_string() })?;
        Ok(Screen::Software { renderer: Box::new(SoftwareRenderer::new(threads())), painter })
    }

    /// The renderer.
    pub fn renderer(&mut self) -> &mut dyn Renderer {
        match self {
            Screen::Gpu(renderer) => &mut **renderer,
            Screen::Software { renderer, .. } => &mut **renderer,
        }
    }

    /// What the player prefers about pictures.
    pub fn set_settings(&mut self, settings: PictureSettings) {
        self.renderer().set_settings(settings);
    }

    /// Whether pictures wait for the screen (vertical synchronisation).
    pub fn set_waiting(&mut self, waits_for_screen: bool) {
        if let Screen::Gpu(renderer) = self {
            let options = GpuOptions { waits_for_screen, ..renderer.options().clone() };
            renderer.set_options(options);
        }
    }

    /// Shows the picture that was drawn; a graphics processor has shown it already.
    pub fn show(&mut self) -> Result<(), RenderError> {
        match self {
            Screen::Gpu(_) => Ok(()),
            Screen::Software { renderer, painter } => {
                let pixels = renderer.read_pixels()?;
                let shown = painter.show(&pixels.bytes, pixels.size);
                shown.map_err(|error| RenderError::NoDevice { why: error.to_string() })
            }
        }
    }
}

/// The threads of the software renderer: one is left for the world.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().saturating_sub(1).clamp(1, 16))
}
