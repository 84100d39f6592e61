//! What the tests and examples of the mixer share: sounds made of numbers, frames, and measurements.
#![allow(dead_code, reason = "every test and example uses a part of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use base::{Quat, StringId, Vec3};
use sound::{HeardScene, Listener, Mixer, MixerSettings};
use tags::library::Ready;
use tags::{Bulk, Classes, Key, Library, TagPath};
use view::{BulkKind, BulkSource, Frame, PartState, RunningSound};

pub const RATE: f32 = 48_000.0;
pub const BLOCK: usize = 480;

/// A part: the digest of its container, and its number.
pub type Part = ([u8; 32], u32);

/// Bulk data in memory, which can be made to load slowly or to fail.
#[derive(Debug, Default)]
pub struct MemoryBulk {
    parts: BTreeMap<Part, Arc<[u8]>>,
    loading: Mutex<BTreeSet<u32>>,
    /// Parts are not there until they were asked for this many times.
    pub asks: Mutex<Option<BTreeMap<Part, u32>>>,
    pub requests: AtomicU64,
}

impl MemoryBulk {
    /// Makes the parts with these numbers load, or not any more.
    pub fn set_loading(&self, parts: &[u32]) {
        *self.loading.lock().expect("no thread panics while it holds it") = parts.iter().copied().collect();
    }
}

impl BulkSource for MemoryBulk {
    fn part(&self, bulk: &Bulk, part: u32, kind: BulkKind) -> PartState {
        assert_eq!(kind, BulkKind::Sound);
        self.requests.fetch_add(1, Ordering::Relaxed);
        if self.loading.lock().expect("no thread panics while it holds it").contains(&part) {
            return PartState::Loading;
        }
        if let Some(asks) = &mut *self.asks.lock().expect("no thread panics while it holds it") {
            let count = asks.entry((bulk.digest, part)).or_default();
            *count += 1;
            // Another number for every part.
            if *count <= 1 + (part * 7 + u32::from(bulk.digest[0])) % 5 {
                return PartState::Loading;
            }
        }
        self.parts.get(&(bulk.digest, part)).map_or(PartState::Failed, |bytes| PartState::Ready(Arc::clone(bytes)))
    }
}

/// A sound to be added to a studio.
#[derive(Clone, Debug)]
pub struct Recording {
    pub channels: usize,
    pub rate: u32,
    /// The interleaved samples of each permutation.
    pub takes: Vec<Vec<i16>>,
    pub repeat: Option<(u32, u32)>,
    pub part_frames: usize,
    /// Further lines of the tag.
    pub lines: String,
}

impl Recording {
    pub fn new(samples: Vec<i16>) -> Recording {
        Recording {
            channels: 1,
            rate: 48_000,
            takes: vec![samples],
            repeat: None,
            part_frames: 24_000,
            lines: String::new(),
        }
    }

    pub fn with(mut self, lines: &str) -> Recording {
        self.lines += lines;
        self.lines += "\n";
        self
    }
}

/// Content and its bulk data.
#[derive(Debug)]
pub struct Studio {
    pub content: Library,
    pub bulk: MemoryBulk,
    classes: Arc<Classes>,
    count: u8,
}

impl Studio {
    pub fn new() -> Studio {
        let classes = Arc::new(view::classes::add_to(Classes::new()));
        let content = Library::with_classes(Arc::clone(&classes));
        Studio { content, bulk: MemoryBulk::default(), classes, count: 0 }
    }

    /// Adds a tag by its text.
    pub fn tag(&mut self, path: &str, text: &str) -> StringId {
        let path = TagPath::new(path).expect("tests give valid paths");
        let made = self.classes.get(path.class()).expect("a media class").pack_text(text);
        assert!(made.reports.is_empty(), "{:?}", made.reports);
        self.count += 1;
        let id = path.id();
        let mut key = Key::default();
        key.0[0] = self.count;
        self.content.apply([Ready { path, key, packed: Arc::new(made.packed) }]);
        id
    }

    /// Cuts the last byte of all parts of the sound that was added last.
    pub fn cut(&mut self) {
        let last = [self.count; 32];
        for (_, bytes) in self.bulk.parts.iter_mut().filter(|((digest, _), _)| *digest == last) {
            *bytes = bytes[..bytes.len() - 1].into();
        }
    }

    /// Adds a sound of 16-bit samples.
    pub fn add(&mut self, path: &str, recording: &Recording) -> StringId {
        let digest = self.count + 1;
        let (mut permutations, mut parts) = (String::new(), 0);
        let mut frames_max = 0;
        for (number, take) in recording.takes.iter().enumerate() {
            let first = parts;
            for samples in take.chunks(recording.part_frames * recording.channels) {
                let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
                self.bulk.parts.insert(([digest; 32], parts), bytes.into());
                parts += 1;
            }
            let frames = take.len() / recording.channels;
            frames_max = frames_max.max(frames);
            let count = parts - first;
            let _ = write!(
                permutations,
                "{{ name \"take{number}\", first_part {first}, parts {count}, frames {frames} }}, "
            );
        }
        let (start, end) = recording.repeat.unwrap_or((0, 0));
        let text = format!(
            "@sound\n!set format \"pcm16\"\n!set sample_rate {}\n!set channels {}\n!set frames {frames_max}\n\
             !set part_frames {}\n!set loops {}\n!set loop_start {start}\n!set loop_end {end}\n\
             !set permutations [{}]\n!set data {{ file \"a.bulk\", bytes 7, hash \"{}\" }}\n{}",
            recording.rate,
            recording.channels,
            recording.part_frames,
            recording.repeat.is_some(),
            permutations.trim_end_matches(", "),
            format!("{digest:02x}").repeat(32),
            recording.lines,
        );
        self.tag(path, &text)
    }
}

/// A sine wave.
pub fn sine(frequency: f32, seconds: f32, amplitude: f32, rate: u32) -> Vec<i16> {
    let step = std::f64::consts::TAU * f64::from(frequency) / f64::from(rate);
    let frames = (seconds * rate as f32) as usize;
    (0..frames)
        .map(|frame| (base::number::double::sin(frame as f64 * step) * f64::from(amplitude) * 32_767.0) as i16)
        .collect()
}

pub const LISTENER: Listener = Listener { position: Vec3::ZERO, orientation: Quat::IDENTITY, velocity: Vec3::ZERO };

/// A sound without a place that began with the world.
pub fn running(id: u64, sound: StringId) -> RunningSound {
    RunningSound {
        id,
        sound,
        object: 0,
        position: None,
        velocity: Vec3::ZERO,
        started: 0.0,
        loops: false,
        seed: id,
        volume: 1.0,
        pitch: 1.0,
    }
}

/// A mixer with content and a frame, which are heard every 10 ms of world time.
#[derive(Debug)]
pub struct Stage {
    pub studio: Studio,
    pub mixer: Mixer,
    pub frame: Frame,
    pub listeners: Vec<Listener>,
    pub interface: Vec<RunningSound>,
    /// How much is in the way of every sound, if anything is.
    pub wall: Option<f32>,
}

/// The same wall everywhere.
struct Wall(f32);

impl sound::Occluder for Wall {
    fn occlusion(&self, _: &RunningSound, _: Vec3) -> f32 {
        self.0
    }
}

impl Stage {
    pub fn new(studio: Studio) -> Stage {
        Stage::with(studio, MixerSettings::default())
    }

    pub fn with(studio: Studio, settings: MixerSettings) -> Stage {
        let mut frame = Frame::new(0);
        (frame.moment.speed, frame.moment.cycle_seconds) = (1.0, 0.01);
        Stage {
            studio,
            mixer: Mixer::new(settings),
            frame,
            listeners: vec![LISTENER],
            interface: Vec::new(),
            wall: None,
        }
    }

    /// Hears the frame as it is.
    pub fn hear(&mut self) {
        let scene = HeardScene::new(&self.frame, &self.listeners, &self.studio.content, &self.studio.bulk);
        let wall = self.wall.map(Wall);
        let walls = wall.as_ref().map(|wall| wall as &dyn sound::Occluder);
        self.mixer.hear(&HeardScene { interface: &self.interface, walls, ..scene });
    }

    /// Hears and mixes this many times 10 ms; between them sounds move on. Left and right.
    pub fn play(&mut self, blocks: usize) -> [Vec<f32>; 2] {
        let mut out = [Vec::new(), Vec::new()];
        let mut block = [0.0; BLOCK * 2];
        for _ in 0..blocks {
            self.hear();
            self.mixer.mix(&mut block);
            for frame in block.chunks(2) {
                out[0].push(frame[0]);
                out[1].push(frame[1]);
            }
            let seconds = 0.01 * f64::from(self.frame.moment.speed);
            self.frame.moment.seconds += seconds;
            for sound in &mut self.frame.sounds {
                if let Some(position) = &mut sound.position {
                    *position += sound.velocity * seconds as f32;
                }
            }
        }
        out
    }
}

pub fn peak(samples: &[f32]) -> f32 {
    samples.iter().fold(0.0, |peak, sample| peak.max(sample.abs()))
}

pub fn rms(samples: &[f32]) -> f32 {
    (samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32).sqrt()
}

/// The greatest difference between two samples that follow each other.
pub fn delta(samples: &[f32]) -> f32 {
    samples.windows(2).fold(0.0, |delta, pair| delta.max((pair[1] - pair[0]).abs()))
}

/// The frequency of a tone: upward zero crossings, each placed by interpolation.
pub fn frequency(samples: &[f32]) -> f32 {
    let crossings: Vec<f32> = samples
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[0] < 0.0 && pair[1] >= 0.0)
        .map(|(index, pair)| index as f32 + pair[0] / (pair[0] - pair[1]))
        .collect();
    let (Some(first), Some(last)) = (crossings.first(), crossings.last()) else { return 0.0 };
    (crossings.len() - 1) as f32 * RATE / (last - first)
}

/// The amplitude of one frequency (Goertzel 1958).
pub fn goertzel(samples: &[f32], frequency: f32) -> f32 {
    let step = std::f64::consts::TAU * f64::from(frequency) / f64::from(RATE);
    let (mut real, mut imaginary) = (0.0, 0.0);
    for (index, sample) in samples.iter().enumerate() {
        real += f64::from(*sample) * (index as f64 * step).cos();
        imaginary += f64::from(*sample) * (index as f64 * step).sin();
    }
    (2.0 * (real * real + imaginary * imaginary).sqrt() / samples.len() as f64) as f32
}
