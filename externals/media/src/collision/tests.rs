//! Import of valid and invalid files.

use proptest::prelude::*;

use super::*;
use crate::scene::UpAxis;

/// A cube as Wavefront `.obj`, with this half extent.
fn cube(half: f32) -> String {
    let mut text = String::new();
    for corner in 0..8 {
        let at = |bit: u32| if corner >> bit & 1 == 1 { half } else { -half };
        text += &format!("v {} {} {}\n", at(0), at(1), at(2));
    }
    // Vertices are numbered from 1, counter-clockwise as seen from outside.
    for face in ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"] {
        text += &format!("f {face}\n");
    }
    text
}

/// A `.glb` with these points and triangles in a named node.
fn glb(points: &[[f32; 3]], triangles: &[[u16; 3]], node: &str) -> Vec<u8> {
    let mut binary: Vec<u8> = points.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
    let split = binary.len();
    binary.extend(triangles.iter().flatten().flat_map(|number| number.to_le_bytes()));
    binary.resize(binary.len().next_multiple_of(4), 0);
    let whole = binary.len();
    let json = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":[{node}],
\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}},\"indices\":1}}]}}],
\"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":{},\"type\":\"VEC3\"}},{{\"bufferView\":1,\"componentType\":5123,\"count\":{},\"type\":\"SCALAR\"}}],
\"bufferViews\":[{{\"buffer\":0,\"byteLength\":{split}}},{{\"buffer\":0,\"byteOffset\":{split},\"byteLength\":{}}}],
\"buffers\":[{{\"byteLength\":{whole}}}]}}",
        points.len(),
        triangles.len() * 3,
        whole - split
    );
    let mut json = json.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + whole as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((whole as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(binary);
    bytes
}

const TETRAHEDRON: ([[f32; 3]; 4], [[u16; 3]; 4]) = (
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]],
    [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
);

const NODE: &str = "{\"mesh\":0,\"name\":\"it\"}";

fn wish(kind: ShapeKind) -> ShapeOptions<'static> {
    ShapeOptions { kind, name: None, up: UpAxis::Z, scale: 1.0 }
}

fn nothing_beside(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("{name} does not exist"))
}

fn run(name: &str, bytes: &[u8], wish: &ShapeOptions<'_>) -> Result<Shape, String> {
    run_beside(name, bytes, wish, &nothing_beside)
}

fn run_beside(
    name: &str,
    bytes: &[u8],
    wish: &ShapeOptions<'_>,
    beside: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Shape, String> {
    import(&Source::new(name, "", bytes, beside), wish).map_err(|error| error.to_string())
}

impl Shape {
    fn text(&self) -> String {
        self.fields.iter().map(|(name, value)| format!("!set {name} {value}\n")).collect()
    }
}

/// The numbers behind every `vec`.
fn points_of(text: &str) -> Vec<[f32; 3]> {
    let number = |word: &str| word.trim().parse::<f32>().unwrap();
    let vectors = text.split("vec(").skip(1).map(|rest| rest.split(')').next().unwrap());
    vectors.map(|inside| inside.split(',').map(number).collect::<Vec<f32>>().try_into().unwrap()).collect()
}

#[test]
fn a_cube_becomes_a_hull_of_eight_corners() {
    let made = run("cube.obj", cube(0.5).as_bytes(), &wish(ShapeKind::Hull)).unwrap();
    assert_eq!((made.points, made.triangles, made.hulls.len(), made.faults), (8, 12, 1, MeshFaults::default()));
    assert!(points_of(&made.text()).iter().flatten().all(|number| number.abs() == 0.5));
}

#[test]
fn the_up_axis_is_converted() {
    let (points, triangles) = TETRAHEDRON;
    let turned = ShapeOptions { up: UpAxis::Y, ..wish(ShapeKind::Mesh) };
    let made = run("it.glb", &glb(&points, &triangles, NODE), &turned).unwrap();
    // In the file y is up (height 2) and z is forward (length 3).
    assert_eq!(points_of(&made.text()), [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, 1.0, 0.0], [3.0, 0.0, 0.0]]);
    assert_eq!(made.faults, MeshFaults::default(), "it is not inside out");
    let large = ShapeOptions { scale: 10.0, ..turned };
    let made = run("it.glb", &glb(&points, &triangles, NODE), &large).unwrap();
    assert!(points_of(&made.text()).contains(&[30.0, 0.0, 0.0]));
}

#[test]
fn meshes_are_transformed_by_their_nodes() {
    let (points, triangles) = TETRAHEDRON;
    let check = |node: &str, expected: [f32; 3]| {
        let made = run("it.glb", &glb(&points, &triangles, node), &wish(ShapeKind::Mesh)).unwrap();
        assert!(points_of(&made.text()).contains(&expected), "{node}: {}", made.text());
        assert_eq!(made.faults, MeshFaults::default(), "{node}: mirrored is not inside out");
    };
    check("{\"mesh\":0,\"translation\":[5,0,0]}", [6.0, 0.0, 0.0]);
    check("{\"mesh\":0,\"scale\":[1,-4,1]}", [0.0, -8.0, 0.0]);
    check("{\"mesh\":0,\"rotation\":[0,0,0.70710678,0.70710678]}", [0.0, 1.0, 0.0]);
    check("{\"mesh\":0,\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,7,1]}", [0.0, 0.0, 10.0]);
    check("{\"children\":[1],\"translation\":[0,9,0]},{\"mesh\":0,\"translation\":[5,0,0]}", [6.0, 9.0, 0.0]);
}

#[test]
fn one_node_of_many_can_be_named() {
    let (points, triangles) = TETRAHEDRON;
    let nodes = "{\"children\":[1,2]},{\"mesh\":0,\"name\":\"left\",\"translation\":[-9,0,0]},{\"mesh\":0,\"name\":\"right\",\"translation\":[9,0,0]}";
    let file = glb(&points, &triangles, nodes);
    let count = |name| run("it.glb", &file, &ShapeOptions { name, ..wish(ShapeKind::Mesh) }).map(|made| made.triangles);
    assert_eq!((count(None), count(Some("left"))), (Ok(8), Ok(4)));
    assert!(count(Some("top")).is_err_and(|told| told.contains("left, right")));
    let two = format!("o a\n{}o b\nf 1 2 3\n", cube(1.0));
    let count = |name| {
        run("it.obj", two.as_bytes(), &ShapeOptions { name, ..wish(ShapeKind::Mesh) }).map(|made| made.triangles)
    };
    assert_eq!((count(None), count(Some("a")), count(Some("b"))), (Ok(13), Ok(12), Ok(1)));
    assert!(count(Some("c")).is_err());
}

#[test]
fn buffers_may_lie_in_the_text_or_beside_the_file() {
    let json = |uri: &str| {
        format!(
            "{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{{\"mesh\":0}}],\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}}}]}}],
\"accessors\":[{{\"bufferView\":0,\"componentType\":5120,\"count\":3,\"type\":\"VEC3\"}}],\"bufferViews\":[{{\"buffer\":0,\"byteLength\":9}}],\"buffers\":[{{\"uri\":\"{uri}\",\"byteLength\":9}}]}}"
        )
    };
    let expected = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let made =
        run("it.gltf", json("data:application/octet-stream;base64,AAAAAQAAAAEA").as_bytes(), &wish(ShapeKind::Mesh));
    assert_eq!(points_of(&made.unwrap().text()), expected);
    let beside =
        |name: &str| if name == "sub/a b.bin" { Ok(vec![0, 0, 0, 1, 0, 0, 0, 1, 0]) } else { Err(name.into()) };
    let made = run_beside("it.gltf", json("sub/a%20b.bin").as_bytes(), &wish(ShapeKind::Mesh), &beside);
    assert_eq!(points_of(&made.unwrap().text()), expected);
    for uri in ["../a.bin", "/etc/passwd", "http://x/a.bin", "a/%2e%2e/b.bin", "a\\\\b", ""] {
        let told = run_beside("it.gltf", json(uri).as_bytes(), &wish(ShapeKind::Mesh), &|_| panic!("it is not read"))
            .unwrap_err();
        assert!(told.contains("beside"), "{uri}: {told}");
    }
}

#[test]
fn mesh_faults_are_reported() {
    let check = |text: &str, expected: MeshFaults| {
        let made = run("it.obj", text.as_bytes(), &wish(ShapeKind::Mesh)).unwrap();
        assert_eq!(made.faults, expected, "{text}");
    };
    let cube = cube(1.0);
    let without_a_face = cube.replace("f 2 4 8 6\n", "");
    check(&without_a_face, MeshFaults { open_edges: 4, ..MeshFaults::default() });
    let reversed: Vec<String> = cube
        .lines()
        .map(|line| match line.strip_prefix("f ") {
            Some(corners) => format!("f {}", corners.split(' ').rev().collect::<Vec<_>>().join(" ")),
            None => line.to_string(),
        })
        .collect();
    check(&reversed.join("\n"), MeshFaults { is_inside_out: true, ..MeshFaults::default() });
    check(&cube.replace("f 2 4 8 6", "f 6 8 4 2"), MeshFaults { torn_edges: 4, ..MeshFaults::default() });
    check(&format!("{cube}f 1 1 2\nf 1 2 2 1\n"), MeshFaults { dropped: 3, ..MeshFaults::default() });
}

#[test]
fn coincident_vertices_are_welded() {
    // Every face has its own vertices, as exporters write them.
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0.0000001\nv 1 1 0\nv 0 1 -0.0\nf 1 2 3\nf 4 5 6\n";
    let made = run("it.obj", text.as_bytes(), &wish(ShapeKind::Mesh)).unwrap();
    assert_eq!((made.points, made.triangles, made.faults.open_edges), (4, 2, 4));
}

/// Grid-aligned blocks, each as a closed surface.
fn blocks(places: &[[i32; 3]]) -> String {
    let mut text = String::new();
    for (number, place) in places.iter().enumerate() {
        for line in cube(0.5).lines() {
            let words: Vec<&str> = line.split(' ').collect();
            if words[0] == "v" {
                let at = |axis: usize| words[axis + 1].parse::<f32>().unwrap() + place[axis] as f32;
                text += &format!("v {} {} {}\n", at(0), at(1), at(2));
            } else {
                let corners =
                    words[1..].iter().map(|corner| (corner.parse::<usize>().unwrap() + number * 8).to_string());
                text += &format!("f {}\n", corners.collect::<Vec<_>>().join(" "));
            }
        }
    }
    text
}

/// Triangles of random corners, each as large as the whole: the most expensive mesh of its length.
fn tangle(triangles: u64) -> String {
    let coordinate = |number: u64| base::hash::hash(&number.to_le_bytes()) % 1000;
    let mut text = String::new();
    for point in 0..3 * triangles {
        let [x, y, z] = [0, 1, 2].map(|axis| coordinate(3 * point + axis));
        text += &format!("v {x} {y} {z}\n");
    }
    (0..triangles).for_each(|number| text += &format!("f {} {} {}\n", 3 * number + 1, 3 * number + 2, 3 * number + 3));
    text
}

#[test]
fn a_tangle_of_large_triangles_is_cut_coarsely_or_refused() {
    let wish = wish(ShapeKind::Parts(4));
    let refused = run("tangle.obj", tangle(4000).as_bytes(), &wish).unwrap_err().to_string();
    assert!(refused.contains("too many large triangles"), "{refused}");
    assert!(run("tangle.obj", tangle(40).as_bytes(), &wish).is_ok());
}

#[test]
fn concave_meshes_are_decomposed_into_hulls() {
    let angle = blocks(&[[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 0, 1], [0, 0, 2]]);
    let made = run("angle.obj", angle.as_bytes(), &wish(ShapeKind::Parts(8))).unwrap();
    assert!((2..=8).contains(&made.hulls.len()), "{}", made.hulls.len());
    let text = &made.text();
    assert!(text.contains("!set kind \"compound\"") && text.contains("shape \"hull\""), "{text}");
    let parts: Vec<Vec<[f32; 3]>> = text.split("shape").skip(1).map(points_of).collect();
    assert_eq!(parts.len(), made.hulls.len());
    let volume: f32 = parts
        .iter()
        .map(|part| {
            let points: Vec<Vec3> = part.iter().map(|point| Vec3::from_array(*point)).collect();
            Hull::new(&points).unwrap().triangles().map(|[a, b, c]| a.cross(b).dot(c)).sum::<f32>() / 6.0
        })
        .sum();
    assert!((4.8..5.6).contains(&volume), "five blocks have {volume} cubic metres");
    let far = parts.iter().flatten().fold([f32::MIN; 3], |far, point| [0, 1, 2].map(|axis| far[axis].max(point[axis])));
    assert_eq!(far, [2.5, 0.5, 2.5], "its extent is preserved");
    assert_eq!(run("angle.obj", angle.as_bytes(), &wish(ShapeKind::Parts(8))).unwrap(), made, "the same every time");
}

#[test]
fn the_number_of_parts_is_limited() {
    let comb = blocks(&[[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0], [0, 0, 1], [2, 0, 1], [4, 0, 1]]);
    for most in [1, 2, 3, 5] {
        let made = run("comb.obj", comb.as_bytes(), &wish(ShapeKind::Parts(most))).unwrap();
        assert!((1..=most).contains(&made.hulls.len()), "{most}: {}", made.hulls.len());
    }
    let made = run("cube.obj", cube(1.0).as_bytes(), &wish(ShapeKind::Parts(16))).unwrap();
    assert_eq!((made.hulls.len(), made.points), (1, 8), "a convex mesh is one part: {}", made.text());
}

#[test]
fn the_decomposition_does_not_depend_on_scale() {
    let angle = blocks(&[[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 0, 1], [0, 0, 2]]);
    let parts = |scale: f32| {
        run("a.obj", angle.as_bytes(), &ShapeOptions { scale, ..wish(ShapeKind::Parts(4)) }).unwrap().hulls.len()
    };
    assert_eq!([0.001, 1.0, 1000.0].map(parts), [parts(1.0); 3]);
}

#[test]
fn a_failed_import_says_why() {
    let (points, triangles) = TETRAHEDRON;
    let good = glb(&points, &triangles, NODE);
    let text = |text: &str| text.as_bytes().to_vec();
    let json = |rest: &str| text(&format!("{{\"asset\":{{\"version\":\"2.0\"}}{rest}}}"));
    for (name, bytes, part) in [
        ("it.dae", good.clone(), ".glb, .gltf, .obj"),
        ("it", good.clone(), ".glb, .gltf, .obj"),
        ("it.glb", Vec::new(), "JSON"),
        ("it.glb", good[..good.len() - 3].to_vec(), "chunks"),
        ("it.glb", good[..15].to_vec(), "chunks"),
        ("it.gltf", text("{}"), "version 2"),
        ("it.gltf", text("{\"asset\":{\"version\":\"1.0\"}}"), "found 1.0"),
        ("it.gltf", json(""), "no triangles"),
        ("it.gltf", json(",\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]"), "KHR_draco_mesh_compression"),
        ("it.gltf", json(",\"scenes\":[{\"nodes\":[5]}]"), "nodes that are there"),
        ("it.gltf", json(",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[0]}]"), "twice"),
        ("it.gltf", json(",\"nodes\":[{\"mesh\":3}]"), "mesh 3"),
        ("it.glb", glb(&points, &[[0, 1, 9]], NODE), "existing points"),
        ("it.glb", glb(&[[0.0; 3], [f32::NAN; 3], [1.0; 3]], &[[0, 1, 2]], NODE), "no triangles"),
        ("it.glb", glb(&[[0.0; 3], [3e6; 3], [1.0; 3]], &[[0, 1, 2]], NODE), "within"),
        ("it.glb", glb(&points, &triangles, "{\"mesh\":0,\"scale\":[1,2]}"), "scale"),
        ("it.obj", vec![0xff, 0xfe, 0], "text"),
        ("it.obj", text("v 1 2\n"), "line 1: expected three numbers"),
        ("it.obj", text("v 1 2 x\n"), "line 1"),
        ("it.obj", text("v 0 0 0\nf 1 2 3\n"), "line 2: expected corners"),
        ("it.obj", text("v 0 0 0\nf 1 1\n"), "line 2: expected three corners"),
        ("it.obj", text("v 0 0 0\nf 0 0 0\n"), "line 2"),
        ("it.obj", text("# nothing\n"), "no triangles"),
        ("it.obj", text("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"), "area"),
        ("it.obj", text("v 0 0 0\nv 1e-9 0 0\nv 0 1e-9 0\nf 1 2 3\n"), "larger"),
    ] {
        let told = run(name, &bytes, &wish(ShapeKind::Mesh)).unwrap_err();
        assert!(told.contains(part), "{name}: {told:?} does not say {part:?}");
    }
    let flat = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n";
    for what in [ShapeKind::Hull, ShapeKind::Parts(4)] {
        let told = run("flat.obj", flat.as_bytes(), &wish(what)).unwrap_err();
        assert!(told.contains("coplanar"), "{told}");
    }
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(run("it.glb", &good, &ShapeOptions { scale, ..wish(ShapeKind::Mesh) }).unwrap_err().contains("scale"));
    }
}

/// Asserts that the numbers that were counted are those that were written.
fn check_made(made: &Shape) {
    assert_eq!(points_of(&made.text()).len(), made.points);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_give_a_shape_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..400), ending in 0..3_usize) {
        let name = ["it.glb", "it.gltf", "it.obj"][ending];
        for what in [ShapeKind::Hull, ShapeKind::Mesh, ShapeKind::Parts(1)] {
            if let Ok(made) = run(name, &bytes, &wish(what)) {
                check_made(&made);
            }
        }
    }

    #[test]
    fn a_file_with_changed_bytes_gives_a_shape_or_an_error(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let (points, triangles) = TETRAHEDRON;
        let mut bytes = glb(&points, &triangles, NODE);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(if is_cut { cut.index(bytes.len()) } else { bytes.len() });
        for what in [ShapeKind::Hull, ShapeKind::Mesh, ShapeKind::Parts(1)] {
            if let Ok(made) = run("it.glb", &bytes, &wish(what)) {
                check_made(&made);
            }
        }
    }

    #[test]
    fn any_numbers_in_a_gltf_are_handled(number in any::<u64>(), place in 0..12_usize) {
        let (points, triangles) = TETRAHEDRON;
        let bytes = glb(&points, &triangles, NODE);
        let text = String::from_utf8_lossy(&bytes[20..]).into_owned();
        let json = &text[..text.find('\0').unwrap_or(text.len())];
        let json = &json[..json.rfind('}').unwrap_or(0) + 1];
        let json = json.replace("\"buffers\":[{", "\"buffers\":[{\"uri\":\"data:;base64,AAAAAAAAgD8AAAAAAAAAAAAAAEAAAAAA\",");
        let places: Vec<usize> = json.match_indices(|letter: char| letter.is_ascii_digit()).map(|(at, _)| at).collect();
        let at = places[place * (places.len() - 1) / 11];
        let json = format!("{}{number}{}", &json[..at], &json[at + 1..]);
        if let Ok(made) = run("it.gltf", json.as_bytes(), &wish(ShapeKind::Mesh)) {
            check_made(&made);
        }
    }
}

proptest! {
    // Each decomposition takes about a second without optimisation.
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn any_triangles_are_decomposed_or_refused(
        points in proptest::collection::vec(proptest::array::uniform3(-8..8_i32), 4..24),
        corners in proptest::collection::vec(proptest::array::uniform3(any::<prop::sample::Index>()), 1..40),
        most in 1..9_usize,
    ) {
        let mut text = String::new();
        for [x, y, z] in &points {
            text += &format!("v {x} {y} {z}\n");
        }
        for triangle in &corners {
            let [a, b, c] = triangle.map(|corner| corner.index(points.len()) + 1);
            text += &format!("f {a} {b} {c}\n");
        }
        if let Ok(made) = run("it.obj", text.as_bytes(), &wish(ShapeKind::Parts(most))) {
            check_made(&made);
            prop_assert!((1..=most).contains(&made.hulls.len()));
        }
    }
}
