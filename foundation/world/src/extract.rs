//! Extraction: a frame of a block, for presentation.
//!
//! Laws
//! 1. Extraction only reads the block, and nothing it does can change a later cycle: scripts are evaluated over copies of rows, in
//!    workspaces of their own, and their effects are dropped.
//! 2. A frame follows from the block, the content and the moment: not from earlier frames.
//! 3. Instances come in the order of slots. What is not finite, or beyond a limit, is left out and counted.
//! 4. How many workers fill it does not show in a frame.
//! 5. It allocates only where a list of the frame has to grow, and for the texts of interface events.

mod instances;
mod looks;
mod running;
mod shapes;

use base::StringId;
use state::{Alone, Block, Workers};
use view::{Frame, Moment, PlayerView, Span};

use crate::limits::VIEW_EVALUATIONS_MAX;
use crate::object::{Object, linked};
use crate::prototype::Prototype;
use crate::rules::{LEVEL, Rules};

/// The evaluations that are left for a frame.
struct FrameBudget {
    left: u32,
}

impl FrameBudget {
    /// Takes one; false if there is none.
    fn spend(&mut self) -> bool {
        let is_left = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_left
    }
}

impl Rules {
    /// Fills a frame with everything that is to be shown and heard of a block. What it held before is dropped; lines of debug drawing
    /// can be added afterwards.
    pub fn extract(&self, block: &Block, moment: &Moment, frame: &mut Frame) {
        self.extract_with(block, moment, frame, &Alone);
    }

    /// The same; the instances are filled by these workers.
    pub fn extract_with(&self, block: &Block, moment: &Moment, frame: &mut Frame, workers: &dyn Workers) {
        // The instances stay: each is overwritten.
        let instances = core::mem::take(&mut frame.instances);
        frame.clear();
        frame.instances = instances;
        frame.moment = *moment;
        (frame.sky, frame.mix) = (self.level.sky, self.level.mix);
        frame.up = (-self.level.physics.gravity).normal_or(base::Vec3::Z);
        let mut budget = FrameBudget { left: VIEW_EVALUATIONS_MAX };
        self.extract_cues(block, frame, &mut budget);
        self.extract_instances(block, (frame, &mut budget), workers);
        self.extract_players(block, (frame, &mut budget));
    }

    /// The players' objects, cameras and interfaces.
    fn extract_players(&self, block: &Block, (frame, budget): (&mut Frame, &mut FrameBudget)) {
        let level = linked(self.parts.objects, block, LEVEL).and_then(|level| self.prototype_of(level));
        let level = level.map(|level| (level.appearance.camera, level.appearance.interface)).unwrap_or_default();
        for (player, handle) in self.parts.players.get(block).iter().enumerate() {
            let found = self.parts.objects.find_raw(block, handle.raw());
            let prototype = found.and_then(|(_, object)| self.prototype_of(object));
            let own = prototype.map(|own| (own.appearance.camera, own.appearance.interface)).unwrap_or_default();
            let camera = if own.0.is_none() { level.0 } else { own.0 };
            let post_effect = self.presentation.post_effect_of(camera);
            let post_parameters = match (self.presentation.posts.get(&post_effect), found) {
                (Some(formulas), Some((handle, _))) => {
                    self.extract_formulas(block, handle, (formulas, StringId::NONE), (frame, budget))
                }
                _ => Span::default(),
            };
            frame.players.push(PlayerView {
                player: player as u16,
                object: found.map_or(0, |(handle, _)| handle.raw()),
                camera,
                post_effect,
                post_parameters,
                interface: if own.1.is_none() { level.1 } else { own.1 },
                team: found.map_or(0, |(_, object)| object.team.min(u8::MAX.into()) as u8),
            });
        }
    }

    /// The prototype of an object. Between a change of content and the next cycle, objects still have the numbers of the former
    /// prototypes; then it is found by the tag.
    pub(crate) fn prototype_of(&self, object: &Object) -> Option<&Prototype> {
        let found = self.prototypes.get(object.mind.program).filter(|found| found.tag == object.tag.id());
        found.or_else(|| self.prototypes.get(self.prototypes.number(object.tag.id())?))
    }
}
