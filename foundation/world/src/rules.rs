//! The rules of a world: everything that is immutable while it is stepped.

use alloc::sync::Arc;

use base::StringId;
use script::stage::Act;
use state::{Block, Item, Layout, Workers, World};
use tags::Library;
use tags::library::Changed;

use crate::condition::Condition;
use crate::level::Level;
use crate::log::Log;
use crate::object::Object;
pub use crate::object::{LEVEL, OBJECTS};
use crate::parts::Parts;
use crate::presentation::Presentation;
use crate::prototype::Prototypes;
use crate::query::{Keys, Sight};
use crate::renewal::Renewal;
use crate::sets::Sets;
use crate::space::Space;
use crate::way_map::Ways;
use crate::workspaces::ScriptWorkspaces;

/// The rules of a world on one level.
pub struct Rules {
    /// The keys into the block.
    pub parts: Parts,
    /// The level.
    pub level: Level,
    /// The prototypes of objects.
    pub prototypes: Arc<Prototypes>,
    /// The prototypes from before the content changed. Objects are carried over at the end of that cycle.
    pub(crate) renewal: Option<Renewal>,
    /// The spatial hash.
    pub space: Space,
    /// The bit sets of teams, flags and classes.
    pub sets: Sets,
    /// All keys that queries need.
    pub(crate) keys: Keys,
    /// The map for finding ways, if the level has one.
    pub(crate) ways: Option<Arc<Ways>>,
    /// The workspaces of scripts.
    pub(crate) workspaces: ScriptWorkspaces,
    /// The log.
    pub log: Log,
    /// What presentation needs of the content.
    pub(crate) presentation: Presentation,
    /// The extension of the game, if it has one.
    pub(crate) own: Option<Arc<dyn Own>>,
}

/// The extension of a game in Rust: regions, brushes, effects.
pub trait Own: Send + Sync {
    /// Queues an effect that the world does not know. False if the game does not know it either.
    fn act(&self, rules: &Rules, item: &mut Item<'_, Object>, act: &Act<'_>) -> bool {
        let _ = (rules, item, act);
        false
    }

    /// Paints the game's brushes, after all others.
    fn paint(&self, world: &mut World, cycle: &Cycle<'_>, workers: &dyn Workers) {
        let _ = (world, cycle, workers);
    }
}

/// The context of a cycle: the rules, and the prototypes in force.
#[derive(Clone, Copy)]
pub struct Cycle<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// The prototypes in force in this cycle.
    pub prototypes: &'a Prototypes,
    /// The tags in force.
    pub content: &'a Library,
    /// The tags that changed since the previous cycle.
    pub changed: &'a Changed,
}

impl Rules {
    /// The rules of a scenario for a game of this name.
    pub fn new(name: &str, content: &Library, scenario: StringId) -> Rules {
        Rules::with_own(name, content, scenario, |_| None)
    }

    /// The same with an extension, which reserves its regions and lists its brushes in the layout.
    pub fn with_own(
        name: &str,
        content: &Library,
        scenario: StringId,
        own: impl FnOnce(&mut Layout) -> Option<Arc<dyn Own>>,
    ) -> Rules {
        let level = Level::of(content, scenario);
        let (parts, own) = Parts::new(name, &level, own);
        let prototypes = Arc::new(Prototypes::of(content, LEVEL));
        let space = Space {
            objects: parts.objects,
            cells: parts.cells,
            bounds: parts.bounds,
            lists: level.cells(),
            side: level.cell,
        };
        let sets = Sets::new(parts.sets, level.objects_max);
        let workspaces = ScriptWorkspaces::new(level.settings.limits, &[&prototypes]);
        let presentation = Presentation::new(content, &prototypes, level.settings.limits);
        let (objects, large, bodies, physics) = (parts.objects, parts.large, parts.bodies, parts.physics.parts);
        let ways = level.ways.zip(parts.ways).map(|(settings, keys)| Arc::new(Ways::new(settings, keys, &level)));
        let keys = Keys { objects, space, sets, large, bodies, physics, level: LEVEL, names: parts.names };
        Rules {
            parts,
            level,
            prototypes,
            renewal: None,
            space,
            sets,
            keys,
            ways,
            workspaces,
            log: Log::new(),
            presentation,
            own,
        }
    }

    /// The context of the next cycle.
    pub(crate) fn cycle<'a>(&'a self, content: &'a Library, changed: &'a Changed) -> Cycle<'a> {
        let renewal = self.renewal.as_ref().filter(|_| !changed.tags.is_empty());
        Cycle { rules: self, prototypes: renewal.map_or(&self.prototypes, |renewal| &renewal.former), content, changed }
    }

    /// The length of a brush cycle, in milliseconds.
    #[inline]
    pub fn milliseconds(&self) -> f64 {
        self.level.settings.milliseconds()
    }

    /// The number of the setting that a condition names: see [`Condition::setting`].
    pub(crate) fn capacity_of(&self, condition: Condition) -> Option<u64> {
        let (level, room) = (&self.level, &self.level.room_for_bodies);
        Some(match condition {
            Condition::NoRoomForObject => level.objects_max.into(),
            Condition::NoRoomForVariables => level.values_max.into(),
            Condition::NoRoomForBody | Condition::NoRoomForTouch => room.bodies.into(),
            Condition::NoRoomForJoint => room.joints.into(),
            Condition::ContactsLeftOut => room.contacts.into(),
            Condition::QueueFull => level.messages_max.into(),
            Condition::MessagesLeftOver => level.settings.rounds.into(),
            Condition::QueryBudget => level.settings.query_budget,
            _ => return None,
        })
    }

    /// Queries over a block, between cycles.
    pub fn sight<'a>(&'a self, block: &'a Block) -> Sight<'a> {
        self.sight_with(block, &self.prototypes)
    }

    fn sight_with<'a>(&'a self, block: &'a Block, prototypes: &'a Prototypes) -> Sight<'a> {
        Sight {
            block,
            keys: &self.keys,
            prototypes,
            settings: &self.level.settings,
            ways: self.ways.as_deref(),
            workspaces: &self.workspaces,
        }
    }
}

impl<'a> Cycle<'a> {
    /// The length of a brush cycle, in seconds.
    #[inline]
    pub fn seconds(&self) -> f32 {
        self.rules.level.physics.seconds
    }

    /// The length of a brush cycle, in milliseconds.
    #[inline]
    pub fn milliseconds(&self) -> f64 {
        self.rules.milliseconds()
    }

    /// Queries over a block.
    #[inline]
    pub fn sight(&self, block: &'a Block) -> Sight<'a> {
        self.rules.sight_with(block, self.prototypes)
    }
}
