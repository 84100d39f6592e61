//! The cache of compiled pipelines on disk, where the driver has one.
#![allow(unsafe_code, reason = "the driver must trust the bytes of its cache")]

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use base::hash::hash;

use crate::gpu::device::Device;

/// The longest cache that is read.
const CACHE_BYTES_MAX: u64 = 256 << 20;

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
        let bytes = read(&file);
        let data = bytes.as_deref().and_then(unsealed);
        let description = wgpu::PipelineCacheDescriptor { label: Some("astrarium"), data, fallback: true };
        // SAFETY: the file is only written by `save` below, with what this function's cache gave, and its checksum is compared;
        // its name is the key of the device, and wgpu compares the header of the bytes with device and driver.
        let cache = unsafe { device.device.create_pipeline_cache(&description) };
        Some(CompiledCache { cache, file })
    }

    /// Writes the cache. A folder that cannot be written costs only time at the next start.
    pub fn save(&self) {
        let Some(bytes) = self.cache.get_data() else { return };
        let part = self.file.with_extension("part");
        let is_written = self.file.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok())
            && std::fs::write(&part, sealed(bytes)).is_ok();
        if is_written && std::fs::rename(&part, &self.file).is_err() {
            // The old file stays, and so may the part: it is overwritten the next time.
        }
    }
}

/// The file, unless it is too long or cannot be read.
fn read(file: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(CACHE_BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= CACHE_BYTES_MAX).then_some(bytes)
}

/// The bytes behind their checksum. Drivers do not doubt what they once compiled.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = hash(&bytes).to_le_bytes();
    bytes.splice(0..0, checksum);
    bytes
}

/// What was sealed. None if it is damaged: it is compiled anew.
fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let (checksum, rest) = bytes.split_first_chunk()?;
    (hash(rest) == u64::from_le_bytes(*checksum)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_cache_is_not_given_to_the_driver() {
        let whole = sealed(b"compiled".to_vec());
        assert_eq!(unsealed(&whole), Some(&b"compiled"[..]));
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert_eq!(unsealed(&damaged), None, "byte {at}");
            assert_eq!(unsealed(&whole[..at]), None, "{at} bytes");
        }
    }
}
