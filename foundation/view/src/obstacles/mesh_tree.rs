//! A tree of bounding boxes over the triangles of a mesh, for rays.

use alloc::vec::Vec;

use base::Vec3;
use base::number::{max, min};

use crate::catalogue::ShapeMesh;

/// The most triangles of a leaf.
const LEAF: usize = 4;
/// The most boxes that wait to be visited: the depth of the tree, which is balanced.
const DEPTH_MAX: usize = 48;

/// A mesh that rays are cast at.
#[derive(Clone, Debug, Default)]
pub struct MeshTree {
    /// The boxes, each before its children; the first child is the next box.
    boxes: Vec<TreeBox>,
    triangles: Vec<[Vec3; 3]>,
    radius: f32,
}

#[derive(Clone, Copy, Debug)]
struct TreeBox {
    min: Vec3,
    max: Vec3,
    /// The second child of an inner box, the first triangle of a leaf.
    other: u32,
    /// The triangles of a leaf; 0 for an inner box.
    count: u32,
}

impl MeshTree {
    /// The tree of a mesh. Triangles with indices or numbers that make no sense are left out.
    pub fn of(mesh: &ShapeMesh) -> MeshTree {
        let corner = |index: u32| mesh.points.get(index as usize).copied().filter(|point| point.is_finite());
        let triangle = |[a, b, c]: &[u32; 3]| Some([corner(*a)?, corner(*b)?, corner(*c)?]);
        let mut tree =
            MeshTree { triangles: mesh.triangles.iter().filter_map(triangle).collect(), ..MeshTree::default() };
        tree.radius = tree.triangles.iter().flatten().map(|point| point.length()).fold(0.0, max);
        let count = tree.triangles.len();
        if count > 0 {
            tree.build(0, count);
        }
        tree
    }

    /// The distance of its farthest corner from the origin.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The recursion halves the triangles, so it is at most 32 deep.
    fn build(&mut self, first: usize, end: usize) {
        let part = &mut self.triangles[first..end];
        let (mut low, mut high) = (Vec3::splat(f32::INFINITY), Vec3::splat(f32::NEG_INFINITY));
        for point in part.iter().flatten() {
            (low, high) = (low.min(*point), high.max(*point));
        }
        let place = self.boxes.len();
        self.boxes.push(TreeBox { min: low, max: high, other: first as u32, count: (end - first) as u32 });
        if end - first <= LEAF {
            return;
        }
        let size = high - low;
        let axis = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
        let middle = (end - first) / 2;
        let key = |triangle: &[Vec3; 3]| triangle[0][axis] + triangle[1][axis] + triangle[2][axis];
        part.select_nth_unstable_by(middle, |one, other| key(one).total_cmp(&key(other)));
        self.build(first, first + middle);
        self.boxes[place].count = 0;
        self.boxes[place].other = self.boxes.len() as u32;
        self.build(first + middle, end);
    }

    /// The distance at which a ray first meets a triangle, from either side; none within this distance.
    pub fn cast(&self, from: Vec3, direction: Vec3, distance: f32) -> Option<f32> {
        let mut nearest = None;
        let mut reach = distance;
        let mut waiting = [0; DEPTH_MAX];
        let mut count = usize::from(!self.boxes.is_empty());
        while count > 0 {
            count -= 1;
            let at = waiting[count];
            let Some(own) = self.boxes.get(at as usize) else { continue };
            if !touches(own, from, direction, reach) {
                continue;
            }
            if own.count == 0 {
                if count + 2 <= DEPTH_MAX {
                    (waiting[count], waiting[count + 1]) = (own.other, at + 1);
                    count += 2;
                }
                continue;
            }
            let first = own.other as usize;
            for triangle in self.triangles.get(first..first + own.count as usize).unwrap_or_default() {
                if let Some(found) = meet(triangle, from, direction).filter(|found| *found <= reach) {
                    (nearest, reach) = (Some(found), found);
                }
            }
        }
        nearest
    }
}

fn touches(own: &TreeBox, from: Vec3, direction: Vec3, reach: f32) -> bool {
    let (mut enter, mut leave) = (0.0, reach);
    for axis in 0..3 {
        let (from, step) = (from[axis], direction[axis]);
        if step == 0.0 {
            if from < own.min[axis] || from > own.max[axis] {
                return false;
            }
            continue;
        }
        let (one, other) = ((own.min[axis] - from) / step, (own.max[axis] - from) / step);
        (enter, leave) = (max(enter, min(one, other)), min(leave, max(one, other)));
    }
    enter <= leave
}

/// The distance along a ray to a triangle (Möller and Trumbore 1997).
fn meet([a, b, c]: &[Vec3; 3], from: Vec3, direction: Vec3) -> Option<f32> {
    let (one, other) = (*b - *a, *c - *a);
    let normal = direction.cross(other);
    let volume = one.dot(normal);
    if volume.abs() < 1e-12 {
        return None;
    }
    let to = from - *a;
    let u = to.dot(normal) / volume;
    let across = to.cross(one);
    let v = direction.dot(across) / volume;
    let distance = other.dot(across) / volume;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance >= 0.0).then_some(distance)
}
