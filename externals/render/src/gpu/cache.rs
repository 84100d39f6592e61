//! The cache of compiled pipelines on disk, where the driver has one.
#![allow(unsafe_code, reason = "the driver must trust the bytes of its cache")]

use std::path::{Path, PathBuf};

use crate::gpu::device::Device;

/// What the driver compiled, and the file it is kept in.
pub struct CompiledCache {
    /// The cache.
    pub cache: wgpu::PipelineCache,
    file: PathBuf,
}

impl CompiledCache {
    /// Reads the cache of this device from a folder. None if the driver has no cache.
    pub fn open(device: &Device, folder: &Path) -> Option<CompiledCache> {
        let key = wgpu::util::pipeline_cache_key(&device.adapter.get_info())?;
        if !device.device.features().contains(wgpu::Features::PIPELINE_CACHE) {
            return None;
        }
        let file = folder.join(key);
        let bytes = std::fs::read(&file).ok();
        let description =
            wgpu::PipelineCacheDescriptor { label: Some("astrarium"), data: bytes.as_deref(), fallback: true };
        // SAFETY: the file is only written by `save` below, with what this function's cache gave; its name is the key of the
        // device, and wgpu compares the header of the bytes with device and driver.
        let cache = unsafe { device.device.create_pipeline_cache(&description) };
        Some(CompiledCache { cache, file })
    }

    /// Writes the cache. A folder that cannot be written costs only time at the next start.
    pub fn save(&self) {
        let Some(bytes) = self.cache.get_data() else { return };
        let part = self.file.with_extension("part");
        let is_written = self.file.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok())
            && std::fs::write(&part, bytes).is_ok();
        if is_written && std::fs::rename(&part, &self.file).is_err() {
            // The old file stays, and so may the part: it is overwritten the next time.
        }
    }
}
