//! Spatial and logical queries over the objects of a block, for scripts and for Rust.
//!
//! Laws
//! 1. A query reads one block and nothing else. While simulating, that is the frozen one.
//! 2. The cost of a query is the number of visited candidates, which its budget limits.
//! 3. The cost does not depend on the order of visits.

mod closely;
mod joints;

pub use joints::{Joined, JointFound, Joints, kind_name};

use base::{Handle, Quat, StringId, Vec3};
use physics::Body;
use script::value::Value;
use state::{Block, Entities, List};

use crate::level::GameSettings;
use crate::limits::TEAMS_MAX;
use crate::object::Object;
use crate::parts::NamedObject;
use crate::pose;
use crate::prototype::Prototypes;
use crate::question::{Asked, Filter, Hits, Question, Want};
use crate::sets::{Set, Sets};
use crate::space::{KeepPolicy, Search, Space};
use crate::way_map::Ways;
use crate::workspaces::ScriptWorkspaces;

/// A block, with all that queries over it need.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    /// The block.
    pub block: &'a Block,
    /// The keys into it.
    pub keys: &'a Keys,
    /// The prototypes in force.
    pub prototypes: &'a Prototypes,
    /// The names of flags.
    pub settings: &'a GameSettings,
    /// The map for finding ways, if the level has one.
    pub ways: Option<&'a Ways>,
    /// Where visited candidates are counted.
    pub workspaces: &'a ScriptWorkspaces,
}

/// The keys that queries need.
#[derive(Clone, Copy)]
pub struct Keys {
    /// All objects.
    pub objects: Entities<Object, Value>,
    /// The spatial hash.
    pub space: Space,
    /// The bit sets.
    pub sets: Sets,
    /// The objects too large for the spatial hash.
    pub large: List<Handle<Object>>,
    /// The body of each object, by slot.
    pub bodies: List<Handle<Body>>,
    /// All bodies and joints.
    pub physics: physics::Parts,
    /// The level's own object.
    pub level: Handle<Object>,
    /// The objects that the level placed under names.
    pub names: List<NamedObject>,
}

/// A filter with its names resolved.
struct ResolvedFilter {
    team: Option<u32>,
    other_than: Option<u32>,
    /// A bit for each class.
    kinds: Option<u128>,
    flag: Option<u32>,
    owner: Option<Handle<Object>>,
    except: [Handle<Object>; 2],
    layers: Option<u32>,
    /// It accepts nothing: the class or the flag does not exist.
    is_nobody: bool,
}

impl Sight<'_> {
    /// Answers a query as [`Sight::find`] does, and counts its cost.
    pub fn ask(&self, question: &Question, filter: &Filter, found: &mut Hits, budget: u64) -> Asked {
        let asked = self.find(question, filter, found, budget);
        self.workspaces.look(asked.cost, asked.is_cut);
        asked
    }

    /// Finds the next joint of a cursor, visits no more joints than the budget allows, and counts the cost.
    pub fn joint(&self, joints: &Joints, budget: u64) -> JointFound {
        let found = self.find_joint(joints, budget);
        self.workspaces.look(found.cost, found.is_cut);
        found
    }

    /// Where a marker of an object is, and its orientation.
    pub fn marker(&self, handle: Handle<Object>, name: StringId) -> Option<(Vec3, Quat)> {
        let (_, object) = self.keys.objects.find_raw(self.block, handle.raw())?;
        let prototype = self.prototypes.get(object.mind.program)?;
        let marker = prototype.markers.iter().find(|marker| marker.name == name)?;
        let position = object.position + object.orientation.rotate(marker.offset);
        Some((position, (object.orientation * marker.turn.unwrap_or(Quat::IDENTITY)).normal()))
    }

    /// The variable of an object's orientation or angular velocity: any object has them.
    pub(crate) fn known_pose(&self, handle: Handle<Object>, object: &Object, name: StringId) -> Option<Value> {
        if !pose::is_spin(name) {
            return pose::known(object, name);
        }
        if let Some(body) = self.body(handle, object) {
            return Some(Value::vector(body.angular_velocity));
        }
        let has_own = self.prototypes.get(object.mind.program)?.pose.has_spin();
        (!has_own).then(|| Value::vector(Vec3::ZERO))
    }

    /// Answers a query. Hits are added to `found`, which must be empty, in the order that the query promises.
    pub fn find(&self, question: &Question, filter: &Filter, found: &mut Hits, budget: u64) -> Asked {
        let meant = ResolvedFilter::of(filter, self);
        if meant.is_nobody {
            return Asked { cost: 1, is_cut: false, count: 0 };
        }
        let is_layer = |handle, object: &Object| match meant.layers {
            Some(layers) => self.body(handle, object).is_some_and(|body| body.layers & layers != 0),
            None => true,
        };
        let is_meant = |handle, object: &Object| meant.holds(handle, object) && is_layer(handle, object);
        let keep = match question {
            Question::Nearest { count, .. } => KeepPolicy::Nearest((*count).max(1)),
            Question::Ray { want, .. }
            | Question::Sweep { want, .. }
            | Question::Overlap { want, .. }
            | Question::Surface { want, .. } => KeepPolicy::Nearest(if *want == Want::All { u32::MAX } else { 1 }),
            Question::Count => KeepPolicy::None,
            Question::Within { .. } | Question::Box { .. } | Question::All => KeepPolicy::All,
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
            Question::Ray { from, to, .. } => self.ray(from, to, &mut search),
            Question::Sweep { form, from, to, want } => self.sweep(&form, (from, to), want, &mut search),
            Question::Overlap { form, at, want } => self.overlap(&form, at, want, &mut search),
            Question::Surface { centre, radius_max, want } => {
                self.surface(centre, radius_max as f32, want, &mut search);
            }
            Question::All | Question::Count => match meant.owner {
                Some(owner) if !owner.is_none() => self.owned(owner, &mut search),
                _ => self.all(&meant, &mut search),
            },
        }
        let Search { cost, is_cut, count, .. } = search;
        if keep == KeepPolicy::All {
            found.sort();
        }
        Asked { cost, is_cut, count }
    }

    fn all(&self, meant: &ResolvedFilter, search: &mut Search<'_>) {
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
            let Some((handle, object)) = self.keys.objects.at_slot(self.block, slot) else { continue };
            if !search.take(handle, object) {
                return;
            }
        }
    }

    fn owned(&self, owner: Handle<Object>, search: &mut Search<'_>) {
        let Some((_, owner)) = self.keys.objects.find_raw(self.block, owner.raw()) else { return };
        let mut next = owner.first_owned;
        for _ in 0..self.keys.objects.capacity() {
            let Some((handle, object)) = self.keys.objects.find_raw(self.block, next.raw()) else { return };
            next = object.next_owned;
            if !search.take(handle, object) {
                return;
            }
        }
    }
}

impl ResolvedFilter {
    fn of(filter: &Filter, sight: &Sight<'_>) -> ResolvedFilter {
        let team = |team: Option<i32>| team.and_then(|team| u32::try_from(team).ok());
        let kinds = (!filter.class.is_none()).then(|| sight.prototypes.kinds(filter.class));
        let flag = (!filter.flag.is_none()).then(|| flag_number(&sight.settings.flags, filter.flag));
        let is_no_team = filter.team.is_some_and(|team| u32::try_from(team).map_or(true, |team| team >= TEAMS_MAX));
        ResolvedFilter {
            team: team(filter.team),
            other_than: team(filter.other_than_team).filter(|team| *team < TEAMS_MAX),
            kinds,
            flag: flag.flatten(),
            owner: filter.owner.map(Handle::cast),
            except: filter.except.map(Handle::cast),
            layers: filter.layers,
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
