//! The placement of an object in its own update: it moves by its velocity, turns by its angular velocity, and its variables are validated.
//!
//! Laws
//! 1. Positions, velocities and directions are finite and within the limits; any other value is warned of and replaced by the last
//!    good one.
//! 2. Links to others are not touched here: a change is queued at the placement brush.
//! 3. An object with nothing to do before a cycle sleeps until then.

use base::number::{canonical, clamp};
use base::{Handle, Quat, StringId, Vec3};
use script::value::Value;

use crate::condition::{Condition, Warning};
use crate::limits::{FAR, FAST};
use crate::object::{FACING, OWNER, POSITION, Stage, TEAM, VARIABLES, VELOCITY, handle_of, linked, team_of, value_of};
use crate::object_context::ObjectContext;
use crate::parts::{FOLLOW, PlacementRequest, SETTLE};
use crate::pose::{PoseVariables, limited_spin};
use crate::rules::LEVEL;
use crate::space::NO_CELL;

impl ObjectContext<'_, '_> {
    /// Moves the object by its velocity.
    pub fn advance(&mut self) {
        let Some(velocity) = self.values.get(VELOCITY).and_then(|value| value.as_vector()) else { return };
        if velocity == Vec3::ZERO || !self.item.next.parent.is_none() || self.has_body() {
            return;
        }
        if let Some(position) = self.values[POSITION].as_vector() {
            self.values[POSITION] = Value::vector(position + velocity * self.cycle.seconds());
        }
    }

    /// Validates the object's variables, queues the changes of its links, and lets it sleep if it can.
    pub fn settle(&mut self) {
        self.item.next.agreed = 0;
        if self.values.len() < VARIABLES.len() {
            return;
        }
        let before = self.item.next.position;
        let position = self.valid_position();
        let velocity = self.valid_velocity();
        debug_assert!(
            velocity.abs().max_component() <= FAST,
            "law 1 of placement: the velocity {velocity:?} exceeds the limit"
        );
        let has_turned = self.follow_orientation();
        let has_moved = position != before || self.item.next.is(Stage::New);
        let (space, object) = (self.cycle.rules.space, &mut *self.item.next);
        // Stored canonical: a variable with another representation is read from the row.
        (object.position, object.velocity) = (position, velocity.canonical());
        let is_elsewhere = has_moved && (object.cell == NO_CELL || !space.is_same_cell(before, position));
        let is_other = is_elsewhere | self.has_joined() | self.has_changed_hands();
        // The level has no position and no team.
        let is_level = self.item.handle == LEVEL;
        if is_other && !is_level && !self.queue(SETTLE) {
            // The queue is full and the spatial hash cannot follow: it stays where it was and tries again.
            let object = &mut *self.item.next;
            object.position = before;
            object.stage = if object.is(Stage::New) { Stage::Living as u16 } else { object.stage };
            return self.item.wake();
        }
        if (has_moved || has_turned) && !is_level && !self.item.next.first_child.is_none() {
            self.queue(FOLLOW);
        }
        if has_moved && !is_level {
            self.cross_trigger_volumes(before, position);
        }
        if self.item.next.is(Stage::New) {
            self.item.next.stage = Stage::Living as u16;
        }
        self.item.next.agree(self.values);
        self.rest(velocity);
    }

    /// Whether physics moves it.
    fn has_body(&self) -> bool {
        let bodies = self.cycle.rules.parts.bodies.get(self.item.frozen);
        bodies.get(usize::from(self.item.handle.slot())).is_some_and(|body| !body.is_none())
    }

    fn valid_position(&mut self) -> Vec3 {
        let last = self.item.next.position;
        let written = self.values[POSITION].as_vector();
        if written == Some(last) && self.item.next.parent.is_none() {
            return last;
        }
        let valid = match written {
            // The parent places an attached object.
            _ if !self.item.next.parent.is_none() => finite(last),
            Some(written) if written.is_finite() => {
                let valid = written.clamp(Vec3::splat(-FAR), Vec3::splat(FAR)).canonical();
                if valid != written {
                    self.warn(Warning::new(Condition::TooFar, StringId::default()));
                }
                valid
            }
            _ => {
                self.warn(Warning::new(Condition::NotFinite, StringId::new(VARIABLES[POSITION])));
                finite(last)
            }
        };
        self.values[POSITION] = Value::vector(valid);
        valid
    }

    fn valid_velocity(&mut self) -> Vec3 {
        let written = self.values[VELOCITY].as_vector().filter(|written| written.is_finite());
        let Some(written) = written else {
            self.warn(Warning::new(Condition::NotFinite, StringId::new(VARIABLES[VELOCITY])));
            self.values[VELOCITY] = Value::vector(Vec3::ZERO);
            return Vec3::ZERO;
        };
        let is_slow = |speed: f32| speed.abs() <= FAST;
        if is_slow(written.x) && is_slow(written.y) && is_slow(written.z) {
            return written;
        }
        self.warn(Warning::new(Condition::TooFast, StringId::default()));
        let cut = |speed: f32| canonical(clamp(speed, -FAST, FAST));
        let velocity = Vec3::new(cut(written.x), cut(written.y), cut(written.z));
        self.values[VELOCITY] = Value::vector(velocity);
        velocity
    }

    /// Follows the variables of its orientation, and turns by its angular velocity if it has no body; whether it turned.
    fn follow_orientation(&mut self) -> bool {
        let variables = self.pose_variables();
        let object = &*self.item.next;
        if variables.is_empty() && self.values[FACING].as_vector() == Some(object.facing) {
            return false;
        }
        let (stated, wrong) = variables.requested(object, self.values);
        let (before, facing) = (object.orientation, object.facing);
        let mut turned = stated.turned(before, facing);
        if let Some(name) = wrong {
            self.warn(Warning::new(Condition::NotFinite, name));
        }
        if let Some(spin) = self.own_spin(variables) {
            let (orientation, _) = turned.unwrap_or((before, facing));
            let orientation = orientation.turned(spin, self.cycle.seconds());
            turned = Some((orientation, orientation.rotate(Vec3::X).canonical()));
        }
        let (orientation, facing) = turned.filter(|(turned, _)| turned.is_finite()).unwrap_or((before, facing));
        let object = &mut *self.item.next;
        (object.orientation, object.facing) = (orientation, facing);
        self.values[FACING] = Value::vector(facing);
        variables.write(object, self.values);
        if orientation == before {
            return false;
        }
        let parent = linked(self.cycle.rules.parts.objects, self.item.frozen, object.parent);
        let parent = parent.map_or(Quat::IDENTITY, |parent| parent.orientation);
        object.relative = (parent.conjugate() * orientation).normal();
        true
    }

    fn pose_variables(&self) -> PoseVariables {
        let prototype = self.cycle.prototypes.get(self.item.next.mind.program);
        prototype.map_or(PoseVariables::NONE, |prototype| prototype.pose)
    }

    /// The angular velocity by which the world turns it: it has no body and is not attached. None if it does not turn.
    fn own_spin(&self, variables: PoseVariables) -> Option<Vec3> {
        let spin = variables.spin(self.values).map(limited_spin).filter(|spin| *spin != Vec3::ZERO)?;
        (self.item.next.parent.is_none() && !self.has_body()).then_some(spin)
    }

    fn has_joined(&mut self) -> bool {
        let team = self.item.next.team;
        match team_of(self.values[TEAM]) {
            Some(written) => written != team,
            None => {
                self.warn(Warning::new(Condition::NoSuchTeam, StringId::default()));
                self.values[TEAM] = Value::number(f64::from(team));
                false
            }
        }
    }

    fn has_changed_hands(&mut self) -> bool {
        let owner = self.values[OWNER];
        if owner == Value::NOTHING {
            return !self.item.next.owner.is_none();
        }
        handle_of(owner) != self.item.next.owner
    }

    /// Reports to the level the trigger volumes that the object has entered and left.
    fn cross_trigger_volumes(&mut self, before: Vec3, after: Vec3) {
        let rules = self.cycle.rules;
        let is_new = self.item.next.is(Stage::New);
        for volume in &rules.level.trigger_volumes {
            let crossed = (!is_new && volume.holds(before), volume.holds(after));
            if let Some(message) = volume.crossing(value_of(self.item.handle), crossed) {
                let level = rules.parts.objects.address(LEVEL);
                self.item.queue(rules.parts.messages, level, &message);
            }
        }
    }

    /// Sleeps until there is something to do.
    fn rest(&mut self, velocity: Vec3) {
        let is_free = self.item.next.parent.is_none() && !self.has_body();
        let is_moving = is_free && velocity != Vec3::ZERO || self.own_spin(self.pose_variables()).is_some();
        let (next, update_at) = (self.item.cycle() + 1, self.item.next.update_at);
        // The usual case: it is awake to move, and its timers need no search.
        if is_moving || update_at <= next {
            return self.item.wake();
        }
        match self.next_timer().min(update_at) {
            u64::MAX => self.item.sleep(),
            due if due <= next => self.item.wake(),
            due => self.item.sleep_until(due),
        }
    }

    fn queue(&mut self, kind: u32) -> bool {
        let (position, other) = (Vec3::ZERO, Handle::NONE);
        let request = PlacementRequest { name: StringId::default(), position, other, kind, number: 0 };
        let (requests, address) = (self.cycle.rules.parts.placement_requests, self.item.address());
        self.item.queue(requests, address, &request)
    }
}

/// A position, or the origin if it is not finite.
fn finite(place: Vec3) -> Vec3 {
    if place.is_finite() { place } else { Vec3::ZERO }
}
