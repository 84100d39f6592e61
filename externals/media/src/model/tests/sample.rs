//! Generated glTF files.

use base::Vec3;

/// What varies in the sample.
pub struct Sample {
    pub roughness: f32,
    /// The half extent of the collision cube.
    pub cube: f32,
}

impl Default for Sample {
    fn default() -> Sample {
        Sample { roughness: 0.25, cube: 0.5 }
    }
}

/// The sample as it is by default.
pub fn sample() -> Vec<u8> {
    glb(&Sample::default())
}

/// JSON and the binary chunk, which grow together.
#[derive(Default)]
pub struct Builder {
    accessors: Vec<String>,
    views: Vec<String>,
    binary: Vec<u8>,
}

impl Builder {
    /// Adds an accessor of floats and returns its number.
    pub fn floats(&mut self, kind: &str, width: usize, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.add(&bytes, 5126, kind, numbers.len() / width, "")
    }

    /// Adds an accessor of bytes as they are and returns its number.
    pub fn add(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize, more: &str) -> usize {
        let view = self.view(bytes);
        self.accessors.push(format!(
            "{{\"bufferView\":{view},\"componentType\":{component},\"count\":{count},\"type\":\"{kind}\"{more}}}"
        ));
        self.accessors.len() - 1
    }

    /// Adds an accessor with this text and returns its number.
    pub fn accessor(&mut self, text: String) -> usize {
        self.accessors.push(text);
        self.accessors.len() - 1
    }

    /// Adds a view and returns its number.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let offset = self.binary.len();
        self.binary.extend(bytes);
        self.views.push(format!("{{\"buffer\":0,\"byteOffset\":{offset},\"byteLength\":{}}}", bytes.len()));
        self.views.len() - 1
    }

    /// Adds a mesh of positions and indices and returns the text of its primitive, without the closing brace.
    pub fn triangles(&mut self, points: &[Vec3], triangles: &[[u32; 3]], attributes: &str) -> String {
        let numbers: Vec<f32> = points.iter().flat_map(|point| point.to_array()).collect();
        let position = self.floats("VEC3", 3, &numbers);
        let bytes: Vec<u8> = triangles.iter().flatten().flat_map(|corner| (*corner as u16).to_le_bytes()).collect();
        let indices = self.add(&bytes, 5123, "SCALAR", triangles.len() * 3, "");
        format!("{{\"attributes\":{{\"POSITION\":{position}{attributes}}},\"indices\":{indices}")
    }

    /// The file.
    pub fn finish(mut self, rest: &str) -> Vec<u8> {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let json = format!(
            "{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"test\"}},\"buffers\":[{{\"byteLength\":{}}}],\"bufferViews\":[{}],\"accessors\":[{}],{rest}}}",
            self.binary.len(),
            self.views.join(","),
            self.accessors.join(",")
        );
        let mut json = json.into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut bytes = b"glTF\x02\0\0\0".to_vec();
        bytes.extend((28 + json.len() as u32 + self.binary.len() as u32).to_le_bytes());
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(b"JSON");
        bytes.extend(json);
        bytes.extend((self.binary.len() as u32).to_le_bytes());
        bytes.extend(b"BIN\0");
        bytes.extend(self.binary);
        bytes
    }
}

/// A sphere of 1012 triangles in y-up axes.
pub fn sphere() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let (rings, columns) = (24_u32, 22_u32);
    let mut points = vec![-Vec3::Y];
    for ring in 1..rings {
        for column in 0..columns {
            let (sine, cosine) = base::number::sin_cos(column as f32 / columns as f32 * 2.0 * std::f32::consts::PI);
            let (height, radius) = base::number::sin_cos((ring as f32 / rings as f32 - 0.5) * std::f32::consts::PI);
            points.push(Vec3::new(sine * radius, height, cosine * radius));
        }
    }
    points.push(Vec3::Y);
    let at = |ring: u32, column: u32| match ring {
        0 => 0,
        ring if ring == rings => (rings - 1) * columns + 1,
        ring => 1 + (ring - 1) * columns + column % columns,
    };
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for column in 0..columns {
            let corners = [at(ring, column), at(ring, column + 1), at(ring + 1, column + 1), at(ring + 1, column)];
            triangles.push([corners[0], corners[1], corners[2]]);
            triangles.push([corners[0], corners[2], corners[3]]);
        }
    }
    triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    (points, triangles)
}

/// A cube.
pub fn cube(half: f32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let points = (0..8)
        .map(|corner: u32| Vec3::from_array([0, 1, 2].map(|axis| if corner >> axis & 1 == 1 { half } else { -half })));
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (points.collect(), faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect())
}

fn materials(roughness: f32) -> String {
    format!(
        "\"materials\":[{{\"name\":\"Red Paint\",\"pbrMetallicRoughness\":{{\"baseColorFactor\":[1,0,0,1],\"metallicFactor\":0,\"roughnessFactor\":{roughness},
\"baseColorTexture\":{{\"index\":0,\"extensions\":{{\"KHR_texture_transform\":{{\"scale\":[2,3]}}}}}}}},
\"emissiveFactor\":[0,1,0],\"extensions\":{{\"KHR_materials_emissive_strength\":{{\"emissiveStrength\":5}}}}}},{{\"name\":\"Glass\",\"alphaMode\":\"BLEND\"}}],
\"textures\":[{{\"source\":0}}],\"images\":[{{\"uri\":\"textures/paint.png\"}}]"
    )
}

/// A model: a sphere with normals on a joint, a skinned sphere, a collision cube, a marker, a light, a clip.
pub fn glb(sample: &Sample) -> Vec<u8> {
    let mut builder = Builder::default();
    let (points, triangles) = sphere();
    let normals: Vec<f32> = points.iter().flat_map(|point| point.to_array()).collect();
    let normal = builder.floats("VEC3", 3, &normals);
    let sphere = builder.triangles(&points, &triangles, &format!(",\"NORMAL\":{normal}"));
    let joints = builder.add(&[1, 0, 0, 0].repeat(points.len()), 5121, "VEC4", points.len(), "");
    let weights = builder.add(&[255, 0, 0, 0].repeat(points.len()), 5121, "VEC4", points.len(), ",\"normalized\":true");
    let skinned = builder.triangles(
        &points,
        &triangles,
        &format!(",\"NORMAL\":{normal},\"JOINTS_0\":{joints},\"WEIGHTS_0\":{weights}"),
    );
    let (corners, faces) = cube(sample.cube);
    let shape = builder.triangles(&corners, &faces, "");
    let times: Vec<f32> = (0..31).map(|frame| frame as f32 / 30.0).collect();
    let input = builder.floats("SCALAR", 1, &times);
    let turns: Vec<f32> = times
        .iter()
        .flat_map(|time| {
            let (sine, cosine) = base::number::sin_cos(*time);
            [0.0, sine, 0.0, cosine]
        })
        .collect();
    let output = builder.floats("VEC4", 4, &turns);
    let matrices: Vec<f32> = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0].repeat(2);
    let bind = builder.floats("MAT4", 16, &matrices);
    builder.finish(&format!(
        "\"scene\":0,\"scenes\":[{{\"nodes\":[0,6]}}],\"nodes\":[{{\"name\":\"root\",\"children\":[1,2,3,4]}},{{\"name\":\"ball\",\"mesh\":0}},
{{\"name\":\"COL_ball\",\"mesh\":2}},{{\"name\":\"MK_muzzle\",\"translation\":[1,2,3]}},{{\"name\":\"lamp\",\"children\":[5],\"extensions\":{{\"KHR_lights_punctual\":{{\"light\":0}}}}}},
{{\"name\":\"tip\"}},{{\"name\":\"skinned\",\"mesh\":1,\"skin\":0}}],
\"meshes\":[{{\"name\":\"ball\",\"primitives\":[{sphere},\"material\":0}}]}},{{\"name\":\"skinned\",\"primitives\":[{skinned},\"material\":1}}]}},{{\"primitives\":[{shape}}}]}}],
\"skins\":[{{\"name\":\"arm\",\"joints\":[0,5],\"inverseBindMatrices\":{bind}}}],
\"animations\":[{{\"name\":\"Walk\",\"channels\":[{{\"sampler\":0,\"target\":{{\"node\":0,\"path\":\"rotation\"}}}}],\"samplers\":[{{\"input\":{input},\"output\":{output}}}]}}],
\"extensions\":{{\"KHR_lights_punctual\":{{\"lights\":[{{\"type\":\"spot\",\"color\":[1,0.5,0],\"intensity\":20}}]}}}},{}",
        materials(sample.roughness)
    ))
}

/// A level: ground that is drawn and collides, objects, a trigger volume and a marker.
pub fn level(objects: usize) -> Vec<u8> {
    let mut builder = Builder::default();
    let (points, triangles) = sphere();
    let ground = builder.triangles(&points, &triangles, "");
    let (corners, faces) = cube(1.0);
    let shape = builder.triangles(&corners, &faces, "");
    let mut nodes = vec![
        String::from("{\"name\":\"ground\",\"mesh\":0}"),
        String::from("{\"name\":\"ground-col\",\"mesh\":0}"),
        String::from("{\"name\":\"trigger.gate\",\"mesh\":1,\"scale\":[1,2,3]}"),
        String::from("{\"name\":\"marker.start\",\"translation\":[4,0,0]}"),
        String::from("{\"name\":\"hero\",\"mesh\":1,\"extras\":{\"tag\":\"ships/a.ship\",\"team\":2}}"),
    ];
    nodes.extend((0..objects).map(|number| {
        format!("{{\"name\":\"crate.{number}@props/crate\",\"mesh\":1,\"translation\":[{number},0,0]}}")
    }));
    let all: Vec<String> = (0..nodes.len()).map(|node| node.to_string()).collect();
    builder.finish(&format!(
        "\"scene\":0,\"scenes\":[{{\"nodes\":[{}]}}],\"nodes\":[{}],\"meshes\":[{{\"name\":\"ground\",\"primitives\":[{ground},\"material\":0}}]}},{{\"name\":\"crate\",\"primitives\":[{shape},\"material\":1}}]}}],{}",
        all.join(","),
        nodes.join(","),
        materials(0.5)
    ))
}
