//! Bit sets over the slots of objects: all living ones, and those of each team, flag and class.
//!
//! Laws
//! 1. An intersection costs one word operation per 64 slots, and one step per object found.
//! 2. Results come in the order of slots and are slots that exist, whatever the bits of a loaded block say.

use base::Handle;
use state::{Block, List, World};

use crate::limits::{CLASSES_MAX, FLAGS_MAX, TEAMS_MAX};
use crate::object::Object;

/// The key to the bit sets.
#[derive(Clone, Copy)]
pub struct Sets {
    words: List<u64>,
    words_per_set: u32,
    objects_max: u32,
}

/// The class of an object whose tag does not exist.
pub const NO_CLASS: u32 = u32::MAX;

/// One of the sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// All objects.
    All,
    /// The objects of a team.
    Team(u32),
    /// The objects with a flag.
    Flag(u32),
    /// The objects of a class.
    Class(u32),
}

impl Set {
    fn number(self) -> u32 {
        match self {
            Set::All => 0,
            Set::Team(team) => 1 + team.min(TEAMS_MAX - 1),
            Set::Flag(flag) => 1 + TEAMS_MAX + flag.min(FLAGS_MAX as u32 - 1),
            Set::Class(class) => 1 + TEAMS_MAX + FLAGS_MAX as u32 + class.min(CLASSES_MAX as u32 - 1),
        }
    }
}

impl Sets {
    /// The sets in this list, for this many objects.
    pub fn new(words: List<u64>, objects_max: u32) -> Sets {
        Sets { words, words_per_set: objects_max.div_ceil(64), objects_max }
    }

    /// Empties all sets, in a new world.
    pub fn begin(self, world: &mut World, sets: u32) {
        for _ in 0..sets * self.words_per_set {
            self.words.push(world, 0);
        }
        assert_eq!(
            self.words.count(world),
            sets * self.words_per_set,
            "law 2 of the bit sets: every set has a bit for each slot"
        );
    }

    /// Adds an object to a set, or removes it.
    pub fn put(self, world: &mut World, set: Set, object: Handle<Object>, is_in: bool) {
        let slot = u32::from(object.slot());
        debug_assert!(slot < self.objects_max, "law 2 of the bit sets: slot {slot} of {}", self.objects_max);
        let index = set.number() * self.words_per_set + slot / 64;
        let bit = 1_u64 << (slot % 64);
        if let Some(mut word) = self.words.get_mut(world, index) {
            *word = if is_in { *word | bit } else { *word & !bit };
        }
    }

    /// The slots of the objects in all of these sets and not in that one, in order.
    pub fn each<'a>(self, block: &'a Block, sets: &'a [Set], but: Option<Set>) -> impl Iterator<Item = u16> + 'a {
        let words = self.words.get(block);
        let per_set = self.words_per_set as usize;
        let word =
            move |set: Set, index: usize| words.get(set.number() as usize * per_set + index).copied().unwrap_or(0);
        (0..per_set)
            .flat_map(move |index| {
                let all = sets.iter().fold(word(Set::All, index), |bits, set| bits & word(*set, index));
                let mut bits = all & !but.map_or(0, |but| word(but, index));
                core::iter::from_fn(move || {
                    let within = bits.trailing_zeros();
                    (bits != 0).then(|| {
                        bits &= bits - 1;
                        (index as u32 * 64 + within) as u16
                    })
                })
            })
            .take_while(move |slot| u32::from(*slot) < self.objects_max)
    }

    /// The words of one set.
    pub fn words(self) -> u64 {
        u64::from(self.words_per_set)
    }
}
