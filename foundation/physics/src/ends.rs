//! Ends of joints: an index from bodies to their joints.
//!
//! Laws
//! 1. Every joint has one end here for each of its bodies. Ends are sorted by body, the world first, then by joint.
//! 2. They are stored in the block and follow from its joints: joints are created, changed and deleted here.
//!
//! Cost: a query takes a binary search and the joints found; creating or deleting a joint scans all ends, eight bytes
//! each.

use base::Handle;
use state::{Block, World};

use crate::body::Body;
use crate::joint::Joint;
use crate::limits::ENDS_MAX;
use crate::parts::{End, Parts};

impl End {
    fn new(body: Handle<Body>, joint: u32) -> End {
        End { body: if body.is_none() { 0 } else { u32::from(body.slot()) + 1 }, joint }
    }
}

impl Parts {
    /// The joints of a body, or of the world, in the order of their slots, beginning with a slot.
    pub fn joints_of<'a>(
        &self,
        block: &'a Block,
        body: Handle<Body>,
        from: u32,
    ) -> impl Iterator<Item = (Handle<Joint>, &'a Joint)> + use<'a> {
        let (joints, ends) = (self.joints, self.ends.get(block));
        let first = ends.partition_point(|end| *end < End::new(body, from));
        let own = ends[first..].iter().take_while(move |end| end.body == End::new(body, 0).body);
        // A slot may have been reused by another joint.
        let found = own.filter(move |end| end.joint < joints.capacity());
        let found = found.filter_map(move |end| joints.at_slot(block, end.joint as u16));
        found.filter(move |(_, joint)| joint.first == body || joint.second == body)
    }

    /// Creates a joint; none if the capacity is reached.
    pub fn create_joint(&self, world: &mut World, joint: &Joint) -> Option<Handle<Joint>> {
        let (handle, mut place) = self.joints.create(world)?;
        *place = *joint;
        drop(place);
        self.note_ends(world, handle, [joint.first, joint.second]);
        Some(handle)
    }

    /// Deletes an existing joint.
    pub fn delete_joint(&self, world: &mut World, handle: Handle<Joint>) {
        self.forget_ends(world, u32::from(handle.slot()));
        self.joints.delete(world, handle);
    }

    /// Updates the ends of a joint whose bodies changed.
    pub fn note_ends(&self, world: &mut World, handle: Handle<Joint>, bodies: [Handle<Body>; 2]) {
        let joint = u32::from(handle.slot());
        self.forget_ends(world, joint);
        for end in bodies.map(|body| End::new(body, joint)) {
            if let Err(index) = self.ends.get(world).binary_search(&end) {
                self.ends.insert(world, index as u32, end);
            }
        }
    }

    fn forget_ends(&self, world: &mut World, joint: u32) {
        for _ in 0..ENDS_MAX {
            let Some(index) = self.ends.get(world).iter().position(|end| end.joint == joint) else { return };
            self.ends.remove(world, index as u32);
        }
    }
}
