//! The effects and sounds that run at a moment, and the events for interfaces.

use alloc::string::ToString;

use base::{Handle, Quat, StringId, Vec3, hash};
use physics::Body;
use state::Block;
use view::limits::{EFFECTS_MAX, SOUNDS_MAX};
use view::{Atom, Frame, Instance, InterfaceEvent, RunningEffect, RunningSound, Span};

use super::FrameBudget;
use crate::appearance::Appearance;
use crate::cue::{Cue, GUI_FIRE, PLAY};
use crate::evaluation;
use crate::limits::{CUE_SECONDS_MAX, CUES_MAX, INTERFACE_OWNERS, INTERFACE_SECONDS};
use crate::media_lengths::EffectSoundLength;
use crate::object::{Object, linked};
use crate::rules::{LEVEL, Rules};

/// Where something is, and how it moves.
#[derive(Clone, Copy)]
struct Place {
    /// The raw handle of the object that it follows; 0 if there is none.
    object: u32,
    position: Vec3,
    orientation: Quat,
    velocity: Vec3,
    /// Whether it has a place at all: the level has none.
    is_somewhere: bool,
}

/// The id of the music; those of other sounds are hashes or grow from 1.
const MUSIC: u64 = 0;
/// Set in the ids of other music, beside bits of its sound.
const MUSIC_STATE: u64 = 0x7f << 56;
/// Set in the ids of what runs as long as its object lives.
const LASTING: u64 = 1 << 63;

impl Rules {
    /// Adds everything that cues began and that still runs, the oldest first, and the music.
    pub(super) fn extract_cues(&self, block: &Block, frame: &mut Frame, budget: &mut FrameBudget) {
        let mut states = self.level.music_states.iter();
        let state = states.find(|(_, when)| self.holds(block, LEVEL, Some(*when), budget));
        let (music, id) =
            state.map_or((self.level.music, MUSIC), |(sound, _)| (*sound, MUSIC_STATE | sound.number() >> 8));
        if !music.is_none() {
            let place = Place { is_somewhere: false, ..NOWHERE };
            push_sound(frame, RunningSound { loops: true, ..sound_at(&place, id, music, 0.0) });
        }
        let (cues, total) = (self.parts.cues.get(block), self.parts.cue_ring.get(block).total);
        for back in (1..=cues.len() as u64).rev() {
            let id = total.wrapping_sub(back);
            let Some(cue) = cues.get((id % u64::from(CUES_MAX)) as usize) else { continue };
            let Some(age) = block.cycle().checked_sub(cue.cycle) else { continue };
            match cue.what {
                PLAY if self.seconds_of(age) <= CUE_SECONDS_MAX => {
                    self.extract_cue(block, cue, id + 1, (frame, budget));
                }
                GUI_FIRE if self.seconds_of(age) <= INTERFACE_SECONDS => {
                    self.extract_interface_event(block, cue, id + 1, frame)
                }
                _ => {}
            }
        }
    }

    fn extract_cue(&self, block: &Block, cue: &Cue, id: u64, (frame, budget): (&mut Frame, &mut FrameBudget)) {
        let lengths = &self.presentation.lengths;
        let (started, now) = (self.seconds_of(cue.cycle), self.seconds_of(block.cycle()));
        if let Some(length) = lengths.effect(cue.name).filter(|length| now <= started + length.shown()) {
            let place = self.place_of_cue(block, cue);
            let effect = RunningEffect {
                marker: cue.marker,
                marker_place: self.marker_place(block, place.object, cue.marker),
                target: (cue.has_target == 1).then_some(cue.target),
                scale: cue.scale,
                parameters: self.effect_parameters(block, place.object, cue.name, (frame, budget)),
                ..effect_at(&place, id, cue.name, started)
            };
            push_effect(frame, effect);
            self.extract_effect_sounds(block, (&place, id, started), (&length.sounds, length.emits), frame);
        }
        if let Some(length) = lengths.sound(cue.name) {
            let lasts = if length.loops { CUE_SECONDS_MAX } else { length.seconds / f64::from(cue.pitch) };
            if now <= started + lasts {
                let place = self.place_of_cue(block, cue);
                let sound = sound_at(&self.at_marker(block, place, cue.marker), id, cue.name, started);
                let (volume, pitch) = (cue.volume, cue.pitch);
                push_sound(frame, RunningSound { volume, pitch, loops: length.loops, ..sound });
            }
        }
    }

    /// The sounds of an effect that runs for some seconds.
    fn extract_effect_sounds(
        &self,
        block: &Block,
        (place, id, started): (&Place, u64, f64),
        (sounds, emits): (&[EffectSoundLength], f64),
        frame: &mut Frame,
    ) {
        let now = self.seconds_of(block.cycle());
        for (index, own) in sounds.iter().enumerate() {
            let Some(sound) = self.presentation.lengths.sound(own.sound) else { continue };
            let begins = started + own.delay;
            let lasts = if own.loops { emits } else { sound.seconds / f64::from(own.pitch) };
            if now < begins || now > begins + lasts {
                continue;
            }
            let mut at = self.at_marker(block, *place, own.marker);
            at.position += at.orientation.rotate(own.offset);
            let running = sound_at(&at, hash::mix(id, index as u64 + 1), own.sound, begins);
            push_sound(frame, RunningSound { volume: own.volume, pitch: own.pitch, loops: own.loops, ..running });
        }
    }

    /// Adds the effects and sounds that run as long as an object lives.
    pub(super) fn extract_lasting(
        &self,
        block: &Block,
        (handle, object): (Handle<Object>, &Object),
        (instance, appearance): (&Instance, &Appearance),
        (frame, budget): (&mut Frame, &mut FrameBudget),
    ) {
        let place = Place {
            object: instance.object,
            position: instance.position,
            orientation: instance.orientation,
            velocity: instance.velocity,
            is_somewhere: true,
        };
        let started = self.seconds_of(object.born_at);
        for (index, own) in appearance.effects.iter().enumerate() {
            if !self.holds(block, handle, own.when, budget) {
                continue;
            }
            let id = LASTING | u64::from(instance.object) << 16 | (index as u64 & 0x7fff);
            let effect = effect_at(&place, id, own.effect, started);
            let parameters = self.effect_parameters(block, place.object, own.effect, (frame, budget));
            let marker_place = self.marker_place(block, place.object, own.marker);
            let effect = RunningEffect { marker: own.marker, marker_place, scale: own.scale, parameters, ..effect };
            push_effect(frame, effect);
            if let Some(length) = self.presentation.lengths.effect(own.effect) {
                // It runs as long as the object lives, whatever its duration.
                self.extract_effect_sounds(block, (&place, id, started), (&length.sounds, f64::INFINITY), frame);
            }
        }
        for (index, own) in appearance.sounds.iter().enumerate() {
            if self.holds(block, handle, own.when, budget) {
                let id = LASTING | u64::from(instance.object) << 16 | (index as u64 & 0x7fff) | 0x8000;
                let sound = sound_at(&self.at_marker(block, place, own.marker), id, own.sound, started);
                push_sound(frame, RunningSound { volume: own.volume, pitch: own.pitch, loops: true, ..sound });
            }
        }
    }

    /// The values of an effect's formulas about the object that it follows.
    fn effect_parameters(
        &self,
        block: &Block,
        object: u32,
        effect: StringId,
        (frame, budget): (&mut Frame, &mut FrameBudget),
    ) -> Span {
        match self.presentation.effects.get(&effect) {
            Some(formulas) if object != 0 => {
                let handle = Handle::from_raw(object);
                self.extract_formulas(block, handle, (formulas, StringId::NONE), (frame, budget))
            }
            _ => Span::default(),
        }
    }

    /// Whether a condition of an object holds. One that fails is reported once, and does not hold.
    fn holds(&self, block: &Block, handle: Handle<Object>, when: Option<u32>, budget: &mut FrameBudget) -> bool {
        let Some(function) = when else { return true };
        if !budget.spend() {
            return false;
        }
        match self.evaluate_own(block, handle, function, |value, _, _| value.as_truth()) {
            Ok(Some(truth)) => truth,
            Ok(None) => self.report_fault(block, handle, function, None),
            Err(error) => self.report_fault(block, handle, function, Some(error.span)),
        }
    }

    fn extract_interface_event(&self, block: &Block, cue: &Cue, id: u64, frame: &mut Frame) {
        let arguments = cue.arguments.map(evaluation::atom);
        let names = arguments.iter().filter_map(|atom| if let Atom::Name(name) = atom { Some(*name) } else { None });
        for name in [cue.name].into_iter().chain(names) {
            if let Some(text) = self.prototypes.text(name)
                && frame.text(name).is_none()
            {
                frame.texts.push((name, text.to_string()));
            }
        }
        frame.interface_events.push(InterfaceEvent {
            id,
            cycle: cue.cycle,
            name: cue.name,
            object: if cue.object.is_none() { 0 } else { cue.object.raw() },
            position: if cue.position.is_finite() { cue.position } else { Vec3::ZERO },
            player: self.player_of(block, cue.object),
            arguments,
        });
    }

    /// The player who controls an object, or one of its owners.
    fn player_of(&self, block: &Block, object: Handle<Object>) -> Option<u16> {
        let players = self.parts.players.get(block);
        let mut at = object;
        for _ in 0..INTERFACE_OWNERS {
            if at.is_none() {
                return None;
            }
            if let Some(player) = players.iter().position(|player| *player == at) {
                return Some(player as u16);
            }
            at = linked(self.parts.objects, block, at)?.owner;
        }
        None
    }

    /// Where a cue is: at its object, if that exists, otherwise where it began.
    fn place_of_cue(&self, block: &Block, cue: &Cue) -> Place {
        if cue.object == LEVEL {
            return Place { position: Vec3::ZERO, ..NOWHERE };
        }
        let Some((handle, object)) = self.parts.objects.find_raw(block, cue.object.raw()) else {
            let (position, orientation) = (cue.position, cue.orientation);
            return Place { position, orientation, is_somewhere: true, ..NOWHERE };
        };
        let bodies: &[Handle<Body>] = self.parts.bodies.get(block);
        Place {
            object: handle.raw(),
            position: object.position,
            orientation: object.orientation,
            velocity: self.motion_of(block, (bodies, block.cycle() as u32), handle, object).velocity,
            is_somewhere: true,
        }
    }

    /// A place at a marker of its object, as the tag of the object has it.
    fn at_marker(&self, block: &Block, place: Place, marker: StringId) -> Place {
        let Some((offset, turn)) = self.marker_place(block, place.object, marker) else { return place };
        let position = place.position + place.orientation.rotate(offset);
        Place { position, orientation: (place.orientation * turn).normal(), ..place }
    }

    /// A marker in the frame of its object, as the tag of the object has it.
    fn marker_place(&self, block: &Block, object: u32, marker: StringId) -> Option<(Vec3, Quat)> {
        let (_, object) = self.parts.objects.find_raw(block, object).filter(|_| !marker.is_none())?;
        let markers = &self.prototype_of(object)?.markers;
        let found = markers.iter().find(|known| known.name == marker)?;
        Some((found.offset, found.turn.unwrap_or(Quat::IDENTITY)))
    }

    /// The world time of a cycle in seconds. From whole nanoseconds, as doubles: frames count the same.
    fn seconds_of(&self, cycle: u64) -> f64 {
        cycle as f64 * self.level.settings.lengths.brush_nanos as f64 / 1e9
    }
}

const NOWHERE: Place =
    Place { object: 0, position: Vec3::ZERO, orientation: Quat::IDENTITY, velocity: Vec3::ZERO, is_somewhere: false };

fn effect_at(place: &Place, id: u64, effect: StringId, started: f64) -> RunningEffect {
    RunningEffect {
        id,
        effect,
        object: place.object,
        marker: StringId::NONE,
        marker_place: None,
        position: place.position,
        orientation: place.orientation,
        velocity: place.velocity,
        target: None,
        started,
        stopped: f64::INFINITY,
        seed: hash::mix(id, effect.number()),
        scale: 1.0,
        parameters: Span::default(),
    }
}

fn sound_at(place: &Place, id: u64, sound: StringId, started: f64) -> RunningSound {
    RunningSound {
        id,
        sound,
        object: place.object,
        position: place.is_somewhere.then_some(place.position),
        velocity: place.velocity,
        started,
        loops: false,
        seed: hash::mix(id, sound.number()),
        volume: 1.0,
        pitch: 1.0,
    }
}

fn push_effect(frame: &mut Frame, effect: RunningEffect) {
    let is_finite = effect.position.is_finite() && effect.orientation.is_finite() && effect.velocity.is_finite();
    let is_finite = is_finite && effect.scale.is_finite() && effect.target.is_none_or(|target| target.is_finite());
    if frame.effects.len() < EFFECTS_MAX && is_finite {
        frame.effects.push(effect);
    } else {
        frame.refused += 1;
    }
}

fn push_sound(frame: &mut Frame, sound: RunningSound) {
    let is_finite = sound.position.is_none_or(|position| position.is_finite()) && sound.velocity.is_finite();
    if frame.sounds.len() < SOUNDS_MAX && is_finite && sound.volume.is_finite() && sound.pitch.is_finite() {
        frame.sounds.push(sound);
    } else {
        frame.refused += 1;
    }
}
