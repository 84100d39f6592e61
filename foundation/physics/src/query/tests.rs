use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use base::Quat;
use proptest::prelude::*;

use super::*;
use crate::aabb::Aabb;
use crate::mesh::Mesh;
use crate::shape::Compound;

struct World {
    bodies: Vec<(u64, Shape, Pose, u32)>,
    bvh: Bvh,
}

impl World {
    fn new(bodies: Vec<(u64, Shape, Pose, u32)>) -> World {
        let boxes: Vec<Aabb> = bodies.iter().map(|(_, shape, pose, _)| shape.aabb(pose).expanded(0.05)).collect();
        World { bodies, bvh: Bvh::new(&boxes) }
    }

    fn query(&self) -> Query<'_, World> {
        Query { bodies: self, bvh: &self.bvh, layers: 1, budget: Budget::new(1000) }
    }
}

impl QueryBodies for World {
    fn item(&self, number: u32) -> Option<QueryBody<'_>> {
        let (key, shape, pose, layers) = self.bodies.get(number as usize)?;
        Some(QueryBody { key: *key, shape, pose: *pose, layers: *layers })
    }
}

fn buffer<T: Copy>(count: usize, found: T) -> Vec<QueryHit<T>> {
    vec![QueryHit { key: 0, rank: 0.0, found }; count]
}

const NO_RAY: RayHit = RayHit { distance: 0.0, normal: Vec3::ZERO, child: 0 };
const NO_SWEEP: SweepHit = SweepHit { time: 0.0, normal: Vec3::ZERO, anchor: Vec3::ZERO, child: 0 };
const NO_DISTANCE: Distance =
    Distance { distance: 0.0, core_distance: 0.0, point_a: Vec3::ZERO, point_b: Vec3::ZERO, normal: Vec3::ZERO };

fn keys<T: Copy>(hits: &QueryHits<T>) -> Vec<u64> {
    hits.as_slice().iter().map(|hit| hit.key).collect()
}

/// Spheres in a row along x at 2, 4, 6, … with keys from 9 down; the third in another layer.
fn row() -> World {
    let ball = |at: u64| {
        let pose = Pose::new(Vec3::X * (2.0 * at as f32), Quat::IDENTITY);
        (10 - at, Shape::Sphere(0.5), pose, if at == 3 { 2 } else { 1 })
    };
    World::new((1..=6).map(ball).collect())
}

#[test]
fn ray_hits_are_sorted() {
    let world = row();
    assert_eq!(world.query().ray_first(Vec3::ZERO, Vec3::X, 100.0).map(|hit| (hit.key, hit.rank)), Some((9, 1.5)));
    assert_eq!(world.query().ray_first(Vec3::ZERO, Vec3::Y, 100.0), None);
    assert!(world.query().ray_any(Vec3::ZERO, Vec3::X, 2.0));
    assert!(!world.query().ray_any(Vec3::ZERO, Vec3::X, 1.4));
    let mut buffer = buffer(10, NO_RAY);
    let mut hits = QueryHits::new(&mut buffer);
    world.query().ray_all(Vec3::X * 9.0, -Vec3::X, 100.0, &mut hits);
    assert_eq!(keys(&hits), [6, 8, 9]);
}

#[test]
fn the_farthest_hits_are_dropped_and_counted() {
    let world = row();
    let mut buffer = buffer(2, NO_RAY);
    let mut hits = QueryHits::new(&mut buffer);
    world.query().ray_all(Vec3::ZERO, Vec3::X, 100.0, &mut hits);
    assert_eq!(keys(&hits), [9, 8]);
    assert_eq!(hits.dropped(), 3);
    let mut none = QueryHits::new(&mut []);
    world.query().ray_all(Vec3::ZERO, Vec3::X, 100.0, &mut none);
    assert!(none.as_slice().is_empty());
}

#[test]
fn a_spent_budget_is_reported() {
    let world = row();
    let mut query = Query { budget: Budget::new(2), ..world.query() };
    let mut buffer = buffer(9, NO_RAY);
    let mut hits = QueryHits::new(&mut buffer);
    query.ray_all(Vec3::ZERO, Vec3::X, 100.0, &mut hits);
    assert_eq!(hits.as_slice().len(), 2);
    assert!(query.budget.is_spent());
    let mut query = Query { budget: Budget::new(5), ..world.query() };
    let mut hits = QueryHits::new(&mut buffer);
    query.ray_all(Vec3::ZERO, Vec3::X, 100.0, &mut hits);
    assert!(!query.budget.is_spent());
    assert_eq!(query.budget.left(), 0);
}

#[test]
fn sweep_hits_are_sorted() {
    let world = row();
    let motion = Motion { translation: Vec3::X * 10.0, ..Motion::at_rest(Pose::new(Vec3::Y * 0.3, Quat::IDENTITY)) };
    let body = Shape::Box(Vec3::splat(0.25));
    let first = world.query().sweep_first(&body, &motion).unwrap();
    assert_eq!(first.key, 9);
    let mut buffer = buffer(10, NO_SWEEP);
    let mut hits = QueryHits::new(&mut buffer);
    world.query().sweep_all(&body, &motion, &mut hits);
    assert_eq!(keys(&hits), [9, 8, 6, 5]);
    assert!(hits.as_slice()[0].rank == first.rank);
}

#[test]
fn overlaps_are_sorted_by_key_and_closest_bodies_by_distance() {
    let world = row();
    let mut empty = buffer(10, ());
    let mut hits = QueryHits::new(&mut empty);
    world.query().overlaps(&Shape::Box(Vec3::new(4.0, 0.2, 0.2)), &Pose::new(Vec3::X * 6.0, Quat::IDENTITY), &mut hits);
    assert_eq!(keys(&hits), [5, 6, 8, 9]);
    let mut buffer = buffer(3, NO_DISTANCE);
    let mut hits = QueryHits::new(&mut buffer);
    let pose = Pose::new(Vec3::new(7.5, 1.0, 0.0), Quat::IDENTITY);
    world.query().closest(&Shape::Sphere(0.1), &pose, 3.5, &mut hits);
    assert_eq!(keys(&hits), [6, 5, 8]);
    let nearest = hits.as_slice()[0];
    assert!((nearest.rank - (number::sqrt(1.25) - 0.6)).abs() < 1e-5);
    assert!((nearest.found.point_b + pose.position).distance(Vec3::X * 8.0) - 0.5 < 1e-5);
}

#[test]
fn distances_of_all_kinds_of_shapes() {
    let vertices = [Vec3::ZERO, Vec3::X * 4.0, Vec3::Y * 4.0, Vec3::new(4.0, 4.0, 0.0)];
    let mesh = Shape::Mesh(Arc::new(Mesh::new(&vertices, &[[0, 1, 2], [1, 3, 2]]).unwrap()));
    let compound = Shape::Compound(Arc::new(
        Compound::new([(Pose::IDENTITY, mesh.clone()), (Pose::new(Vec3::Z * 9.0, Quat::IDENTITY), Shape::Sphere(1.0))])
            .unwrap(),
    ));
    let at = |z: f32| Pose::new(Vec3::new(1.0, 1.0, z), Quat::IDENTITY);
    let check = |a: &Shape, b: &Shape, z: f32, expected: Option<f32>| {
        for is_swapped in [false, true] {
            let found = match is_swapped {
                false => closest_points(a, &Pose::IDENTITY, b, &at(z), 2.0),
                true => closest_points(b, &at(z), a, &Pose::IDENTITY, 2.0),
            };
            match (found, expected) {
                (Some(found), Some(expected)) => {
                    assert!((found.distance - expected).abs() < 1e-5, "{found:?} {expected}")
                }
                (None, None) => {}
                _ => panic!("{found:?} {expected:?}"),
            }
        }
    };
    for surface in [&mesh, &compound] {
        check(surface, &Shape::Sphere(0.5), 1.5, Some(1.0));
        check(surface, &Shape::Box(Vec3::splat(0.5)), 0.4, Some(0.0));
        check(surface, &Shape::Box(Vec3::splat(0.5)), 3.0, None);
        check(surface, &mesh, 0.75, Some(0.75));
        check(surface, &mesh, -0.75, Some(0.75));
    }
    assert!(is_overlapping(&mesh, &Pose::IDENTITY, &Shape::Sphere(0.5), &at(0.49)));
    assert!(!is_overlapping(&mesh, &Pose::IDENTITY, &Shape::Sphere(0.5), &at(0.51)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hits_do_not_depend_on_the_order_of_bodies(
        places in prop::collection::vec((-9.0f32..9.0, -9.0f32..9.0, -9.0f32..9.0, 0.3f32..2.0), 1..40),
        from in (-9.0f32..9.0, -9.0f32..9.0, -9.0f32..9.0), towards in (-1.0f32..1.0, -1.0f32..1.0, 0.1f32..1.0), shift in 0usize..40,
    ) {
        let mut bodies: Vec<_> = (0..).zip(&places).map(|(key, &(x, y, z, size))| {
            let shape = if key % 2 == 0 { Shape::Sphere(size) } else { Shape::Box(Vec3::splat(size)) };
            (key, shape, Pose::new(Vec3::new(x, y, z), Quat::IDENTITY), 1)
        }).collect();
        let world = World::new(bodies.clone());
        let count = bodies.len();
        bodies.rotate_left(shift % count);
        bodies.reverse();
        let other = World::new(bodies);
        let (from, towards) = (Vec3::new(from.0, from.1, from.2), Vec3::new(towards.0, towards.1, towards.2));
        let motion = Motion { translation: towards * 9.0, ..Motion::at_rest(Pose::new(from, Quat::IDENTITY)) };
        for limit in [3, 50] {
            let mut rooms = [buffer(limit, NO_RAY), buffer(limit, NO_RAY)];
            let [first, second] = &mut rooms;
            let (mut first, mut second) = (QueryHits::new(first), QueryHits::new(second));
            world.query().ray_all(from, towards, 30.0, &mut first);
            other.query().ray_all(from, towards, 30.0, &mut second);
            prop_assert_eq!(first.as_slice(), second.as_slice());
            prop_assert_eq!(first.dropped(), second.dropped());
            prop_assert_eq!(first.as_slice().first().copied(), world.query().ray_first(from, towards, 30.0));
            prop_assert_eq!(!first.as_slice().is_empty(), world.query().ray_any(from, towards, 30.0));
            let mut rooms = [buffer(limit, NO_SWEEP), buffer(limit, NO_SWEEP)];
            let [first, second] = &mut rooms;
            let (mut first, mut second) = (QueryHits::new(first), QueryHits::new(second));
            world.query().sweep_all(&Shape::Sphere(0.4), &motion, &mut first);
            other.query().sweep_all(&Shape::Sphere(0.4), &motion, &mut second);
            prop_assert_eq!(first.as_slice(), second.as_slice());
            prop_assert_eq!(first.as_slice().first().copied(), world.query().sweep_first(&Shape::Sphere(0.4), &motion));
            let mut rooms = [buffer(limit, NO_DISTANCE), buffer(limit, NO_DISTANCE)];
            let [first, second] = &mut rooms;
            let (mut first, mut second) = (QueryHits::new(first), QueryHits::new(second));
            world.query().closest(&Shape::Sphere(0.4), &motion.pose, 20.0, &mut first);
            other.query().closest(&Shape::Sphere(0.4), &motion.pose, 20.0, &mut second);
            prop_assert_eq!(first.as_slice(), second.as_slice());
        }
    }
}
