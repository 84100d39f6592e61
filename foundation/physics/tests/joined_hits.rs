//! Bodies that hit articulations: the momentum they exchange is that of the whole articulation, as a dense solve of all joints and
//! the contact in double precision gives it.

use base::{Handle, Quat, Vec3};
use physics::{Body, Capacities, Joint, JointDefinition, Shape};

use crate::common::machines::{Car, Ragdoll, WORLD};
use crate::common::{Scene, kinetic};

fn empty(bodies: u32, joints: u32) -> Scene {
    let capacities = Capacities { joints, ..Capacities::for_bodies(bodies) };
    let mut scene = Scene::with(capacities, 0.0, state::world::Settings::default());
    scene.settings.seconds = 0.01;
    scene
}

type Row = (usize, [f64; 6], usize, [f64; 6]);

/// The bodies of a scene as a dense system: inverse masses, velocities, and rows of the Jacobian.
struct Dense {
    bodies: Vec<Body>,
    rows: Vec<Row>,
}

/// The index of the world.
const NONE: usize = usize::MAX;

impl Dense {
    fn of(scene: &Scene, bodies: &[Handle<Body>], joints: &[Handle<Joint>]) -> Dense {
        let mut dense = Dense { bodies: bodies.iter().map(|body| *scene.body(*body)).collect(), rows: Vec::new() };
        let index = |handle: Handle<Body>| bodies.iter().position(|body| *body == handle).unwrap_or(NONE);
        for joint in joints {
            let joint = scene.joint(*joint);
            let (first, second) = (index(joint.first), index(joint.second));
            let turn = |at: usize| dense.bodies.get(at).map_or(Quat::IDENTITY, |body| body.rotation);
            let place = |at: usize, anchor: Vec3| {
                dense.bodies.get(at).map_or(anchor, |body| body.position + body.rotation.rotate(anchor))
            };
            let at = place(second, joint.second_anchor);
            // The joint's own axes: hinges and wheels turn about x, wheels are sprung along z.
            let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| turn(first).rotate(joint.first_rotation.rotate(axis)));
            use physics::joint::JointKind::{Ball, Fixed, Hinge, Wheel};
            let (linear, angular): (&[usize], &[usize]) = match joint.kind() {
                Ball => (&[0, 1, 2], &[]),
                Hinge => (&[0, 1, 2], &[1, 2]),
                Fixed => (&[0, 1, 2], &[0, 1, 2]),
                Wheel => (&[0, 1], &[1, 2]),
                other => panic!("no rows for {other:?}"),
            };
            for axis in linear {
                dense.push_point(first, second, at, axes[*axis]);
            }
            for axis in angular {
                let turn = axes[*axis].to_array().map(f64::from);
                let row = |sign: f64| [0.0, 0.0, 0.0, sign * turn[0], sign * turn[1], sign * turn[2]];
                dense.rows.push((first, row(-1.0), second, row(1.0)));
            }
        }
        dense
    }

    /// A row for the relative velocity of two bodies at a point.
    fn push_point(&mut self, first: usize, second: usize, at: Vec3, along: Vec3) {
        let row = |body: usize, sign: f64| {
            let arm = self.bodies.get(body).map_or(Vec3::ZERO, |body| at - body.world_center_of_mass());
            let turn = arm.cross(along);
            [along.x, along.y, along.z, turn.x, turn.y, turn.z].map(|value| f64::from(value) * sign)
        };
        self.rows.push((first, row(first, -1.0), second, row(second, 1.0)));
    }

    fn inverse_mass_times(&self, body: usize, row: &[f64; 6]) -> [f64; 6] {
        let Some(body) = self.bodies.get(body) else { return [0.0; 6] };
        let inertia = body.inverse_inertia_world().columns.map(|column| column.to_array().map(f64::from));
        let mass = f64::from(body.inverse_mass);
        let turned = |axis: usize| (0..3).map(|column| inertia[column][axis] * row[3 + column]).sum();
        [row[0] * mass, row[1] * mass, row[2] * mass, turned(0), turned(1), turned(2)]
    }

    /// The impulse along the last row that reverses its relative velocity by this restitution, with all other rows kept.
    fn impulse(&self, restitution: f64) -> f64 {
        let dot = |one: &[f64; 6], other: &[f64; 6]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f64>();
        let count = self.rows.len();
        let mut matrix = vec![vec![0.0; count + 1]; count];
        for (line, (first, on_first, second, on_second)) in self.rows.iter().enumerate() {
            let response = [self.inverse_mass_times(*first, on_first), self.inverse_mass_times(*second, on_second)];
            for (column, other) in self.rows.iter().enumerate() {
                for (body, row) in [(other.0, &other.1), (other.2, &other.3)] {
                    if body != NONE && body == *first {
                        matrix[line][column] += dot(&response[0], row);
                    }
                    if body != NONE && body == *second {
                        matrix[line][column] += dot(&response[1], row);
                    }
                }
            }
            matrix[line][line] *= 1.0 + 1e-9;
            let speed = |at: usize, row: &[f64; 6]| {
                self.bodies.get(at).map_or(0.0, |body| {
                    let (velocity, spin) = (body.velocity.to_array(), body.angular_velocity.to_array());
                    (0..3).map(|axis| row[axis] * f64::from(velocity[axis])).sum::<f64>()
                        + (0..3).map(|axis| row[3 + axis] * f64::from(spin[axis])).sum::<f64>()
                })
            };
            let before = speed(*first, on_first) + speed(*second, on_second);
            matrix[line][count] = if line + 1 == count { -(1.0 + restitution) * before } else { -before };
        }
        for pivot in 0..count {
            let best = (pivot..count).max_by(|a, b| matrix[*a][pivot].abs().total_cmp(&matrix[*b][pivot].abs()));
            matrix.swap(pivot, best.expect("a row"));
            for line in 0..count {
                if line != pivot {
                    let (part, above) = (matrix[line][pivot] / matrix[pivot][pivot], matrix[pivot].clone());
                    matrix[line].iter_mut().zip(&above).for_each(|(value, above)| *value -= part * above);
                }
            }
        }
        matrix[count - 1][count] / matrix[count - 1][count - 1]
    }
}

/// Throws a ball of this mass at a body of an articulation: the impulse that it got, and the one it should.
fn throw_at(
    scene: &mut Scene,
    (bodies, joints): (&[Handle<Body>], &[Handle<Joint>]),
    (target, at, along): (Handle<Body>, Vec3, Vec3),
    (mass, speed, restitution): (f32, f32, f32),
) -> (f64, f64) {
    let radius = 0.05;
    let volume = 4.188_790_2 * radius * radius * radius;
    let ball = scene.add(Shape::Sphere(radius), mass / volume, at - along * (radius + 0.003), |body| {
        (body.velocity, body.restitution, body.friction) = (along * speed, restitution, 0.0);
    });
    scene.edit(target, |body| (body.restitution, body.friction) = (restitution, 0.0));
    let all: Vec<_> = bodies.iter().copied().chain([ball]).collect();
    let mut dense = Dense::of(scene, &all, joints);
    let target = bodies.iter().position(|body| *body == target).expect("a body of it");
    dense.push_point(target, bodies.len(), at, along);
    let expected = dense.impulse(f64::from(restitution));
    let energy = |scene: &Scene| all.iter().map(|body| kinetic(scene.body(*body))).sum::<f64>();
    let before = energy(scene);
    let mut got = 0.0;
    // The first impact only: the articulation may come back.
    for _ in 0..1 + (0.3 / speed) as u32 {
        scene.step();
        assert!(energy(scene) < before * 1.001, "energy rises from {before} to {}", energy(scene));
        got = f64::from((scene.body(ball).velocity - along * speed).dot(along)) * f64::from(mass);
        if restitution > 0.0 && got != 0.0 {
            break;
        }
    }
    (got, expected)
}

fn check(name: &str, (got, expected): (f64, f64), tolerance: f64) {
    let off = got / expected - 1.0;
    assert!(off.abs() < tolerance, "{name}: impulse {got} instead of {expected}, {:.1} % off", off * 100.0);
}

fn dumbbell(scene: &mut Scene) -> (Vec<Handle<Body>>, Vec<Handle<Joint>>) {
    let small = scene.add(Shape::Box(Vec3::splat(0.1)), 125.0, Vec3::ZERO, |_| {});
    let large = scene.add(Shape::Box(Vec3::splat(0.2)), 9.0 / 0.064, Vec3::new(0.4, 0.0, 0.0), |_| {});
    let joint = scene.join(JointDefinition::fixed(small, large, Vec3::new(0.15, 0.0, 0.0)));
    (vec![small, large], vec![joint])
}

#[test]
fn a_ball_hits_a_dumbbell_as_one_body() {
    for restitution in [0.0, 0.3, 1.0] {
        for (mass, speed) in [(0.2, 3.0), (5.0, 3.0), (100.0, 3.0), (5.0, 0.5), (5.0, 30.0)] {
            for offset in [0.0, 0.06] {
                let mut scene = empty(8, 4);
                let (bodies, joints) = dumbbell(&mut scene);
                let hit = (bodies[0], Vec3::new(-0.1, offset, 0.0), Vec3::X);
                let result = throw_at(&mut scene, (&bodies, &joints), hit, (mass, speed, restitution));
                check(&format!("{mass} kg at {speed} m/s, restitution {restitution}, {offset} m"), result, 0.03);
            }
        }
    }
}

/// A chain of ten links of 1 kg along −z, hanging from the world.
fn chain(scene: &mut Scene) -> (Vec<Handle<Body>>, Vec<Handle<Joint>>) {
    let (mut bodies, mut joints): (Vec<Handle<Body>>, _) = (Vec::new(), Vec::new());
    for number in 0..10 {
        let from = Vec3::new(0.0, 0.0, -0.4 * number as f32);
        let half = Vec3::new(0.05, 0.05, 0.19);
        let body = scene.add(Shape::Box(half), 1.0 / (8.0 * half.x * half.y * half.z), from - Vec3::Z * 0.2, |_| {});
        joints.push(scene.join(JointDefinition::ball(bodies.last().copied().unwrap_or(WORLD), body, from)));
        bodies.push(body);
    }
    (bodies, joints)
}

#[test]
fn a_ball_hits_a_hanging_chain() {
    for restitution in [0.3, 1.0] {
        for (link, up) in [(0, 0.0), (4, 0.0), (4, 0.15), (9, 0.0), (9, -0.17)] {
            for (mass, speed) in [(0.3, 3.0), (3.0, 3.0), (20.0, 1.0)] {
                let mut scene = empty(16, 16);
                let (bodies, joints) = chain(&mut scene);
                let at = scene.body(bodies[link]).position + Vec3::new(-0.05, 0.0, up);
                let result =
                    throw_at(&mut scene, (&bodies, &joints), (bodies[link], at, Vec3::X), (mass, speed, restitution));
                let name = format!("link {link} at {up}, {mass} kg at {speed} m/s, restitution {restitution}");
                check(&name, result, 0.05);
            }
        }
    }
}

#[test]
fn a_ball_hits_a_ragdoll() {
    // The chest, a thigh and a foot.
    for (part, reach) in [(1, 0.11), (5, 0.07), (7, 0.12)] {
        for (mass, speed) in [(1.0, 4.0), (10.0, 4.0)] {
            let mut scene = empty(32, 32);
            let ragdoll = Ragdoll::new(&mut scene, Vec3::ZERO);
            for body in &ragdoll.bodies {
                scene.edit(*body, |body| body.angular_damping = 0.0);
            }
            for joint in &ragdoll.joints {
                scene.edit_joint(*joint, |joint| joint.drag = 0.0);
            }
            let at = scene.body(ragdoll.bodies[part]).position - Vec3::new(reach, 0.0, 0.0);
            let hit = (ragdoll.bodies[part], at, Vec3::X);
            let result = throw_at(&mut scene, (&ragdoll.bodies, &ragdoll.joints), hit, (mass, speed, 0.5));
            check(&format!("part {part}, {mass} kg at {speed} m/s"), result, 0.05);
        }
    }
}

#[test]
fn a_ball_hits_a_car() {
    for restitution in [0.3, 1.0] {
        for (mass, speed) in [(20.0, 5.0), (300.0, 5.0), (2000.0, 10.0)] {
            for (is_wheel, along) in [(false, Vec3::X), (false, Vec3::Y), (true, Vec3::Y)] {
                let mut scene = empty(16, 8);
                let car = Car::new(&mut scene, Vec3::ZERO);
                let all: Vec<_> = [car.hull].into_iter().chain(car.wheels.iter().copied()).collect();
                let target = if is_wheel { car.wheels[0] } else { car.hull };
                let reach = if is_wheel { 0.35 } else { 2.0 * along.x + 0.8 * along.y };
                let at = scene.body(target).position - along * reach;
                let result = throw_at(&mut scene, (&all, &car.joints), (target, at, along), (mass, speed, restitution));
                let name = format!("wheel {is_wheel} along {along:?}, {mass} kg, restitution {restitution}");
                check(&name, result, 0.05);
            }
        }
    }
}

#[test]
fn two_cars_collide_with_all_their_mass() {
    for restitution in [0.0, 0.3, 0.8] {
        let mut scene = empty(16, 8);
        let cars = [-2.1, 2.1].map(|x| Car::new(&mut scene, Vec3::new(x, 0.0, 0.0)));
        for (car, speed) in cars.iter().zip([5.0, -5.0]) {
            for body in car.wheels.iter().chain([&car.hull]) {
                scene
                    .edit(*body, |body| (body.velocity.x, body.restitution, body.friction) = (speed, restitution, 0.0));
            }
        }
        scene.run(4);
        let speed = |scene: &Scene, car: &Car| {
            let bodies = car.wheels.iter().chain([&car.hull]).map(|body| *scene.body(*body));
            let (momentum, mass) = bodies.fold((0.0, 0.0), |(momentum, mass), body| {
                (momentum + body.velocity.x / body.inverse_mass, mass + 1.0 / body.inverse_mass)
            });
            momentum / mass
        };
        let [left, right] = [speed(&scene, &cars[0]), speed(&scene, &cars[1])];
        let expected = -5.0 * restitution;
        assert!((left - expected).abs() < 0.15 && (right + expected).abs() < 0.15, "{restitution}: {left} {right}");
    }
}

#[test]
fn crates_on_a_car_come_to_rest_and_are_carried() {
    let mut scene = crate::common::machines::with_ground(64, 8);
    let car = Car::new(&mut scene, Vec3::ZERO);
    scene.run(60);
    let crates: Vec<_> = (0..12)
        .map(|number| {
            let at = Vec3::new(0.45 * (number % 4) as f32 - 0.7, 0.0, 1.3 + 0.42 * (number / 4) as f32);
            scene.add(Shape::Box(Vec3::splat(0.2)), 300.0, at, |body| body.friction = 0.8)
        })
        .collect();
    scene.run(120);
    let is_asleep = |scene: &Scene| crates.iter().all(|body| scene.body(*body).is(physics::flag::ASLEEP));
    assert!(is_asleep(&scene), "crates on a car are asleep after two seconds");
    car.drive(&mut scene, 15.0, 150.0);
    scene.run(240);
    let hull = *scene.body(car.hull);
    assert!(hull.position.x > 5.0, "{hull:?}");
    for body in &crates {
        let local = scene.body(*body).position - hull.position;
        assert!(local.x.abs() < 1.6 && local.z > 0.4, "a crate has fallen: {local:?}");
    }
}
