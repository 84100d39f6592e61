//! The device: how one is chosen, and how its loss is noticed.

use std::sync::{Arc, Mutex};

use crate::gpu::options::GpuOptions;
use crate::renderer::RenderError;

/// A graphics device and its queue.
pub struct Device {
    /// The adapter it was made from.
    pub adapter: wgpu::Adapter,
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// Whether passes can be timed.
    pub has_timestamps: bool,
    lost: Arc<Mutex<Option<String>>>,
    errors: Arc<Mutex<Vec<String>>>,
}

/// The storage buffers that the light of surfaces reads.
const STORAGE_BUFFERS: u32 = 10;
/// The errors that are kept until they are taken.
const ERRORS_MAX: usize = 16;

/// The entry to the drivers of this machine. Loading them takes some milliseconds.
pub fn instance() -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env())
}

impl Device {
    /// The fastest device that can draw on the surface, if one is given.
    pub fn open(
        instance: &wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
        options: &GpuOptions,
    ) -> Result<Device, RenderError> {
        let wanted = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..wgpu::RequestAdapterOptions::default()
        };
        let no_device = |why: String| RenderError::NoDevice { why };
        let adapter =
            pollster::block_on(instance.request_adapter(&wanted)).map_err(|error| no_device(error.to_string()))?;
        let found = adapter.get_info();
        if found.device_type == wgpu::DeviceType::Cpu && !options.accepts_processor {
            return Err(no_device(format!("{} is the processor itself", found.name)));
        }
        let required = wgpu::Features::INDIRECT_FIRST_INSTANCE | wgpu::Features::PRIMITIVE_INDEX;
        let useful = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::PIPELINE_CACHE;
        let features = required | (useful & adapter.features());
        let limits = wgpu::Limits {
            max_buffer_size: adapter.limits().max_buffer_size,
            max_storage_buffer_binding_size: adapter.limits().max_storage_buffer_binding_size,
            max_storage_buffers_per_shader_stage: STORAGE_BUFFERS,
            max_texture_array_layers: adapter.limits().max_texture_array_layers,
            ..wgpu::Limits::default()
        };
        let description = wgpu::DeviceDescriptor {
            label: Some("astrarium"),
            required_features: features,
            required_limits: limits,
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&description))
            .map_err(|error| no_device(format!("{}: {error}", found.name)))?;
        let has_timestamps = features.contains(wgpu::Features::TIMESTAMP_QUERY);
        let opened = Device { adapter, device, queue, has_timestamps, lost: Arc::default(), errors: Arc::default() };
        opened.listen();
        Ok(opened)
    }

    /// Whether it is the processor itself.
    pub fn is_processor(&self) -> bool {
        self.adapter.get_info().device_type == wgpu::DeviceType::Cpu
    }

    /// Why it was lost, if it was.
    pub fn lost(&self) -> Option<String> {
        self.lost.lock().map_or_else(|poisoned| poisoned.into_inner().clone(), |lost| lost.clone())
    }

    /// What the validation of commands found since the last call: bugs of ours or of the driver.
    pub fn take_errors(&self) -> Vec<String> {
        self.errors.lock().map_or_else(
            |poisoned| std::mem::take(&mut *poisoned.into_inner()),
            |mut errors| std::mem::take(&mut *errors),
        )
    }

    fn listen(&self) {
        let lost = Arc::clone(&self.lost);
        self.device.set_device_lost_callback(move |reason, message| {
            if let Ok(mut lost) = lost.lock() {
                lost.get_or_insert(format!("{reason:?} {message}"));
            }
        });
        let errors = Arc::clone(&self.errors);
        self.device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            if let Ok(mut errors) = errors.lock()
                && errors.len() < ERRORS_MAX
            {
                errors.push(error.to_string());
            }
        }));
    }
}
