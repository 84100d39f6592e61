//! What can be chosen about the renderer.

use std::path::PathBuf;

use view::Quality;

/// What can be chosen about the renderer for graphics processors.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuOptions {
    /// The number of shadow cascades, at most 4; 0: no shadows.
    pub cascades: u32,
    /// The side of the map of each cascade, in texels.
    pub shadow_side: u32,
    /// The distance beyond which no shadows are drawn, in metres.
    pub shadow_distance: f32,
    /// The side of a face of the sky's cube, in texels.
    pub sky_side: u32,
    /// Whether corners are darkened: ambient occlusion.
    pub has_occlusion: bool,
    /// Whether bright light spreads: bloom.
    pub has_bloom: bool,
    /// Whether edges are smoothed: SMAA.
    pub has_smoothing: bool,
    /// The error of a level of detail that may be seen, in pixels.
    pub error_pixels: f32,
    /// Whether a window waits for the screen before it shows the next picture.
    pub waits_for_screen: bool,
    /// Whether a device that is the processor itself, such as lavapipe, is good enough.
    pub accepts_processor: bool,
    /// A folder with shaders that replace the built-in ones of the same names. They are read again when they change.
    pub shader_folder: Option<PathBuf>,
    /// A folder in which compiled pipelines are kept, where the driver can do that.
    pub cache_folder: Option<PathBuf>,
}

impl Default for GpuOptions {
    fn default() -> GpuOptions {
        GpuOptions {
            cascades: 4,
            shadow_side: 2048,
            shadow_distance: 2000.0,
            sky_side: 512,
            has_occlusion: true,
            has_bloom: true,
            has_smoothing: true,
            error_pixels: 0.75,
            waits_for_screen: true,
            accepts_processor: true,
            shader_folder: None,
            cache_folder: None,
        }
    }
}

impl GpuOptions {
    /// Small maps and a small sky: for pictures that a processor draws in tests.
    pub fn small() -> GpuOptions {
        GpuOptions { cascades: 3, shadow_side: 512, sky_side: 96, ..GpuOptions::default() }
    }

    /// What these options are at a quality: `High` leaves them as they are.
    #[must_use]
    pub fn at(&self, quality: Quality) -> GpuOptions {
        let options = self.clone();
        match quality {
            Quality::Low => GpuOptions {
                cascades: self.cascades.min(2),
                shadow_side: self.shadow_side / 4,
                has_occlusion: false,
                has_bloom: false,
                has_smoothing: false,
                error_pixels: self.error_pixels * 3.0,
                ..options
            },
            Quality::Medium => GpuOptions {
                cascades: self.cascades.min(3),
                shadow_side: self.shadow_side / 2,
                has_occlusion: false,
                error_pixels: self.error_pixels * 1.5,
                ..options
            },
            Quality::High => options,
            Quality::Ultra => {
                GpuOptions { shadow_side: self.shadow_side * 2, error_pixels: self.error_pixels * 0.5, ..options }
            }
        }
        .sound()
    }

    /// Whether a device that was opened for these options serves others too.
    pub(super) fn shares_device(&self, other: &GpuOptions) -> bool {
        let own = |options: &GpuOptions| {
            (options.accepts_processor, options.shader_folder.clone(), options.cache_folder.clone())
        };
        own(self) == own(other)
    }

    /// With every number within its range.
    #[must_use]
    pub(super) fn sound(mut self) -> GpuOptions {
        let sound = |value: f32, otherwise: f32| if value.is_finite() && value > 0.0 { value } else { otherwise };
        self.cascades = self.cascades.min(super::blocks::CASCADES_MAX as u32);
        self.shadow_side = self.shadow_side.clamp(64, 8192);
        self.sky_side = self.sky_side.clamp(16, 2048);
        self.shadow_distance = sound(self.shadow_distance, 2000.0);
        self.error_pixels = sound(self.error_pixels, 0.75);
        self
    }
}
