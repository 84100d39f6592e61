//! Buffers that grow: a list of values that is written anew, or added to.

use base::Plain;
use base::plain::cast_slice;

/// A buffer that holds at least as much as was ever written to it, up to twice.
pub struct GrowingBuffer {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: wgpu::Buffer,
    /// Changes whenever the buffer is another one: bind groups must be made again.
    pub generation: u64,
}

impl GrowingBuffer {
    /// An empty one.
    pub fn new(device: &wgpu::Device, label: &'static str, usage: wgpu::BufferUsages) -> GrowingBuffer {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        GrowingBuffer { label, usage, buffer: create(device, label, usage, 256), generation: 0 }
    }

    /// The buffer.
    pub fn get(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Writes values from its start. What was there before is lost. False if they exceed what the device allows.
    pub fn write<T: Plain>(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, values: &[T]) -> bool {
        let bytes: &[u8] = cast_slice(values);
        if !self.reserve(device, bytes.len() as u64) {
            return false;
        }
        if !bytes.is_empty() {
            queue.write_buffer(&self.buffer, 0, bytes);
        }
        true
    }

    /// Makes room for so many bytes; what was there before may be lost.
    pub fn reserve(&mut self, device: &wgpu::Device, bytes: u64) -> bool {
        let limits = device.limits();
        let most = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
        if bytes > most {
            return false;
        }
        if bytes > self.buffer.size() {
            let size = bytes.next_power_of_two().min(most) / 4 * 4;
            self.buffer = create(device, self.label, self.usage, size.max(bytes));
            self.generation += 1;
        }
        true
    }

    /// Makes room for so many bytes, and keeps what was there.
    pub fn grow(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, bytes: u64) -> bool {
        let old = self.buffer.clone();
        let generation = self.generation;
        let has_room = self.reserve(device, bytes);
        if generation != self.generation {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(&old, 0, &self.buffer, 0, old.size());
            queue.submit([encoder.finish()]);
        }
        has_room
    }
}

fn create(device: &wgpu::Device, label: &str, usage: wgpu::BufferUsages, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
}
