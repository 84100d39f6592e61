//! The visible outcome of the levels.

use astrarium::base::number::{cos, max, min, sin};
use astrarium::base::{StringId, Vec3};
use astrarium::physics::{Body, flag};
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Heap, Settings};
use astrarium::world::{Condition, Rules};
use quarry::ENTRY;

/// A level, with the rules to read its world.
struct Play {
    session: Session,
    rules: Rules,
}

impl Play {
    fn begin(level: &str) -> Play {
        let content = ENTRY.content(level).expect("the built-in tags have no mistakes");
        let scenario = StringId::from(format!("levels/{level}.scenario").as_str());
        let rules = Rules::new(ENTRY.name, content.library(), scenario);
        let settings = Settings { is_checked: false, ..Settings::default() };
        let start = Start { level: level.into(), seed: 1, players: 1, settings };
        let session = Session::begin(&ENTRY, content, &start, &Heap).expect("the level exists");
        Play { session, rules }
    }

    fn run_to(&mut self, cycle: u64) {
        while self.session.world().cycle() < cycle {
            self.session.step(&Alone);
        }
    }

    /// The bodies of all objects of a tag, or of all tags of a folder.
    fn all(&self, path: &str) -> Vec<Body> {
        let (world, parts) = (self.session.world(), &self.rules.parts);
        let path_of = |tag: StringId| {
            let prototype = self.rules.prototypes.number(tag).and_then(|number| self.rules.prototypes.get(number));
            prototype.map_or("", |prototype| prototype.path.as_str())
        };
        let objects = parts.objects.iterate(world).filter(|(_, object)| path_of(object.tag.id()).starts_with(path));
        let bodies = objects.filter_map(|(handle, _)| parts.body_of(world, handle));
        bodies.map(|body| *parts.physics.parts.bodies.get(world, body)).collect()
    }

    fn joints(&self) -> u32 {
        self.rules.parts.physics.parts.joints.count(self.session.world())
    }

    /// The conditions that came up, except messages to destroyed objects.
    fn wrong(&self) -> Vec<Condition> {
        let counts = self.rules.parts.counts.get(self.session.world());
        let all = Condition::ALL.iter().copied();
        all.filter(|condition| counts.of(*condition) > 0 && *condition != Condition::NoSuchObject).collect()
    }
}

fn asleep(bodies: &[Body]) -> usize {
    bodies.iter().filter(|body| body.is(flag::ASLEEP)).count()
}

#[test]
fn ragdolls_fall_down_the_stairs_and_come_to_rest_in_one_piece() {
    let mut play = Play::begin("ragdolls");
    play.run_to(500);
    let parts = play.all("dolls/");
    assert_eq!((parts.len(), play.joints()), (12 * 11, 12 * 10), "{:?}", play.wrong());
    assert_eq!(play.wrong(), []);
    for part in &parts {
        let place = part.position;
        assert!(place.z > 0.02, "a ragdoll fell through the floor: {place:?}");
        assert!(place.z < 3.5 && place.x > -4.0 && place.x < 25.0, "a ragdoll flew away: {place:?}");
    }
    let below = play.all("dolls/pelvis.thing").iter().filter(|pelvis| pelvis.position.z < 1.0).count();
    assert!(below >= 10, "{below} of twelve are at the foot of the stairs");
    // Drag in the joints damps the limbs.
    play.run_to(700);
    let parts = play.all("dolls/");
    assert_eq!(asleep(&parts), parts.len(), "all of them sleep");
}

#[test]
fn the_convoy_arrives_with_its_trailers_and_its_turret_on_the_target() {
    let mut play = Play::begin("convoy");
    play.run_to(3);
    let begin = play.all("vehicles/truck.vehicle");
    assert_eq!(begin.len(), 5);
    play.run_to(600);
    for wheel in play.all("vehicles/wheel.thing") {
        assert!(wheel.angular_velocity.length() > 5.0, "the wheels do not rotate: {:?}", wheel.angular_velocity);
    }
    play.run_to(1450);
    assert_eq!((play.wrong(), play.joints()), (vec![], 27));
    let (trucks, trailers) = (play.all("vehicles/truck.vehicle"), play.all("vehicles/trailer.vehicle"));
    let lead = trucks.iter().map(|truck| truck.position.x).fold(0.0, max);
    assert!((70.0..90.0).contains(&lead), "{lead}");
    for (truck, before) in trucks.iter().zip(&begin) {
        let Body { position, velocity, rotation: orientation, .. } = *truck;
        assert!(position.x > before.position.x + 50.0, "a truck did not arrive: {position:?}");
        assert!(velocity.length() < 0.5, "a truck still moves: {velocity:?}");
        assert!(orientation.rotate(Vec3::Z).z > 0.95, "a truck does not stand on its wheels");
        let road = 8.0 * sin(position.x / 16.0);
        assert!((position.y - road).abs() < 3.0, "a truck left the road: {position:?}");
    }
    assert_eq!(asleep(&trucks), 5, "all of them sleep");
    for trailer in &trailers {
        let nearest = trucks.iter().map(|truck| truck.position.distance(trailer.position)).fold(f32::MAX, min);
        assert!(nearest < 5.0, "a trailer was lost: {nearest}");
    }
    let turret = play.all("vehicles/turret.thing")[0];
    let (barrel, way) = (turret.rotation.rotate(Vec3::X), Vec3::new(60.0, 50.0, 0.0) - turret.position);
    assert!(barrel.xy().normal().dot(way.xy().normal()) > 0.99, "{barrel:?} {way:?}");
}

#[test]
fn bodies_rest_all_around_the_planet_and_the_moon_orbits_it() {
    let mut play = Play::begin("planet");
    let mut nearest = f32::MAX;
    for cycle in (0..1000).step_by(50) {
        play.run_to(cycle);
        let bodies = play.all("things/");
        let heights = bodies.iter().map(|body| body.position.length()).filter(|height| *height > 0.0);
        nearest = heights.fold(nearest, min);
        let moon = play.all("things/moon.thing")[0].position;
        assert!((moon.length() - 45.0).abs() < 0.5, "{moon:?}");
        // A revolution takes 30.28 seconds.
        let angle = std::f32::consts::TAU * cycle as f32 / 3028.0;
        let expected = Vec3::new(cos(angle), sin(angle), 0.0) * 45.0;
        assert!(moon.distance(expected) < 1.0, "{moon:?} instead of {expected:?}");
    }
    assert!(nearest > 20.0, "a body sank into the ground: {nearest}");
    assert_eq!(play.wrong(), []);
    let bodies: Vec<Body> = ["ball", "crate", "boulder", "barrel", "dumbbell"]
        .iter()
        .flat_map(|name| play.all(&format!("things/{name}.thing")))
        .collect();
    assert_eq!(bodies.len(), 72);
    for body in &bodies {
        assert!(body.position.length() < 24.0, "{:?}", body.position);
    }
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for side in [-1.0, 1.0] {
            let here = bodies.iter().filter(|body| body.position.dot(axis) * side > 10.0).count();
            assert!(here >= 3, "some are on each side: {here} at {axis:?} {side}");
        }
    }
    assert!(asleep(&bodies) >= 48, "{} of {} sleep", asleep(&bodies), bodies.len());
}
