//! Penetration depths of final poses, measured by parry's contact query for all contenders alike.

use rapier3d::math::{Pose, Rotation, Vector};
use rapier3d::parry::bounding_volume::{Aabb, BoundingVolume};
use rapier3d::parry::query::contact;
use rapier3d::parry::shape::SharedShape;

use crate::scene::{Form, Moving, Overlaps, Scene, TOUCHING};

/// Tests all pairs of a scene with the moving bodies in these poses.
pub fn judge(scene: &Scene, moving: &[Moving]) -> Overlaps {
    let mut moved = moving.iter();
    let mut solids: Vec<Solid> = scene
        .bodies
        .iter()
        .map(|placed| match placed.density {
            0.0 => Solid::new(placed.form, placed.position, [0.0, 0.0, 0.0, 1.0], false),
            _ => {
                let body = moved.next().expect("every moving body has a pose");
                Solid::new(placed.form, body.position, body.orientation, true)
            }
        })
        .collect();
    solids.sort_by(|first, second| first.bounds.mins.x.total_cmp(&second.bounds.mins.x));
    let mut overlaps = Overlaps::default();
    let mut sum = 0.0;
    for (index, first) in solids.iter().enumerate() {
        let others = solids[index + 1..].iter().take_while(|second| second.bounds.mins.x <= first.bounds.maxs.x);
        for second in others.filter(|second| first.moves || second.moves) {
            let found = first.bounds.intersects(&second.bounds).then(|| {
                contact(&first.pose, &*first.shape, &second.pose, &*second.shape, TOUCHING)
                    .expect("parry supports balls and boxes")
            });
            if let Some(distance) = found.flatten().map(|contact| f64::from(contact.dist)) {
                let depth = (-distance).max(0.0);
                overlaps.touching += 1;
                sum += depth;
                overlaps.deepest = overlaps.deepest.max(depth);
            }
        }
    }
    overlaps.mean = sum / f64::from(overlaps.touching.max(1));
    overlaps
}

/// A shape in a pose.
struct Solid {
    shape: SharedShape,
    pose: Pose,
    bounds: Aabb,
    moves: bool,
}

impl Solid {
    fn new(form: Form, position: [f32; 3], orientation: [f32; 4], moves: bool) -> Solid {
        let shape = match form {
            Form::Ball(radius) => SharedShape::ball(radius),
            Form::Cuboid([x, y, z]) => SharedShape::cuboid(x, y, z),
        };
        let pose = Pose::from_parts(Vector::from_array(position), Rotation::from_array(orientation));
        let bounds = shape.compute_aabb(&pose).loosened(TOUCHING);
        Solid { shape, pose, bounds, moves }
    }
}
