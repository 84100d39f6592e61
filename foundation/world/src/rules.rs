//! The rules of a world: everything that does not change while it is stepped.

use alloc::sync::Arc;

use base::handle::first_salt;
use base::{Handle, StringId};
use script::stage::Act;
use state::{Block, Item, Layout, Workers, World};
use tags::Library;
use tags::library::Changed;

use crate::desk::Minds;
use crate::level::Level;
use crate::log::Log;
use crate::mould::Moulds;
use crate::object::Object;
use crate::parts::Parts;
use crate::query::{Keys, Sight};
use crate::renewal::Renewal;
use crate::sets::Sets;
use crate::space::Space;

/// The rules of a world on one level.
pub struct Rules {
    /// What lies where.
    pub parts: Parts,
    /// The level.
    pub level: Level,
    /// What objects are made from.
    pub moulds: Arc<Moulds>,
    /// What they were made from before the content changed. The world follows at the end of the cycle in which it does.
    pub(crate) renewal: Option<Renewal>,
    /// Where objects are looked for.
    pub space: Space,
    /// What they are counted as.
    pub sets: Sets,
    /// Both, with all objects: for whoever asks.
    pub(crate) keys: Keys,
    /// Where they are asked.
    pub(crate) minds: Minds,
    /// What is told to people.
    pub log: Log,
    /// What the game has of its own.
    pub(crate) own: Option<Arc<dyn Own>>,
}

/// What a game has of its own in Rust: regions, brushes, effects.
pub trait Own: Send + Sync {
    /// An effect that the world does not know. False if the game does not know it either.
    fn act(&self, rules: &Rules, item: &mut Item<'_, Object>, act: &Act<'_>) -> bool {
        let _ = (rules, item, act);
        false
    }

    /// Paints the game's own brushes, after all others.
    fn paint(&self, world: &mut World, cycle: &Cycle<'_>, workers: &dyn Workers) {
        let _ = (world, cycle, workers);
    }
}

/// A cycle that is being worked out: the rules, and the moulds that are in force in it.
#[derive(Clone, Copy)]
pub struct Cycle<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// What objects are made from in this cycle.
    pub moulds: &'a Moulds,
    /// The tags in force.
    pub content: &'a Library,
    /// Which of them are others since the last cycle.
    pub changed: &'a Changed,
}

/// The name of the array of objects. The salt of its first object follows from it, and that is the level.
pub const OBJECTS: &str = "objects";

/// The level's own object: the first of every world.
pub const LEVEL: Handle<Object> = Handle::new(0, first_salt(OBJECTS));

impl Rules {
    /// The rules of a scenario for a game of this name.
    pub fn new(name: &str, content: &Library, scenario: StringId) -> Rules {
        Rules::with_own(name, content, scenario, |_| None)
    }

    /// The same, with what the game has of its own: it reserves its regions and lists its brushes in the layout.
    pub fn with_own(
        name: &str,
        content: &Library,
        scenario: StringId,
        own: impl FnOnce(&mut Layout) -> Option<Arc<dyn Own>>,
    ) -> Rules {
        let level = Level::of(content, scenario);
        let (parts, own) = Parts::new(name, &level, own);
        let moulds = Arc::new(Moulds::of(content, LEVEL));
        let space = Space {
            objects: parts.objects,
            cells: parts.cells,
            bounds: parts.bounds,
            lists: level.cells(),
            side: level.cell,
        };
        let sets = Sets::new(parts.sets, level.objects_max);
        let minds = Minds::new(level.manner.limits, &[&moulds]);
        let (objects, large, bodies, physics) = (parts.objects, parts.large, parts.bodies, parts.physics.parts);
        let keys = Keys { objects, space, sets, large, bodies, physics, level: LEVEL };
        Rules { parts, level, moulds, renewal: None, space, sets, keys, minds, log: Log::new(), own }
    }

    /// The cycle that is worked out with these rules.
    pub(crate) fn cycle<'a>(&'a self, content: &'a Library, changed: &'a Changed) -> Cycle<'a> {
        let renewal = self.renewal.as_ref().filter(|_| !changed.tags.is_empty());
        Cycle { rules: self, moulds: renewal.map_or(&self.moulds, |renewal| &renewal.former), content, changed }
    }

    /// What can be seen of a block, between cycles.
    pub fn sight<'a>(&'a self, block: &'a Block) -> Sight<'a> {
        self.sight_with(block, &self.moulds)
    }

    fn sight_with<'a>(&'a self, block: &'a Block, moulds: &'a Moulds) -> Sight<'a> {
        Sight { block, keys: &self.keys, moulds, manner: &self.level.manner, minds: &self.minds }
    }
}

impl<'a> Cycle<'a> {
    /// What can be seen of a block.
    #[inline]
    pub fn sight(&self, block: &'a Block) -> Sight<'a> {
        self.rules.sight_with(block, self.moulds)
    }
}
