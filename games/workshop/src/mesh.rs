//! A mesh under construction: flat triangles in groups of one material, and named markers.
//!
//! Lengths are metres; x is forward, y left and z up.

use astrarium::base::Vec3;

/// A material of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// Its name.
    pub name: &'static str,
    /// Its base colour in linear light.
    pub colour: [f32; 3],
    /// How metallic it is.
    pub metallic: f32,
    /// How rough it is.
    pub roughness: f32,
    /// The colour it emits.
    pub emissive: [f32; 3],
    /// The factor of the emitted light.
    pub strength: f32,
    /// The texture file beside the model.
    pub texture: Option<&'static str>,
    /// Metres per repetition of the texture.
    pub texture_size: f32,
}

/// A matt paint of one colour.
pub const fn matt(name: &'static str, colour: [f32; 3], metallic: f32, roughness: f32) -> Paint {
    Paint { name, colour, metallic, roughness, emissive: [0.0; 3], strength: 1.0, texture: None, texture_size: 1.0 }
}

/// One triangle.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    /// Its corners, counter-clockwise seen from outside.
    pub corners: [Vec3; 3],
    /// The normals at its corners.
    pub normals: [Vec3; 3],
    /// The number of its paint.
    pub paint: usize,
}

/// A named point.
#[derive(Clone, Copy, Debug)]
pub struct MarkerPoint {
    /// Its name.
    pub name: &'static str,
    /// Where it is.
    pub position: Vec3,
    /// The direction of its x axis.
    pub facing: Vec3,
}

/// A mesh under construction.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// The paints.
    pub paints: Vec<Paint>,
    /// The triangles.
    pub triangles: Vec<Triangle>,
    /// The markers.
    pub markers: Vec<MarkerPoint>,
}

impl Mesh {
    /// The number of a paint, which is added if it is new.
    pub fn paint(&mut self, paint: Paint) -> usize {
        let known = self.paints.iter().position(|own| own.name == paint.name);
        known.unwrap_or_else(|| {
            self.paints.push(paint);
            self.paints.len() - 1
        })
    }

    /// Adds a flat polygon, convex and counter-clockwise seen from outside.
    pub fn face(&mut self, paint: usize, corners: &[Vec3]) {
        for pair in corners.get(1..).unwrap_or_default().windows(2) {
            let corners = [corners[0], pair[0], pair[1]];
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            if normal.length() > 1e-9 {
                self.triangles.push(Triangle { corners, normals: [normal.normal_or(Vec3::Z); 3], paint });
            }
        }
    }

    /// Adds a smooth triangle.
    pub fn smooth(&mut self, paint: usize, corners: [Vec3; 3], normals: [Vec3; 3]) {
        self.triangles.push(Triangle { corners, normals, paint });
    }

    /// Adds a marker.
    pub fn marker(&mut self, name: &'static str, position: Vec3, facing: Vec3) {
        self.markers.push(MarkerPoint { name, position, facing });
    }

    /// Adds the mirror image of everything from a triangle on, on the other side of the plane y = 0.
    pub fn mirror_from(&mut self, first: usize) {
        let flip = |vector: Vec3| Vec3::new(vector.x, -vector.y, vector.z);
        let mirrored: Vec<Triangle> = self.triangles[first..]
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.corners.map(flip);
                let [na, nb, nc] = triangle.normals.map(flip);
                Triangle { corners: [a, c, b], normals: [na, nc, nb], paint: triangle.paint }
            })
            .collect();
        self.triangles.extend(mirrored);
    }
}
