//! How textures and buffers are read back: copied, and waited for.

use crate::gpu::device::Device;
use crate::renderer::{Pixels, RenderError};

/// The longest time to wait for a picture.
pub const WAIT_MAX: std::time::Duration = std::time::Duration::from_secs(60);

/// What one list of visible things holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawnCount {
    /// The meshes that were drawn.
    pub instances: u64,
    /// Their triangles at the level of detail they were drawn with.
    pub triangles: u64,
}

/// The texels of a texture of four bytes each.
pub fn read_texture(device: &Device, texture: &wgpu::Texture) -> Result<Pixels, RenderError> {
    let (width, height) = (texture.width(), texture.height());
    let stride = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride), rows_per_image: Some(height) };
    let rows = read(device, u64::from(stride) * u64::from(height), |encoder, buffer| {
        let target = wgpu::TexelCopyBufferInfo { buffer, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
    })?;
    let mut bytes = Vec::with_capacity(width as usize * height as usize * 4);
    for row in rows.chunks_exact(stride as usize) {
        bytes.extend_from_slice(&row[..width as usize * 4]);
    }
    Ok(Pixels { size: [width, height], bytes })
}

/// The first bytes of a buffer.
pub fn read_buffer(device: &Device, buffer: &wgpu::Buffer, bytes: usize) -> Result<Vec<u8>, RenderError> {
    let size = (bytes as u64).min(buffer.size());
    read(device, size, |encoder, target| encoder.copy_buffer_to_buffer(buffer, 0, target, 0, size))
}

fn read(
    device: &Device,
    size: u64,
    copy: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
) -> Result<Vec<u8>, RenderError> {
    let raw = &device.device;
    let buffer = raw.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = raw.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("read back") });
    copy(&mut encoder, &buffer);
    device.queue.submit([encoder.finish()]);
    let (sender, receiver) = std::sync::mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        // The other end is gone only when waiting failed.
        let _ = sender.send(result);
    });
    let lost = |why: String| RenderError::DeviceLost { why };
    raw.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(WAIT_MAX) })
        .map_err(|error| lost(error.to_string()))?;
    receiver
        .try_recv()
        .map_err(|_| lost("the picture was not finished in time".to_string()))?
        .map_err(|error| lost(error.to_string()))?;
    let mapped = buffer.get_mapped_range(..).map_err(|error| lost(error.to_string()))?;
    Ok(mapped.to_vec())
}
