//! How long each pass takes: a pair of timestamps around it, read back some pictures later without waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::renderer::PassTime;

/// The most passes that are timed.
const PASSES_MAX: u32 = 64;
/// Pictures whose times are under way.
const SLOTS: usize = 3;

/// Times passes.
pub struct Timing {
    queries: Option<wgpu::QuerySet>,
    resolved: wgpu::Buffer,
    slots: Vec<TimingSlot>,
    names: Vec<&'static str>,
    nanoseconds_per_tick: f32,
    times: Vec<PassTime>,
}

struct TimingSlot {
    buffer: wgpu::Buffer,
    names: Vec<&'static str>,
    state: SlotState,
    is_mapped: Arc<AtomicBool>,
}

#[derive(PartialEq)]
enum SlotState {
    Free,
    Written,
    Mapping,
}

impl Timing {
    /// For a device; without timestamps, no time is ever given.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, has_timestamps: bool) -> Timing {
        let bytes = u64::from(PASSES_MAX) * 16;
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("times"),
                size: bytes,
                usage,
                mapped_at_creation: false,
            })
        };
        let slot = || TimingSlot {
            buffer: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            names: Vec::new(),
            state: SlotState::Free,
            is_mapped: Arc::default(),
        };
        let queries = has_timestamps.then(|| {
            device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("times"),
                ty: wgpu::QueryType::Timestamp,
                count: PASSES_MAX * 2,
            })
        });
        Timing {
            queries,
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            slots: (0..SLOTS).map(|_| slot()).collect(),
            names: Vec::new(),
            nanoseconds_per_tick: queue.get_timestamp_period(),
            times: Vec::new(),
        }
    }

    /// The times of a recent picture.
    pub fn times(&self) -> &[PassTime] {
        &self.times
    }

    /// The timestamps of a pass that draws.
    pub fn render(&mut self, name: &'static str) -> Option<wgpu::RenderPassTimestampWrites<'_>> {
        let at = self.enter(name)?;
        self.queries.as_ref().map(|query_set| wgpu::RenderPassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(at),
            end_of_pass_write_index: Some(at + 1),
        })
    }

    /// The timestamps of a pass that computes.
    pub fn compute(&mut self, name: &'static str) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let at = self.enter(name)?;
        self.queries.as_ref().map(|query_set| wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(at),
            end_of_pass_write_index: Some(at + 1),
        })
    }

    fn enter(&mut self, name: &'static str) -> Option<u32> {
        let at = self.names.len() as u32;
        (self.queries.is_some() && at < PASSES_MAX).then(|| {
            self.names.push(name);
            at * 2
        })
    }

    /// Ends a picture: its timestamps are copied where they can be read.
    pub fn resolve(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let names = std::mem::take(&mut self.names);
        let Some(queries) = &self.queries else { return };
        let Some(slot) = self.slots.iter_mut().find(|slot| slot.state == SlotState::Free) else { return };
        let count = names.len() as u32 * 2;
        if count == 0 {
            return;
        }
        encoder.resolve_query_set(queries, 0..count, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &slot.buffer, 0, u64::from(count) * 8);
        slot.names = names;
        slot.state = SlotState::Written;
    }

    /// After the picture was submitted: asks for what was written, and takes what has arrived.
    pub fn collect(&mut self) {
        for slot in &mut self.slots {
            match slot.state {
                SlotState::Free => {}
                SlotState::Written => {
                    let is_mapped = Arc::clone(&slot.is_mapped);
                    slot.state = SlotState::Mapping;
                    slot.buffer.map_async(wgpu::MapMode::Read, .., move |result| {
                        is_mapped.store(result.is_ok(), Ordering::Release);
                    });
                }
                SlotState::Mapping if slot.is_mapped.swap(false, Ordering::AcqRel) => {
                    if let Ok(view) = slot.buffer.get_mapped_range(..) {
                        self.times = read_times(&view, &slot.names, self.nanoseconds_per_tick);
                    }
                    slot.buffer.unmap();
                    slot.state = SlotState::Free;
                }
                SlotState::Mapping => {}
            }
        }
    }
}

/// Passes of one name are added up.
fn read_times(bytes: &[u8], names: &[&'static str], nanoseconds_per_tick: f32) -> Vec<PassTime> {
    let tick = |index: usize| {
        bytes.get(index * 8..index * 8 + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
    };
    let mut times: Vec<PassTime> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let ticks = tick(index * 2 + 1).saturating_sub(tick(index * 2));
        let milliseconds = ticks as f32 * nanoseconds_per_tick * 1e-6;
        match times.iter_mut().find(|time| time.name == *name) {
            Some(time) => time.milliseconds += milliseconds,
            None => times.push(PassTime { name, milliseconds }),
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_of_one_name_are_added_up() {
        let ticks: Vec<u8> = [10u64, 30, 30, 31, 40, 45].iter().flat_map(|tick| tick.to_le_bytes()).collect();
        let times = read_times(&ticks, &["a", "b", "a"], 1e6);
        assert_eq!(times, [PassTime { name: "a", milliseconds: 25.0 }, PassTime { name: "b", milliseconds: 1.0 },]);
        assert_eq!(read_times(&[], &["a"], 1.0), [PassTime { name: "a", milliseconds: 0.0 }]);
    }
}
