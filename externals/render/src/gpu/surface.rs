//! The surface of a window: configured at most once per picture, and every answer of the system is an ordinary case.

use crate::gpu::bindings::{BindLayouts, Bound, group};
use crate::gpu::device::Device;
use crate::gpu::pipelines::Factory;
use crate::renderer::RenderError;

/// What became of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presented {
    /// The window shows it.
    Shown,
    /// It was left out: the window is hidden or has no size, or the system asked to try again. The next one may be shown.
    Skipped,
    /// There is no window.
    OffScreen,
}

/// The surface of a window.
pub struct WindowSurface {
    surface: wgpu::Surface<'static>,
    again: Box<dyn Fn() -> wgpu::SurfaceTarget<'static> + Send>,
    configured: Option<wgpu::SurfaceConfiguration>,
    copy: Option<(wgpu::TextureFormat, wgpu::RenderPipeline)>,
    /// Whether the surface must be configured although its size is right.
    is_outdated: bool,
}

/// With what pictures are copied to a window.
pub struct PresentWork<'a> {
    /// The device.
    pub device: &'a Device,
    /// The layouts.
    pub layouts: &'a BindLayouts,
    /// The sampler of images.
    pub sampler: &'a wgpu::Sampler,
    /// The size of the picture, as shaders read it.
    pub screen: &'a wgpu::Buffer,
    /// The picture.
    pub picture: &'a wgpu::TextureView,
    /// Its size.
    pub size: [u32; 2],
    /// Whether to wait for the screen.
    pub waits: bool,
}

impl WindowSurface {
    /// The surface of a window, which must be able to give its handle again.
    pub fn new<W>(instance: &wgpu::Instance, window: W) -> Result<WindowSurface, RenderError>
    where
        W: Into<wgpu::SurfaceTarget<'static>> + Clone + Send + 'static,
    {
        let again = Box::new(move || window.clone().into());
        let surface = instance
            .create_surface(again())
            .map_err(|error| RenderError::NoDevice { why: format!("the window has no surface: {error}") })?;
        Ok(WindowSurface { surface, again, configured: None, copy: None, is_outdated: false })
    }

    /// The surface.
    pub fn get(&self) -> &wgpu::Surface<'static> {
        &self.surface
    }

    /// Forgets what belongs to a device that was lost.
    pub fn forget_device(&mut self) {
        (self.configured, self.copy) = (None, None);
    }

    /// Copies a picture to the window, and shows it.
    pub fn present(&mut self, instance: &wgpu::Instance, work: &PresentWork<'_>) -> Presented {
        if work.size.contains(&0) || !self.configure(work) {
            return Presented::Skipped;
        }
        use wgpu::CurrentSurfaceTexture as Current;
        let texture = match self.surface.get_current_texture() {
            Current::Success(texture) => texture,
            Current::Suboptimal(texture) => {
                self.is_outdated = true;
                texture
            }
            Current::Timeout | Current::Occluded => return Presented::Skipped,
            Current::Outdated | Current::Validation => {
                self.is_outdated = true;
                return Presented::Skipped;
            }
            Current::Lost => {
                if let Ok(surface) = instance.create_surface((self.again)()) {
                    self.surface = surface;
                }
                self.configured = None;
                return Presented::Skipped;
            }
        };
        self.copy(work, texture)
    }

    /// Configures the surface if the size of the picture is another one, or the system asked for it. False if it cannot be.
    fn configure(&mut self, work: &PresentWork<'_>) -> bool {
        let [width, height] = work.size;
        let present_mode = if work.waits { wgpu::PresentMode::AutoVsync } else { wgpu::PresentMode::AutoNoVsync };
        let is_right = |config: &wgpu::SurfaceConfiguration| {
            (config.width, config.height) == (width, height) && config.present_mode == present_mode
        };
        if !self.is_outdated && self.configured.as_ref().is_some_and(is_right) {
            return true;
        }
        let Some(mut config) = self.surface.get_default_config(&work.device.adapter, width, height) else {
            return false;
        };
        let formats = self.surface.get_capabilities(&work.device.adapter).formats;
        let plain = formats
            .iter()
            .find(|format| matches!(format, wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Rgba8Unorm));
        config.format = plain.copied().unwrap_or(config.format);
        config.present_mode = present_mode;
        self.surface.configure(&work.device.device, &config);
        self.configured = Some(config);
        self.is_outdated = false;
        true
    }

    fn copy(&mut self, work: &PresentWork<'_>, texture: wgpu::SurfaceTexture) -> Presented {
        let device = &work.device.device;
        let format = texture.texture.format();
        if self.copy.as_ref().is_none_or(|(made_for, _)| *made_for != format) {
            let factory = Factory { device, layouts: work.layouts, cache: None, folder: None };
            self.copy = Some((format, factory.copy(format)));
        }
        let Some((_, pipeline)) = &self.copy else { return Presented::Skipped };
        let view = texture.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let screen = group(device, &work.layouts.screen, &[Bound::Buffer(work.screen)]);
        let image = group(device, &work.layouts.image, &[Bound::View(work.picture), Bound::Sampler(work.sampler)]);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("present") });
        let attachment = wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
        };
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("present"),
                color_attachments: &[Some(attachment)],
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &screen, &[]);
            pass.set_bind_group(1, &image, &[]);
            pass.draw(0..3, 0..1);
        }
        work.device.queue.submit([encoder.finish()]);
        work.device.queue.present(texture);
        Presented::Shown
    }
}
