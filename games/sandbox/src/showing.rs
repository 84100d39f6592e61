//! What is shown of a world: agents as markers in the colours of their teams, plants as small green ones.

use astrarium::base::{Quat, Vec3};
use astrarium::state::Block;
use astrarium::view::instance::look;
use astrarium::view::{Colour, Frame, Instance, Moment, Shape};

use crate::parts::Parts;

/// The colours of the three teams.
const TEAMS: [Colour; 3] = [Colour::of(0xf2a541), Colour::of(0x35c4e8), Colour::of(0xd568b5)];
const PLANT: Colour = Colour::of(0x3f9d4f);
const AGENT_RADIUS: f32 = 0.6;
/// The radius of a full-grown plant.
const PLANT_RADIUS: f32 = 0.3;

/// Fills a frame.
pub fn extract(parts: &Parts, world: &Block, moment: &Moment, frame: &mut Frame) {
    frame.clear();
    frame.moment = *moment;
    for (handle, agent) in parts.agents.iterate(world) {
        frame.push_instance(Instance {
            orientation: Quat::from_axis_angle(Vec3::Z, agent.heading),
            velocity: agent.velocity.with_z(0.0),
            colour: TEAMS[usize::from(agent.team) % TEAMS.len()],
            team: agent.team,
            look: if agent.age == 0 { look::TELEPORTED } else { 0 },
            ..Instance::new(handle.raw(), Shape::Marker { radius: AGENT_RADIUS }, agent.position.with_z(0.0))
        });
    }
    for (handle, plant) in parts.plants.iterate(world) {
        let radius = PLANT_RADIUS * (0.3 + 0.7 * plant.food);
        frame.push_instance(Instance {
            colour: PLANT,
            look: look::FIXED,
            ..Instance::new(handle.raw(), Shape::Sphere { radius }, plant.position.with_z(0.0))
        });
    }
}
