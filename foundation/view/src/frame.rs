//! A frame: everything that is to be shown and heard at one moment of a world.

use alloc::string::String;
use alloc::vec::Vec;

use base::{StringId, Vec3};

use crate::drawing::Drawing;
use crate::instance::{ClipPlay, Instance, NodePose, Parameter, look};
use crate::limits::INSTANCES_MAX;
use crate::moment::{Moment, Span};
use crate::running::{InterfaceEvent, Light, RunningEffect, RunningSound};

/// Everything that is to be shown and heard at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// When it was taken.
    pub moment: Moment,
    /// The things in space, in the order of their objects.
    pub instances: Vec<Instance>,
    /// The animations of instances: those of an instance by layer.
    pub clips: Vec<ClipPlay>,
    /// The poses of instances.
    pub poses: Vec<NodePose>,
    /// The values of materials and effects.
    pub parameters: Vec<Parameter>,
    /// The lights that are not part of an effect.
    pub lights: Vec<Light>,
    /// The visual effects that are running.
    pub effects: Vec<RunningEffect>,
    /// The sounds that are running.
    pub sounds: Vec<RunningSound>,
    /// The events for the interface of the last cycles.
    pub interface_events: Vec<InterfaceEvent>,
    /// The local players' objects, cameras and interfaces.
    pub players: Vec<PlayerView>,
    /// The sky tag of the level; none: the default sky.
    pub sky: StringId,
    /// The mix tag of the level; none: the usual buses.
    pub mix: StringId,
    /// The up direction of the level.
    pub up: Vec3,
    /// The lines of debug drawing.
    pub drawing: Drawing,
    /// The texts of the names in interface events.
    pub texts: Vec<(StringId, String)>,
    /// What was left out because a list was full or a number was not finite.
    pub refused: u64,
}

/// What one player sees from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerView {
    /// The number of the player.
    pub player: u16,
    /// The raw handle of the player's object; 0 if there is none.
    pub object: u32,
    /// The camera tag; none: the default camera.
    pub camera: StringId,
    /// The post effect of its camera; none: there is none.
    pub post_effect: StringId,
    /// The values of the lambdas of that, in [`Frame::parameters`].
    pub post_parameters: Span,
    /// The interface tag; none: no interface.
    pub interface: StringId,
    /// The team.
    pub team: u8,
}

impl Frame {
    /// An empty frame with capacity for this many lines of debug drawing.
    pub fn new(lines_max: usize) -> Frame {
        Frame {
            moment: Moment::default(),
            instances: Vec::new(),
            clips: Vec::new(),
            poses: Vec::new(),
            parameters: Vec::new(),
            lights: Vec::new(),
            effects: Vec::new(),
            sounds: Vec::new(),
            interface_events: Vec::new(),
            players: Vec::new(),
            sky: StringId::NONE,
            mix: StringId::NONE,
            up: Vec3::Z,
            drawing: Drawing::new(lines_max),
            texts: Vec::new(),
            refused: 0,
        }
    }

    /// Empties it, and keeps its memory.
    pub fn clear(&mut self) {
        self.moment = Moment::default();
        self.instances.clear();
        self.clips.clear();
        self.poses.clear();
        self.parameters.clear();
        self.lights.clear();
        self.effects.clear();
        self.sounds.clear();
        self.interface_events.clear();
        self.players.clear();
        (self.sky, self.mix) = (StringId::NONE, StringId::NONE);
        self.up = Vec3::Z;
        self.drawing.clear();
        self.texts.clear();
        self.refused = 0;
    }

    /// Becomes a copy of another frame, and keeps its memory.
    pub fn copy_from(&mut self, other: &Frame) {
        self.moment = other.moment;
        self.instances.clone_from(&other.instances);
        self.clips.clone_from(&other.clips);
        self.poses.clone_from(&other.poses);
        self.parameters.clone_from(&other.parameters);
        self.lights.clone_from(&other.lights);
        self.effects.clone_from(&other.effects);
        self.sounds.clone_from(&other.sounds);
        self.interface_events.clone_from(&other.interface_events);
        self.players.clone_from(&other.players);
        (self.sky, self.mix) = (other.sky, other.mix);
        (self.up, self.refused) = (other.up, other.refused);
        if !(self.drawing.lines().is_empty() && other.drawing.lines().is_empty()) {
            self.drawing = other.drawing.clone();
        }
        self.texts.clone_from(&other.texts);
    }

    /// Adds an instance. One that is beyond the limit, or has a number that is not finite, is left out and counted.
    #[inline]
    pub fn push_instance(&mut self, instance: Instance) {
        if self.instances.len() < INSTANCES_MAX && instance.is_finite() {
            self.instances.push(instance);
        } else {
            self.refused += 1;
        }
    }

    /// Hides what these players do not see, with its effects and sounds: what is [`look::UNSEEN`] and of no team of theirs. A player of
    /// team 0 sees everything, and so does who is no player.
    pub fn hide_unseen(&mut self, players: &[u16]) {
        let mut teams = [false; 1 << u8::BITS];
        for known in self.players.iter().filter(|known| players.contains(&known.player)) {
            teams[usize::from(known.team)] = true;
        }
        if teams[0] || !teams.contains(&true) {
            return;
        }
        let mut hidden = Vec::new();
        let is_unseen = |it: &&mut Instance| it.look & look::UNSEEN != 0 && !teams[usize::from(it.team)];
        for instance in self.instances.iter_mut().filter(is_unseen) {
            instance.look |= look::HIDDEN;
            hidden.push(instance.object);
        }
        if !hidden.is_empty() {
            hidden.sort_unstable();
            self.effects.retain(|effect| hidden.binary_search(&effect.object).is_err());
            self.sounds.retain(|sound| hidden.binary_search(&sound.object).is_err());
        }
    }

    /// The text of a name in an interface event.
    pub fn text(&self, name: StringId) -> Option<&str> {
        self.texts.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_str())
    }

    /// The instance of an object, by a search through all: for the few that a camera or a label asks for.
    pub fn instance_of(&self, object: u32) -> Option<&Instance> {
        self.instances.iter().find(|instance| object != 0 && instance.object == object)
    }
}
