//! The director: it hears frames, and tells the engine which voices there are. It runs on the presentation thread.
//!
//! For every running sound it chooses a take, and computes from the world time where in it the sound is. The sounds with the
//! greatest product of priority and audibility get a voice; the others keep their time and may get one later.

mod slots;
mod tracked;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::mpsc::TrySendError;

use base::{StringId, Vec3, number};
use tags::Library;
use view::classes::mix::BusTime;
use view::limits::SOUNDS_MAX;
use view::{BulkSource, Frame, Obstacles, RunningSound};

use crate::choice::Plans;
use crate::command::{Command, DirectorEnd, ENDED, VoiceStart};
use crate::dsp::{approach, finite};
use crate::limits::{LISTENERS_MAX, SAMPLE_RATE, VOICES_MAX, VOICES_USUAL};
use crate::listener::Listener;
use crate::mix_plan::{MASTER, MixPlan};
use crate::parts::{Fetched, PartCache};
use crate::reports::Reports;
use slots::{Slots, needed_parts};
use tracked::{TrackedSound, WorldSpeed};

/// A sound that began at most this long ago is heard from its beginning, in seconds: frames and samples come late.
const LATE: f64 = 0.15;
/// A sound that is no longer listed is played to its end if that is so near, in seconds.
const NEARLY_OVER: f64 = 0.25;
/// The factor below which nothing is heard: −70 dB.
const INAUDIBLE: f32 = 0.0003;
/// The factor by which a sound must exceed one that has a voice to take it.
const HYSTERESIS: f32 = 1.2;
/// The fade of a voice that is stopped, and of one that begins in its middle, in frames: 5 ms and 10 ms.
const STOP_FRAMES: u32 = 240;
const SEEK_FRAMES: u32 = 480;
/// The fade of a voice that begins, in frames: 1 ms, which leaves its attack.
const START_FRAMES: u32 = 48;
/// The time between two questions about the occlusion of a sound, in seconds, and the most questions for a frame.
const OCCLUSION_PERIOD: f64 = 0.1;
const OCCLUSION_RAYS_MAX: u32 = 32;

/// What the speed of the world does to sounds on buses of world time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpeedPolicy {
    /// Their pitch follows, from a quarter to twice the speed; beyond that they are silent.
    #[default]
    Pitch,
    /// They are silent unless the world runs at its own speed.
    Mute,
    /// Nothing.
    Ignore,
}

/// The settings of a mixer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixerSettings {
    /// The most voices that are heard at one time.
    pub voices: u32,
    /// What slow motion and fast forward do.
    pub speed: SpeedPolicy,
    /// The speed of sound in metres per second.
    pub speed_of_sound: f32,
    /// Whether both ears hear the same.
    pub is_mono: bool,
}

impl Default for MixerSettings {
    fn default() -> MixerSettings {
        MixerSettings { voices: VOICES_USUAL, speed: SpeedPolicy::Pitch, speed_of_sound: 343.0, is_mono: false }
    }
}

/// Says what is between a sound and an ear. Asked ten times a second per voice.
pub trait Occluder {
    /// How much is in the way: 0 nothing, 1 a wall.
    fn occlusion(&self, sound: &RunningSound, ear: Vec3) -> f32;
}

/// The solid things of a frame muffle what is behind them. A sound is not behind the object it follows.
impl Occluder for Obstacles<'_> {
    fn occlusion(&self, sound: &RunningSound, ear: Vec3) -> f32 {
        let walls = Obstacles { except: sound.object, ..*self };
        sound.position.map_or(0.0, |position| if walls.sees(position, ear) { 0.0 } else { 1.0 })
    }
}

/// What is heard: a frame, where it is heard from, and what it refers to.
#[derive(Clone, Copy)]
pub struct HeardScene<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// The sounds of interfaces, which go on while the world is paused. Their start is given on the clock of the frame.
    pub interface: &'a [RunningSound],
    /// Who hears.
    pub listeners: &'a [Listener],
    /// World time since the frame's moment, in seconds.
    pub ahead: f32,
    /// The tags.
    pub content: &'a Library,
    /// The samples.
    pub bulk: &'a dyn BulkSource,
    /// What knows the walls; none: there are none.
    pub walls: Option<&'a dyn Occluder>,
}

impl<'a> HeardScene<'a> {
    /// A frame at its moment, without interfaces and walls.
    pub fn new(
        frame: &'a Frame,
        listeners: &'a [Listener],
        content: &'a Library,
        bulk: &'a dyn BulkSource,
    ) -> HeardScene<'a> {
        HeardScene { frame, interface: &[], listeners, ahead: 0.0, content, bulk, walls: None }
    }
}

/// What happens in a mixer, for a panel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MixerCounters {
    /// The running sounds.
    pub running: u32,
    /// Those that have a voice.
    pub voices: u32,
    /// The audible ones that have none.
    pub refused: u32,
    /// The voices that were taken for a more audible sound, ever.
    pub stolen: u64,
    /// The sounds that wait for their samples.
    pub waiting: u32,
    /// The frames of voices that were silent because samples came late, ever.
    pub starved_frames: u64,
    /// The frames of the view that were not heard because the engine did not follow, ever.
    pub skipped: u64,
    /// The greatest sample of the last block before the limiter.
    pub peak: f32,
    /// The factor of the limiter.
    pub limiter_gain: f32,
}

/// Hears frames.
#[derive(Debug)]
pub struct Director {
    end: DirectorEnd,
    backlog: VecDeque<Command>,
    settings: MixerSettings,
    mix_tag: StringId,
    mix: MixPlan,
    volumes: BTreeMap<StringId, f32>,
    is_mix_told: bool,
    plans: Plans,
    parts: PartCache,
    reports: Reports,
    tracked: BTreeMap<u64, TrackedSound>,
    slots: Slots,
    ranking: Vec<Candidate>,
    epoch: Option<u32>,
    identity: u64,
    stamp: u64,
    now: f64,
    rays: u32,
    /// The world time at which music that was left gives way, and its bus.
    follow: Option<(f64, StringId)>,
    is_patient: bool,
    is_at_own_speed: bool,
    counters: MixerCounters,
}

/// A sound that could get a voice.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    score: f32,
    id: u64,
}

/// What is the same for all sounds of a frame.
struct Hearing<'a> {
    now: f64,
    seconds: f32,
    ahead: f32,
    speed: f32,
    listeners: &'a [Listener],
    content: &'a Library,
    bulk: &'a dyn BulkSource,
    walls: Option<&'a dyn Occluder>,
}

impl Director {
    /// For an engine.
    #[must_use]
    pub fn new(end: DirectorEnd, settings: MixerSettings) -> Director {
        Director {
            end,
            backlog: VecDeque::new(),
            settings,
            mix_tag: StringId::NONE,
            mix: MixPlan::default(),
            volumes: BTreeMap::new(),
            is_mix_told: false,
            plans: Plans::default(),
            parts: PartCache::default(),
            reports: Reports::default(),
            tracked: BTreeMap::new(),
            slots: Slots::default(),
            ranking: Vec::new(),
            epoch: None,
            identity: 0,
            stamp: 0,
            now: 0.0,
            rays: 0,
            follow: None,
            is_patient: false,
            is_at_own_speed: false,
            counters: MixerCounters::default(),
        }
    }

    /// Changes the settings.
    pub fn set_settings(&mut self, settings: MixerSettings) {
        self.settings = settings;
        self.is_mix_told = false;
    }

    /// Sets a volume of the player's settings, from 0 to 1: that of a bus, or of everything (`master`).
    pub fn set_volume(&mut self, bus: StringId, volume: f32) {
        self.volumes.insert(bus, finite(volume, 1.0, 0.0, 4.0));
        self.is_mix_told = false;
    }

    /// For output in world time: no sound begins before all samples that are needed soon are there
    /// ([`Director::is_waiting`]), so that the output does not depend on how fast they come.
    pub fn set_patient(&mut self, is_patient: bool) {
        self.is_patient = is_patient;
    }

    /// For output in world time: the speed of the world counts as 1.
    pub fn set_own_speed(&mut self, is_at_own_speed: bool) {
        self.is_at_own_speed = is_at_own_speed;
    }

    /// What happens.
    #[must_use]
    pub fn counters(&self) -> MixerCounters {
        let status = &self.end.status;
        MixerCounters {
            starved_frames: status.starved_frames.load(Ordering::Relaxed),
            peak: f32::from_bits(status.peak.load(Ordering::Relaxed)),
            limiter_gain: f32::from_bits(status.limiter_gain.load(Ordering::Relaxed)),
            ..self.counters
        }
    }

    /// What is wrong with content, since this was last asked.
    pub fn take_reports(&mut self) -> Vec<String> {
        self.reports.take()
    }

    /// Whether samples were needed for the last frame that are not there yet: hearing it again will ask again.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.parts.is_waiting()
    }

    /// Hears a frame, `ahead` seconds of world time after its moment. Never waits. Cost: about 0.2 µs per running sound and
    /// 0.25 µs per voice, and up to 3 ms of decoding when new sounds begin.
    pub fn hear(&mut self, scene: &HeardScene<'_>) {
        let HeardScene { frame, listeners, ahead, content, bulk, walls, .. } = *scene;
        while self.end.retired.try_recv().is_ok() {}
        if !self.flush() {
            self.counters.skipped += 1;
            return;
        }
        self.parts.begin();
        self.renew(frame, content);
        let mut ears =
            [Listener { position: Vec3::ZERO, orientation: base::Quat::IDENTITY, velocity: Vec3::ZERO }; LISTENERS_MAX];
        let count = listeners.len().min(LISTENERS_MAX);
        for (ear, listener) in ears.iter_mut().zip(listeners) {
            *ear = listener.sanitized();
        }
        let ahead = finite(ahead, 0.0, 0.0, 1.0);
        let seconds = if frame.moment.seconds.is_finite() { frame.moment.seconds } else { self.now };
        let now = seconds + f64::from(ahead);
        let elapsed = number::double::clamp(now - self.now, 0.0, 1.0) as f32;
        let speed = if self.is_at_own_speed { 1.0 } else { finite(frame.moment.speed, 1.0, 0.0, 1e6) };
        if elapsed > 0.0 || self.stamp == 0 {
            self.rays = OCCLUSION_RAYS_MAX;
        }
        self.now = now;
        let listeners = &ears[..count];
        let hearing = Hearing { now, seconds: elapsed, ahead, speed, listeners, content, bulk, walls };

        self.tell_mix();
        self.sweep();
        self.track(scene, &hearing);
        self.rank(&hearing);
        self.choose();
        if !self.is_patient || self.fetch_all(&hearing) {
            self.assign(&hearing);
            self.feed(&hearing);
        }
        self.flush();
    }

    /// Sends the commands that wait. False if some still do.
    fn flush(&mut self) -> bool {
        while let Some(command) = self.backlog.pop_front() {
            if let Err(TrySendError::Full(command)) = self.end.commands.try_send(command) {
                self.backlog.push_front(command);
                return false;
            }
        }
        true
    }

    /// Follows changes of content, and drops everything of another epoch.
    fn renew(&mut self, frame: &Frame, content: &Library) {
        if self.epoch.replace(frame.moment.epoch) != Some(frame.moment.epoch) {
            for key in self.slots.playing() {
                self.backlog.push_back(Command::Stop(key, STOP_FRAMES));
                self.slots.leave(key);
            }
            self.tracked.clear();
            self.follow = None;
            self.backlog.push_back(Command::LeaveReverb);
        }
        // 0 means that nothing was read yet; a library without tags has it, and has nothing to read.
        let is_other_content = self.identity != content.identity() || self.identity == 0;
        if is_other_content {
            self.identity = content.identity();
            self.plans.clear();
            self.parts.retry();
            self.reports.forget();
            for sound in self.tracked.values_mut() {
                sound.is_stale = true;
            }
        }
        if is_other_content || self.mix_tag != frame.mix {
            self.mix_tag = frame.mix;
            self.mix = MixPlan::read(frame.mix, content, &mut self.reports);
            self.is_mix_told = false;
        }
    }

    /// Tells the engine about buses and volumes, if something changed.
    fn tell_mix(&mut self) {
        if std::mem::replace(&mut self.is_mix_told, true) {
            return;
        }
        for (index, bus) in self.mix.buses.iter().enumerate() {
            let mut settings = bus.settings;
            settings.volume *= self.volumes.get(&bus.name).copied().unwrap_or(1.0);
            self.backlog.push_back(Command::Bus(index as u8, settings));
        }
        self.backlog.push_back(Command::Reverb(self.mix.reverb));
        let volume = self.volumes.get(&MASTER).copied().unwrap_or(1.0);
        let (ceiling, is_mono) = (self.mix.ceiling, self.settings.is_mono);
        self.backlog.push_back(Command::Master { volume, ceiling, is_mono });
    }

    /// Frees the slots of voices that have ended.
    fn sweep(&mut self) {
        for sound in self.tracked.values_mut() {
            if sound.voice.is_some_and(|key| self.end.status.frame(key) == Some(ENDED)) {
                sound.voice = None;
                sound.has_ended = true;
            }
        }
        self.slots.sweep(&self.end.status);
    }

    /// Follows the list of running sounds: new ones, changed ones, and those that are gone.
    fn track(&mut self, scene: &HeardScene<'_>, hearing: &Hearing<'_>) {
        self.stamp += 1;
        let of_world = scene.frame.sounds.iter().take(SOUNDS_MAX).map(|sound| (sound, false));
        let of_interface = scene.interface.iter().take(SOUNDS_MAX).map(|sound| (sound, true));
        for (running, is_of_interface) in of_world.chain(of_interface) {
            let sound = self.tracked.entry(running.id).or_insert_with(|| TrackedSound::new(running));
            (sound.running, sound.is_of_interface) = (*running, is_of_interface);
            sound.stamp = self.stamp;
            if sound.is_stale {
                sound.is_stale = false;
                let choice = self.plans.choose(running.sound, running.seed, hearing.content, &mut self.reports);
                let root = self.plans.get(running.sound, hearing.content, &mut self.reports);
                let is_other = sound.renew(choice, root.map_or(0, |root| root.voices_max));
                if let Some(key) = sound.voice.take_if(|_| is_other) {
                    self.backlog.push_back(Command::Stop(key, STOP_FRAMES));
                    self.slots.leave(key);
                }
            }
        }
        let stamp = self.stamp;
        for (_, gone) in self.tracked.extract_if(.., |_, sound| sound.stamp != stamp) {
            let Some(key) = gone.voice else { continue };
            if let Some(wait) = gone.until_followed(hearing.now) {
                let wait_frames = (wait * f64::from(SAMPLE_RATE)) as u32;
                let fade_frames = gone.fade_out_frames().max(STOP_FRAMES);
                self.backlog.push_back(Command::Leave { voice: key, wait_frames, fade_frames });
                self.follow = gone.choice.as_ref().map(|choice| (hearing.now + wait, choice.plan.bus));
                self.slots.leave(key);
                continue;
            }
            let is_left = !gone.running.loops && gone.seconds_left(self.end.status.frame(key)) <= NEARLY_OVER;
            if !is_left {
                self.backlog.push_back(Command::Stop(key, gone.fade_out_frames().max(STOP_FRAMES)));
            }
            self.slots.leave(key);
        }
        self.counters.running = self.tracked.len() as u32;
    }

    /// Orders the audible sounds by priority and audibility.
    fn rank(&mut self, hearing: &Hearing<'_>) {
        self.ranking.clear();
        for (id, sound) in &mut self.tracked {
            let Some(bus) = sound.bus(&self.mix) else { continue };
            let plan = &self.mix.buses[usize::from(bus)];
            let bus_volume = plan.settings.volume * self.volumes.get(&plan.name).copied().unwrap_or(1.0);
            let time = if sound.is_of_interface { BusTime::Real } else { plan.time };
            let speed = world_speed(time, hearing.speed, self.settings.speed);
            sound.approach(hearing, bus, bus_volume, speed);
            if sound.has_ended || sound.audibility < INAUDIBLE {
                continue;
            }
            sound.occlude(hearing, &mut self.rays);
            let held = if sound.voice.is_some() { HYSTERESIS } else { 1.0 };
            self.ranking.push(Candidate { score: sound.audibility * sound.priority() * held, id: *id });
        }
        self.ranking.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
    }

    /// Chooses the first of the ranking, as many as there may be voices, of all and of each kind.
    fn choose(&mut self) {
        let voices = self.settings.voices.min(VOICES_MAX) as usize;
        self.slots.resize(voices + voices / 2);
        let mut of_kind: BTreeMap<StringId, u32> = BTreeMap::new();
        let mut chosen = 0;
        for sound in self.tracked.values_mut() {
            sound.is_chosen = false;
        }
        for candidate in &self.ranking {
            let Some(sound) = self.tracked.get_mut(&candidate.id) else { continue };
            let kind = of_kind.entry(sound.running.sound).or_default();
            sound.is_chosen = chosen < voices && (sound.kind_max == 0 || *kind < sound.kind_max);
            if sound.is_chosen {
                chosen += 1;
                *kind += 1;
            }
        }
        self.counters.refused = (self.ranking.len() - chosen) as u32;
    }

    /// Takes the voices of sounds that are not chosen, and gives them to those that are.
    fn assign(&mut self, hearing: &Hearing<'_>) {
        for sound in self.tracked.values_mut() {
            let is_chosen = sound.is_chosen;
            if let Some(key) = sound.voice.take_if(|_| !is_chosen) {
                if sound.audibility >= INAUDIBLE {
                    self.counters.stolen += 1;
                }
                self.backlog.push_back(Command::Stop(key, STOP_FRAMES));
                self.slots.leave(key);
            }
        }
        (self.counters.waiting, self.counters.voices) = (0, 0);
        for place in 0..self.ranking.len() {
            self.voice(self.ranking[place].id, hearing);
        }
    }

    /// Starts or changes the voice of a sound that is to have one.
    fn voice(&mut self, id: u64, hearing: &Hearing<'_>) {
        let Some(sound) = self.tracked.get_mut(&id).filter(|sound| sound.is_chosen) else { return };
        let Some(target) = sound.target(hearing, &self.mix, &self.settings) else { return };
        if let Some(key) = sound.voice {
            self.slots.set_step(key, target.step);
            self.backlog.push_back(Command::Aim(key, target));
            self.counters.voices += 1;
            return;
        }
        if target.is_held {
            return;
        }
        let (Some(choice), Some(course)) = (&sound.choice, sound.course()) else { return };
        let age = sound.age(hearing.now);
        let Some(place) = sound.place(hearing.now) else {
            sound.has_ended = true;
            return;
        };
        let part = (place >> 32) as u32 / course.part_frames;
        let fetched =
            self.parts.fetch(&choice.plan, &choice.take, part, hearing.content, hearing.bulk, &mut self.reports);
        if let Fetched::Loading = fetched {
            self.counters.waiting += 1;
        }
        let Fetched::Ready(samples) = fetched else { return };
        let Some(key) = self.slots.take(choice, course, (place >> 32) as u32, target.step) else { return };
        let fade_in = (choice.plan.fade_in * SAMPLE_RATE as f32) as u32;
        // Music that follows other music waits for its bar. It runs on the clock of the world, so it is in step with it.
        let is_music = sound.running.loops && sound.running.position.is_none();
        let follow = self.follow.filter(|(at, bus)| is_music && *bus == choice.plan.bus && *at > hearing.now - LATE);
        let wait = follow.map_or(0.0, |(at, _)| number::double::max(at - hearing.now, 0.0));
        let wait_frames = (wait * f64::from(SAMPLE_RATE)) as u32;
        let is_beginning = follow.is_some() || age <= LATE || age < f64::from(choice.plan.fade_in);
        let fade_frames = if is_beginning { fade_in.max(START_FRAMES) } else { SEEK_FRAMES };
        let start = VoiceStart { course, is_stereo: sound.is_stereo(), place, wait_frames, fade_frames, target };
        self.backlog.push_back(Command::Start(key, start));
        if let Some(at) = self.slots.put(key, part, &[part]) {
            self.backlog.push_back(Command::Part { voice: key, at, part, samples });
        }
        sound.voice = Some(key);
        self.counters.voices += 1;
    }

    /// Fetches everything that voices need soon, and those to come. False if something is not there yet.
    fn fetch_all(&mut self, hearing: &Hearing<'_>) -> bool {
        for sound in self.tracked.values().filter(|sound| sound.is_chosen && sound.voice.is_none()) {
            let target = sound.target(hearing, &self.mix, &self.settings);
            let (Some(choice), Some(course), Some(target)) = (&sound.choice, sound.course(), target) else { continue };
            let Some(place) = sound.place(hearing.now) else { continue };
            for part in needed_parts(&course, (place >> 32) as u32, target.step).into_iter().flatten() {
                let (plan, take) = (&choice.plan, &choice.take);
                self.parts.fetch(plan, take, part, hearing.content, hearing.bulk, &mut self.reports);
            }
        }
        for index in 0..self.slots.count() {
            let Some((key, work)) = self.slots.work(index) else { continue };
            let frame = self.end.status.frame(key).filter(|frame| *frame != ENDED);
            let needed = work.needed(frame.unwrap_or(work.first_frame));
            for part in work.missing(&needed).into_iter().flatten() {
                let (plan, take) = (&work.choice.plan, &work.choice.take);
                self.parts.fetch(plan, take, part, hearing.content, hearing.bulk, &mut self.reports);
            }
        }
        !self.parts.is_waiting()
    }

    /// Gives all voices the parts that they need soon.
    fn feed(&mut self, hearing: &Hearing<'_>) {
        for index in 0..self.slots.count() {
            let Some((key, work)) = self.slots.work(index) else { continue };
            let frame = match self.end.status.frame(key) {
                Some(ENDED) => continue,
                Some(frame) => frame,
                None => work.first_frame,
            };
            let needed = work.needed(frame);
            let (choice, missing) = (work.choice.clone(), work.missing(&needed));
            for part in missing.into_iter().flatten() {
                let (plan, take) = (&choice.plan, &choice.take);
                let fetched = self.parts.fetch(plan, take, part, hearing.content, hearing.bulk, &mut self.reports);
                let Fetched::Ready(samples) = fetched else { continue };
                let known = needed.map(|part| part.unwrap_or(u32::MAX));
                if let Some(at) = self.slots.put(key, part, &known) {
                    self.backlog.push_back(Command::Part { voice: key, at, part, samples });
                }
            }
        }
    }
}

/// What the speed of the world means for a bus.
fn world_speed(time: BusTime, speed: f32, policy: SpeedPolicy) -> WorldSpeed {
    let normal = WorldSpeed { pitch: 1.0, is_held: false, is_muted: false };
    match (time, policy) {
        (BusTime::Real, _) => normal,
        (BusTime::World | BusTime::Steady, _) if speed <= 0.0 => WorldSpeed { is_held: true, ..normal },
        (BusTime::Steady, _) | (BusTime::World, SpeedPolicy::Ignore) => normal,
        (BusTime::World, SpeedPolicy::Mute) => WorldSpeed { is_muted: !(0.95..=1.05).contains(&speed), ..normal },
        (BusTime::World, SpeedPolicy::Pitch) => {
            WorldSpeed { pitch: speed, is_muted: !(0.25..=2.0).contains(&speed), ..normal }
        }
    }
}
