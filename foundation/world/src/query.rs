//! Questions about who is there: what scripts and Rust can ask, and whom it concerns.
//!
//! Laws
//! 1. A question sees one block, and answers from nothing else. While simulating, that is the frozen one.
//! 2. What a question costs is counted in objects looked at, and it may look at no more than its budget.

use base::{Handle, StringId, Vec3};
use physics::pose::Pose;
use physics::{flag, ray};
use script::machine::Outside;
use script::program::Program;
use script::query::{Asked, Filter, Hits, Question, Want};
use script::row::RowView;
use script::value::Value;
use state::{Block, Entities, List};

use crate::desk::Minds;
use crate::level::Manner;
use crate::limits::TEAMS_MAX;
use crate::mould::Moulds;
use crate::object::Object;
use crate::sets::{Set, Sets};
use crate::space::{Keep, Search, Space, meet_sphere};

/// A world that can be asked.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    /// What is looked at.
    pub block: &'a Block,
    /// Where that is found.
    pub keys: &'a Keys,
    /// What they are made from.
    pub moulds: &'a Moulds,
    /// The names of flags.
    pub manner: &'a Manner,
    /// Where what is looked at is counted.
    pub minds: &'a Minds,
}

/// Where it is found who is there.
#[derive(Clone, Copy)]
pub struct Keys {
    /// All objects.
    pub objects: Entities<Object, Value>,
    /// Where they are.
    pub space: Space,
    /// What they are.
    pub sets: Sets,
    /// Those that reach so far that rays look at them all.
    pub large: List<Handle<Object>>,
}

/// Whom a question concerns, with names looked up.
struct Meant {
    team: Option<u32>,
    other_than: Option<u32>,
    /// A bit for each class.
    kinds: Option<u128>,
    flag: Option<u32>,
    owner: Option<Handle<Object>>,
    except: [Handle<Object>; 2],
    /// Nobody can be meant: a class or flag that there is not.
    is_nobody: bool,
}

impl Sight<'_> {
    /// Answers a question. What is found is added to `found`, which must be empty, in the order that the question promises.
    pub fn find(&self, question: &Question, filter: &Filter, found: &mut Hits, budget: u64) -> Asked {
        let meant = Meant::of(filter, self);
        if meant.is_nobody {
            return Asked { cost: 1, is_cut: false, count: 0 };
        }
        let is_meant = |handle, object: &Object| meant.holds(handle, object);
        let keep = match question {
            Question::Nearest { count, .. } => Keep::Nearest((*count).max(1)),
            Question::Ray { want: Want::First | Want::Any, .. } => Keep::Nearest(1),
            Question::Ray { want: Want::All, .. } => Keep::Nearest(u32::MAX),
            Question::Count => Keep::None,
            Question::Within { .. } | Question::Box { .. } | Question::All => Keep::All,
        };
        let mut search = Search { is_meant: &is_meant, found, keep, count: 0, cost: 0, budget, is_cut: false };
        match *question {
            Question::Within { centre, radius } => {
                self.keys.space.within(self.block, centre, radius as f32, &mut search)
            }
            Question::Box { least, most } => self.keys.space.within_box(self.block, least, most, &mut search),
            Question::Nearest { centre, radius_max, count } => {
                self.keys.space.nearest(self.block, centre, radius_max as f32, count.max(1) as usize, &mut search);
            }
            Question::Ray { from, to, .. } => {
                self.along(from, to, &mut search);
            }
            Question::All | Question::Count => match meant.owner {
                Some(owner) if !owner.is_none() => self.owned(owner, &mut search),
                _ => self.all(&meant, &mut search),
            },
        }
        let Search { cost, is_cut, count, .. } = search;
        if keep == Keep::All {
            found.sort();
        }
        Asked { cost, is_cut, count }
    }

    /// Those that a ray meets: bodies by their shapes, others by their radius.
    fn along(&self, from: Vec3, to: Vec3, search: &mut Search<'_>) {
        let way = to - from;
        let length = way.length();
        let meet = |object: &Object| self.meet(from, way, length, object);
        self.keys.space.along(self.block, (from, to), self.moulds.radius_max(), search, &meet);
        for large in self.keys.large.get(self.block) {
            let Some((handle, object)) = self.keys.objects.get_untrusted(self.block, large.raw()) else { continue };
            if !search.spend(1) {
                return;
            }
            search.look(handle, object, &meet);
        }
    }

    fn meet(&self, from: Vec3, way: Vec3, length: f32, object: &Object) -> Option<(f32, Vec3)> {
        let mould = self.moulds.get(object.mind.program);
        let body = mould.and_then(|mould| mould.body).filter(|_| object.parent.is_none());
        let shape = body.and_then(|body| self.moulds.shapes().get(body.shape));
        let (Some(body), Some(shape)) = (body, shape) else { return meet_sphere(from, way, length, object) };
        // What stops nothing does not stop a ray.
        if body.is(flag::TRIGGER) {
            return None;
        }
        let hit = ray::cast(shape, &Pose::new(object.position, object.orientation), from, way, length)?;
        Some((hit.distance, from + way.normal() * hit.distance))
    }

    fn all(&self, meant: &Meant, search: &mut Search<'_>) {
        let mut sets = [Set::All; 3];
        let wanted = [
            meant.team.map(Set::Team),
            meant.kinds.filter(|kinds| kinds.count_ones() == 1).map(|kinds| Set::Class(kinds.trailing_zeros())),
            meant.flag.map(Set::Flag),
        ];
        sets.iter_mut().zip(wanted).for_each(|(set, wanted)| *set = wanted.unwrap_or(Set::All));
        if !search.spend(self.keys.sets.words()) {
            return;
        }
        for slot in self.keys.sets.each(self.block, &sets, meant.other_than.map(Set::Team)) {
            let Some((handle, object)) = self.keys.objects.get_absolute(self.block, slot) else { continue };
            if !search.take(handle, object) {
                return;
            }
        }
    }

    fn owned(&self, owner: Handle<Object>, search: &mut Search<'_>) {
        let Some((_, owner)) = self.keys.objects.get_untrusted(self.block, owner.raw()) else { return };
        let mut next = owner.first_owned;
        for _ in 0..self.keys.objects.capacity() {
            let Some((handle, object)) = self.keys.objects.get_untrusted(self.block, next.raw()) else { return };
            next = object.next_owned;
            if !search.take(handle, object) {
                return;
            }
        }
    }
}

impl Outside for Sight<'_> {
    #[inline]
    fn object(&self, handle: Handle<()>, _: u16) -> Option<(&Program, RowView<'_>)> {
        let (_, object, values) = self.keys.objects.values_untrusted(self.block, handle.raw())?;
        Some((self.moulds.programs().get(object.mind.program)?, RowView { head: &object.mind, values }))
    }

    #[inline]
    fn known(&self, handle: Handle<()>, _: u16, name: StringId) -> Option<Value> {
        let (_, object) = self.keys.objects.get_untrusted(self.block, handle.raw())?;
        self.moulds.programs().get(object.mind.program)?;
        object.known(name)
    }

    #[inline]
    fn is_there(&self, handle: Handle<()>, _: u16) -> bool {
        let found = self.keys.objects.get_untrusted(self.block, handle.raw());
        found.is_some_and(|(_, object)| self.moulds.programs().get(object.mind.program).is_some())
    }

    fn ask(&self, question: &Question, filter: &Filter, found: &mut Hits, budget: u64) -> Asked {
        let asked = self.find(question, filter, found, budget);
        self.minds.look(asked.cost, asked.is_cut);
        asked
    }
}

impl Meant {
    fn of(filter: &Filter, sight: &Sight<'_>) -> Meant {
        let team = |team: Option<i32>| team.and_then(|team| u32::try_from(team).ok());
        let kinds = (!filter.class.is_none()).then(|| sight.moulds.kinds(filter.class));
        let flag = (!filter.flag.is_none()).then(|| flag_number(&sight.manner.flags, filter.flag));
        let is_no_team = filter.team.is_some_and(|team| u32::try_from(team).map_or(true, |team| team >= TEAMS_MAX));
        Meant {
            team: team(filter.team),
            other_than: team(filter.other_than_team).filter(|team| *team < TEAMS_MAX),
            kinds,
            flag: flag.flatten(),
            owner: filter.owner.map(Handle::cast),
            except: filter.except.map(Handle::cast),
            is_nobody: kinds == Some(0) || flag == Some(None) || is_no_team,
        }
    }

    #[inline]
    fn holds(&self, handle: Handle<Object>, object: &Object) -> bool {
        self.team.is_none_or(|team| object.team == team)
            && self.other_than.is_none_or(|team| object.team != team)
            && self.kinds.is_none_or(|kinds| kinds.checked_shr(object.class).unwrap_or(0) & 1 == 1)
            && self.flag.is_none_or(|flag| object.flags >> flag & 1 == 1)
            && self.owner.is_none_or(|owner| object.owner == owner)
            && !self.except.contains(&handle)
    }
}

/// The number of a flag.
pub fn flag_number(flags: &[StringId], name: StringId) -> Option<u32> {
    flags.iter().position(|known| *known == name).map(|number| number as u32)
}
