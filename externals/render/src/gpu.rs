//! The renderer for graphics processors, by wgpu.
//!
//! Culling, levels of detail and the prediction of places are done on the graphics processor; the processor only uploads
//! instances when they change. [`passes`] is the page of all passes. Everything that covers the whole picture is computed
//! rather than drawn, which is many times faster where few units can draw.
//!
//! Laws
//! 1. Nothing lives only on the device: a lost one is replaced with the next picture, and everything made again.
//! 2. All pipelines are made before the first picture; a changed shader replaces its pipelines only if it is valid.
//! 3. At most two pictures are under way.
//! 4. A window is configured at most once per picture; no answer of the system is waited for in a loop.

mod blocks;
mod options;
mod shaders;

mod device;

mod bindings;
mod buffer;
mod reading;
mod timing;

mod cache;
mod camera;
mod geometry;
mod lamps;
mod mips;
mod pipelines;
mod poses;
mod targets;
mod textures;

mod canvas;
mod materials;
mod overlay;
mod sky;
mod surface;

mod scene;

mod effects;

mod finish;

mod viewing;

mod passes;
mod stage;

#[cfg(test)]
mod tests;

use tags::Library;
use view::{BulkSource, Picture, PictureSettings};

pub use options::GpuOptions;
pub use reading::DrawnCount;
pub use surface::Presented;

use crate::renderer::{PassTime, Pixels, RenderError, Renderer, check_size};
use crate::reports::Reports;
use crate::resources::Resources;
use crate::text::Text;
use device::Device;
use overlay::OverlayImages;
use stage::{Stage, StageInput};
use surface::{PresentWork, WindowSurface};

/// Draws pictures on a graphics processor, for a window or for none.
pub struct GpuRenderer {
    instance: wgpu::Instance,
    surface: Option<WindowSurface>,
    options: GpuOptions,
    /// The options at the quality that the player prefers.
    in_force: GpuOptions,
    settings: PictureSettings,
    stage: Option<Stage>,
    resources: Resources,
    text: Text,
    images: OverlayImages,
    reports: Vec<String>,
    general: Reports,
    presented: Presented,
    device_name: String,
}

impl GpuRenderer {
    /// A renderer without a window: pictures are read back.
    pub fn offscreen(options: GpuOptions) -> Result<GpuRenderer, RenderError> {
        GpuRenderer::new(device::instance(), None, options)
    }

    /// A renderer for a window. The window is kept, so that its surface can be made again when the system has dropped it. The
    /// size of each picture must be that of the window at that moment.
    pub fn for_window<W>(window: W, options: GpuOptions) -> Result<GpuRenderer, RenderError>
    where
        W: Into<wgpu::SurfaceTarget<'static>> + Clone + Send + 'static,
    {
        let instance = device::instance();
        let surface = WindowSurface::new(&instance, window)?;
        GpuRenderer::new(instance, Some(surface), options)
    }

    fn new(
        instance: wgpu::Instance,
        surface: Option<WindowSurface>,
        options: GpuOptions,
    ) -> Result<GpuRenderer, RenderError> {
        let options = options.sound();
        let device = Device::open(&instance, surface.as_ref().map(WindowSurface::get), &options)?;
        let found = device.adapter.get_info();
        let stage = Stage::new(device, &options)?;
        Ok(GpuRenderer {
            instance,
            surface,
            in_force: options.clone(),
            options,
            settings: PictureSettings::default(),
            stage: Some(stage),
            resources: Resources::new(textures::SIDE_MAX),
            text: Text::new(),
            images: OverlayImages::default(),
            reports: Vec::new(),
            general: Reports::default(),
            presented: Presented::OffScreen,
            device_name: format!("{} ({:?}, {})", found.name, found.backend, found.driver_info),
        })
    }

    /// The name of the device and its driver.
    pub fn device_name(&self) -> &str {
        &self.device_name
    }

    /// What became of the last picture.
    pub fn presented(&self) -> Presented {
        self.presented
    }

    /// The time to prepare and encode the last picture, in milliseconds: without its submission, in which some drivers draw.
    pub fn processor_ms(&self) -> f32 {
        self.stage.as_ref().map_or(0.0, Stage::processor_ms)
    }

    /// Waits until the last picture is drawn; for measurements.
    pub fn wait(&self) {
        if let Some(stage) = &self.stage {
            stage.wait();
        }
    }

    /// What was drawn for the last view of the last picture: for the camera, then for each cascade. Waits for the picture; for
    /// measurements.
    pub fn read_counts(&mut self) -> Result<Vec<DrawnCount>, RenderError> {
        self.stage.as_ref().ok_or(RenderError::NoPicture)?.read_counts()
    }

    /// The options. What is drawn follows them at the quality that the player prefers.
    pub fn options(&self) -> &GpuOptions {
        &self.options
    }

    /// Changes the options. What they concern is made again with the next picture; the device only if another one may be chosen.
    pub fn set_options(&mut self, options: GpuOptions) {
        let options = options.sound();
        if !options.shares_device(&self.options) {
            self.drop_stage();
        }
        self.options = options;
        self.in_force = self.options.at(self.settings.quality);
    }

    /// Loses the device, as a driver may at any time.
    #[cfg(test)]
    fn lose_device(&self) {
        if let Some(stage) = &self.stage {
            stage.device.device.destroy();
            let _ = stage.device.device.poll(wgpu::PollType::Poll);
        }
    }

    fn drop_stage(&mut self) {
        self.stage = None;
        if let Some(surface) = &mut self.surface {
            surface.forget_device();
        }
    }

    /// The stage, made again if its device was lost.
    fn sound_stage(&mut self) -> Result<(), RenderError> {
        if let Some(why) = self.stage.as_ref().and_then(|stage| stage.device.lost()) {
            self.reports.push(format!("the graphics device was lost ({why}) and is opened again"));
            self.drop_stage();
        }
        if self.stage.is_none() {
            let device = Device::open(&self.instance, self.surface.as_ref().map(WindowSurface::get), &self.options)?;
            self.stage = Some(Stage::new(device, &self.options)?);
        }
        Ok(())
    }
}

impl Renderer for GpuRenderer {
    fn draw(&mut self, picture: &Picture<'_>, content: &Library, bulk: &dyn BulkSource) -> Result<(), RenderError> {
        self.images.apply(picture.overlay);
        if self.surface.is_some() && picture.size.contains(&0) {
            self.images.free(picture.overlay);
            self.presented = Presented::Skipped;
            return Ok(());
        }
        check_size(picture.size)?;
        self.sound_stage()?;
        self.resources.begin_picture();
        self.text.update(content, bulk);
        let stage = self.stage.as_mut().expect("made above");
        let mut input = StageInput {
            picture,
            content,
            bulk,
            resources: &mut self.resources,
            text: &mut self.text,
            images: &self.images,
            options: &self.in_force,
            settings: self.settings,
        };
        for report in stage.draw(&mut input) {
            self.general.general(&report, || report.clone());
        }
        self.images.free(picture.overlay);
        if let (Some(surface), Some(output)) = (&mut self.surface, stage.output()) {
            let work = PresentWork {
                device: &stage.device,
                layouts: &stage.layouts,
                sampler: &stage.samplers.linear,
                screen: &stage.screen,
                picture: &output.view,
                size: output.size,
                waits: self.in_force.waits_for_screen,
            };
            self.presented = surface.present(&self.instance, &work);
        }
        match stage.device.lost() {
            Some(why) => Err(RenderError::DeviceLost { why }),
            None => Ok(()),
        }
    }

    fn set_settings(&mut self, settings: PictureSettings) {
        self.settings = settings.sound();
        self.in_force = self.options.at(self.settings.quality);
    }

    fn read_pixels(&mut self) -> Result<Pixels, RenderError> {
        self.stage.as_ref().ok_or(RenderError::NoPicture)?.read_pixels()
    }

    fn pass_times(&self) -> &[PassTime] {
        self.stage.as_ref().map_or(&[], |stage| stage.timing.times())
    }

    fn loading(&self) -> usize {
        self.resources.loading()
    }

    fn take_reports(&mut self) -> Vec<String> {
        let mut reports = std::mem::take(&mut self.reports);
        reports.extend(self.general.take());
        reports.extend(self.resources.take_reports());
        reports.extend(self.text.take_reports());
        reports
    }

    fn text(&mut self) -> &mut Text {
        &mut self.text
    }
}
