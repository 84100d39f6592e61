//! Where objects and the markers of their models are while a frame is shown.

use alloc::vec::Vec;

use base::{Quat, StringId, Vec3};
use tags::Library;
use tags::packed::View;

use crate::classes::Model;
use crate::colour::Colour;
use crate::frame::Frame;
use crate::instance::{Instance, NodePose, look};
use crate::limits::NODE_DEPTH_MAX;

/// A moving coordinate frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its position.
    pub position: Vec3,
    /// Its rotation.
    pub orientation: Quat,
    /// Its velocity.
    pub velocity: Vec3,
    /// The object's colour, by which effects may be coloured.
    pub colour: Colour,
    /// Whether it did not pass through the space between here and where it was before.
    pub is_teleported: bool,
}

/// Says where things are. Presentation moves what it shows ahead of a frame, so effects ask it.
pub trait Placement {
    /// The place of an object, or of a marker or node of its model; without such a one, that of the object. None: it is not in
    /// the frame.
    fn place(&self, object: u32, marker: StringId) -> Option<Place>;
}

/// The indices of a frame's instances, by their objects.
#[derive(Clone, Debug, Default)]
pub struct ObjectIndex {
    entries: Vec<(u32, u32)>,
}

impl ObjectIndex {
    /// Lists the objects of a frame. Keeps its memory.
    pub fn update(&mut self, frame: &Frame) {
        self.entries.clear();
        let listed = frame.instances.iter().enumerate().filter(|(_, instance)| instance.object != 0);
        self.entries.extend(listed.map(|(index, instance)| (instance.object, index as u32)));
        if !self.entries.is_sorted() {
            self.entries.sort_unstable();
        }
    }

    /// The index of an object's instance, its first if it has several.
    pub fn find(&self, object: u32) -> Option<usize> {
        let at = self.entries.partition_point(|(known, _)| *known < object);
        self.entries.get(at).filter(|(known, _)| *known == object).map(|(_, index)| *index as usize)
    }
}

/// The places of a frame's instances, moved ahead by their velocities, or where presentation shows them.
#[derive(Clone, Copy)]
pub struct FramePlacement<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// Where its objects are listed.
    pub index: &'a ObjectIndex,
    /// The tags: for the markers of models.
    pub content: &'a Library,
    /// The world time since the frame's moment, in seconds.
    pub ahead: f32,
    /// Where the instances are shown, in their order. Those beyond its end are moved ahead.
    pub shown: &'a [(Vec3, Quat)],
}

impl Placement for FramePlacement<'_> {
    fn place(&self, object: u32, marker: StringId) -> Option<Place> {
        let index = self.index.find(object)?;
        let instance = self.frame.instances.get(index)?;
        let (position, orientation) = self.shown.get(index).copied().unwrap_or_else(|| self.predicted(instance));
        let (offset, rotation) = self.marker(instance, marker).unwrap_or((Vec3::ZERO, Quat::IDENTITY));
        let lever = orientation.rotate(offset * instance.scale);
        Some(Place {
            position: position + lever,
            orientation: (orientation * rotation).normal(),
            velocity: instance.velocity + instance.angular_velocity.cross(lever),
            colour: instance.colour,
            is_teleported: instance.look & look::TELEPORTED != 0,
        })
    }
}

impl FramePlacement<'_> {
    fn predicted(&self, instance: &Instance) -> (Vec3, Quat) {
        let position = instance.position + instance.velocity * self.ahead;
        (position, instance.orientation.turned(instance.angular_velocity, self.ahead))
    }

    /// A marker or a node in the frame of its model. The cost is a search by name.
    fn marker(&self, instance: &Instance, name: StringId) -> Option<(Vec3, Quat)> {
        if name.is_none() {
            return None;
        }
        let model = self.content.get_as::<Model>(instance.model)?;
        let found = model.each(&model.markers).iter().find(|marker| marker.name == name);
        let (node, position, rotation) = match found {
            Some(marker) => (usize::try_from(marker.node).ok(), marker.position, Quat::from_vector(marker.rotation)),
            None => {
                let node = model.each(&model.nodes).iter().position(|node| node.name == name)?;
                (Some(node), Vec3::ZERO, Quat::IDENTITY)
            }
        };
        Some(self.within_model(instance, model, node, (position, rotation.normal())))
    }

    /// A place in the frame of a node, in the frame of the model.
    fn within_model(
        &self,
        instance: &Instance,
        model: View<'_, Model>,
        node: Option<usize>,
        place: (Vec3, Quat),
    ) -> (Vec3, Quat) {
        let nodes = model.each(&model.nodes);
        let poses = instance.pose.of(&self.frame.poses);
        let (mut position, mut rotation) = place;
        let mut next = node;
        for _ in 0..NODE_DEPTH_MAX {
            let Some((index, node)) = next.and_then(|index| Some((index, nodes.get(index)?))) else { break };
            let rest = NodePose {
                position: node.position,
                rotation: Quat::from_vector(node.rotation).normal(),
                scale: node.scale,
            };
            let pose = poses.get(index).copied().unwrap_or(rest);
            position = pose.position + pose.rotation.rotate(position.times(pose.scale));
            rotation = pose.rotation * rotation;
            // Parents lie before their children: a tag that says otherwise ends here.
            next = usize::try_from(node.parent).ok().filter(|parent| *parent < index);
        }
        (position, rotation)
    }
}
