//! Collision detection by three methods: the scenes of the Telesto thesis (chapter 10.2.3), as far as it describes them.
//!
//! Meshes of eighty triangles are scattered, with few, some or many collisions. A pair of bodies collides if any two of its
//! triangles intersect. The triangle test is the same in all methods; they differ in how many triangles are tested.
//!
//! | method | which triangles are tested |
//! |---|---|
//! | triangles | all of every pair of bodies |
//! | spheres | all of the bodies whose bounding spheres overlap |
//! | hierarchy | those whose boxes overlap, by the BVHs of both meshes; pairs of bodies come from the broad phase |

use std::collections::BTreeMap;

use ::physics::broad::BroadPhase;
use ::physics::mass::Weight;
use ::physics::mesh::Mesh;
use ::physics::overlap::{do_triangles_overlap, is_overlapping};
use ::physics::pose::Pose;
use ::physics::proxy::Proxy;
use ::physics::{Body, Mass, Shape};
use astrarium::base::{Pcg, Quat, Random, Vec3};
use astrarium::state::Alone;
use cpu_time::ProcessTime;

use crate::measure::{Row, Times};

/// The scenes: name, side of the cube that holds the bodies, and the cycles per second that the thesis reports for its
/// hierarchy.
const SCENES: [(&str, f32, f64); 3] =
    [("few collisions", 60.0, 1.3e6), ("medium collisions", 10.0, 1.1e6), ("high collisions", 4.0, 0.8e6)];

/// The name of that peer.
const PUBLISHED: &str = "Telesto, as published, with scenes of its own";

/// The number of bodies.
const BODIES: u16 = 32;

/// The repetitions of each method. Testing all triangles is slow.
const TURNS: usize = 200;
const TURNS_OF_SPHERES: usize = 20;
const TURNS_OF_TRIANGLES: usize = 2;

/// All rows.
pub fn compare() -> Vec<Row> {
    let mesh = rock();
    let mut rows = Vec::new();
    let mut hierarchies = Vec::new();
    for (name, side, published) in SCENES {
        let (count, [hierarchy, spheres, triangles]) = measure(&mesh, side);
        let pairs = u32::from(BODIES) * u32::from(BODIES - 1) / 2;
        let what = format!("{name}, {count} of {pairs} pairs: found through the hierarchy: processor");
        rows.push(Row::new(&what, &hierarchy, &spheres, "ours with spheres, then all triangles"));
        rows.push(Row::new(&what, &hierarchy, &triangles, "ours with all triangles"));
        rows.push(Row::new(&what, &hierarchy, &Times::known(1e6 / published), PUBLISHED));
        hierarchies.push(hierarchy);
    }
    let rise = Times::known(hierarchies[2].minimum() / hierarchies[0].minimum());
    let published = Times::known(SCENES[0].2 / SCENES[2].2);
    rows.push(Row::new(
        "high collisions through the hierarchy: how many times as long as few",
        &rise,
        &published,
        PUBLISHED,
    ));
    rows
}

/// The number of colliding pairs, and the time of each method.
fn measure(mesh: &Mesh, side: f32) -> (usize, [Times; 3]) {
    let mut field = Field::new(mesh, side);
    let mut times = [Times::default(), Times::default(), Times::default()];
    let mut counts = Vec::new();
    for turn in 0..TURNS {
        counts.push(timed(&mut times[0], || field.through_hierarchy()));
        if turn < TURNS_OF_SPHERES {
            counts.push(timed(&mut times[1], || field.with_spheres()));
        }
        if turn < TURNS_OF_TRIANGLES {
            counts.push(timed(&mut times[2], || field.with_triangles()));
        }
    }
    assert!(counts.iter().all(|count| *count == counts[0]), "all methods find the same pairs: {counts:?}");
    (counts[0], times)
}

/// Runs an operation and records its processor time.
fn timed(times: &mut Times, work: impl FnOnce() -> usize) -> usize {
    let start = ProcessTime::now();
    let result = std::hint::black_box(work());
    times.add(start.elapsed());
    result
}

/// Scattered bodies.
struct Field {
    shape: Shape,
    triangles: Vec<[Vec3; 3]>,
    /// The bounding radius of the mesh.
    reach: f32,
    bodies: Vec<Body>,
    poses: Vec<Pose>,
    broad: BroadPhase,
}

impl Field {
    fn new(mesh: &Mesh, side: f32) -> Field {
        let shape = Shape::Mesh(mesh.clone().into());
        let mass = Mass::of(&shape, Weight::Density(1.0)).expect("the mesh is closed");
        let mut random = Pcg::new(10, 2);
        let mut draw = |most: f32| [(); 3].map(|()| random.between(-most, most));
        let bodies: Vec<Body> = (0..BODIES)
            .map(|_| {
                let (position, [x, y, z]) = (Vec3::from_array(draw(side / 2.0)), draw(1.0));
                Body::new((0, &shape), &mass, position, Quat { x, y, z, w: 1.0 })
            })
            .collect();
        let poses = bodies.iter().map(|body| Pose::new(body.position, body.rotation)).collect();
        let reach = mesh.vertices().iter().map(|vertex| vertex.length()).fold(0.0, f32::max);
        let broad = BroadPhase::new(bodies.len(), bodies.len() * bodies.len());
        Field { shape, triangles: mesh.triangles().collect(), reach, bodies, poses, broad }
    }

    fn with_triangles(&self) -> usize {
        self.pairs().filter(|pair| self.do_any_meet(*pair)).count()
    }

    fn with_spheres(&self) -> usize {
        let is_near = |[first, second]: &[usize; 2]| {
            let between = self.poses[*second].position - self.poses[*first].position;
            between.length_squared() <= 4.0 * self.reach * self.reach
        };
        self.pairs().filter(is_near).filter(|pair| self.do_any_meet(*pair)).count()
    }

    fn through_hierarchy(&mut self) -> usize {
        self.broad.moving.clear();
        for (slot, (body, pose)) in (0..).zip(self.bodies.iter().zip(&self.poses)) {
            self.broad.moving.push(Proxy::new(slot, body, self.shape.aabb(pose), true));
        }
        assert!(self.broad.find_pairs(&Alone), "the capacity suffices for all pairs");
        let meets = |pair: &&[u16; 2]| {
            let [first, second] = pair.map(|slot| &self.poses[usize::from(slot)]);
            is_overlapping(&self.shape, first, &self.shape, second)
        };
        self.broad.pairs().iter().filter(meets).count()
    }

    fn pairs(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let count = self.bodies.len();
        (0..count).flat_map(move |first| (first + 1..count).map(move |second| [first, second]))
    }

    /// Whether any triangle of one mesh intersects any of the other.
    fn do_any_meet(&self, [first, second]: [usize; 2]) -> bool {
        let seen = self.poses[first].local_pose(&self.poses[second]);
        let others: Vec<_> = self.triangles.iter().map(|triangle| triangle.map(|point| seen.point(point))).collect();
        self.triangles.iter().any(|own| others.iter().any(|other| do_triangles_overlap(*own, *other)))
    }
}

/// A bumpy sphere of eighty triangles, about a metre in radius.
fn rock() -> Mesh {
    let golden = (1.0 + 5.0_f32.sqrt()) / 2.0;
    let mut corners: Vec<Vec3> = Vec::new();
    for (short, long) in [(-1.0, -golden), (1.0, -golden), (-1.0, golden), (1.0, golden)] {
        corners.extend([Vec3::new(0.0, short, long), Vec3::new(short, long, 0.0), Vec3::new(long, 0.0, short)]);
    }
    // Corners of an icosahedron with these coordinates are two apart if an edge joins them.
    let is_edge = |a: usize, b: usize, corners: &[Vec3]| ((corners[a] - corners[b]).length() - 2.0).abs() < 0.01;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if is_edge(a, b, &corners) && is_edge(b, c, &corners) && is_edge(a, c, &corners) {
                    let out = (corners[b] - corners[a]).cross(corners[c] - corners[a]).dot(corners[a]);
                    faces.push(if out > 0.0 { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    let mut middles: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for [a, b, c] in faces {
        let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[from, to]| {
            *middles.entry([from.min(to), from.max(to)]).or_insert_with(|| {
                corners.push((corners[from] + corners[to]) * 0.5);
                corners.len() - 1
            })
        });
        let four = [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]];
        triangles.extend(four.map(|corners| corners.map(|corner| corner as u32)));
    }
    let bumpy = |(number, corner): (usize, &Vec3)| corner.normal() * (0.9 + 0.1 * (number % 3) as f32);
    let vertices: Vec<Vec3> = corners.iter().enumerate().map(bumpy).collect();
    Mesh::new(&vertices, &triangles).expect("the mesh is valid")
}
