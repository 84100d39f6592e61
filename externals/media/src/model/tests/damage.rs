//! Damaged and malicious files: an error or products, in bounded time and memory.

use super::sample::Builder;
use super::*;

fn too_large(result: Result<Vec<Product>, ImportError>) -> &'static str {
    match result {
        Err(ImportError::TooLarge { what, .. }) => what,
        other => panic!("{:?}", other.map(|products| named(&products))),
    }
}

fn gltf(rest: &str) -> Vec<u8> {
    format!("{{\"asset\":{{\"version\":\"2.0\"}},{rest}}}").into_bytes()
}

#[test]
fn any_cut_or_changed_file_gives_products_or_an_error() {
    let whole = glb(&Sample::default());
    let mut random = Pcg::new(20, 15);
    let json_end = 20 + u32::from_le_bytes(whole[12..16].try_into().unwrap());
    let (mut good, mut bad) = (0, 0);
    for case in 0..300 {
        let mut bytes = whole.clone();
        match case % 3 {
            0 => bytes.truncate(random.below(whole.len() as u32) as usize),
            1 => {
                for _ in 0..=random.below(4) {
                    let at = random.below(whole.len() as u32) as usize;
                    bytes[at] ^= 1 << random.below(8);
                }
            }
            // Digits of the JSON: counts, offsets, indices.
            _ => {
                let digits: Vec<usize> = (20..json_end as usize).filter(|at| whole[*at].is_ascii_digit()).collect();
                for _ in 0..=random.below(3) {
                    bytes[digits[random.below(digits.len() as u32) as usize]] = b'0' + random.below(10) as u8;
                }
            }
        }
        match run("a.glb", &bytes, &[("lods", "2")]) {
            Ok(products) => {
                good += 1;
                if case % 10 == 0 {
                    products.iter().for_each(check_packs);
                }
            }
            Err(error) => {
                bad += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(good > 20 && bad > 100, "{good} {bad}: both happen");
}

#[test]
fn any_text_gives_products_or_an_error() {
    let words = [
        "v", "vt", "vn", "f", "o", "usemtl", "mtllib", "1", "-1", "2/1", "1//1", "1e9", "nan", "0", "x", "\n", "\n",
        "\n",
    ];
    let mut random = Pcg::new(3, 3);
    for _ in 0..300 {
        let text: Vec<&str> = (0..random.below(80)).map(|_| words[random.below(words.len() as u32) as usize]).collect();
        if let Ok(products) = run("a.obj", text.join(" ").as_bytes(), &[]) {
            products.iter().for_each(check_packs);
        }
    }
}

#[test]
fn nodes_and_primitives_are_not_multiplied() {
    let primitives = vec!["{}"; 20_000].join(",");
    let nodes = vec!["{\"mesh\":0}"; 20_000].join(",");
    let empty =
        run("a.gltf", &gltf(&format!("\"nodes\":[{nodes}],\"meshes\":[{{\"primitives\":[{primitives}]}}]")), &[])
            .unwrap();
    assert_eq!(empty.len(), 1);
    // Many primitives of the same triangles are refused in proportion to the bytes of the file.
    let mut builder = Builder::default();
    let (points, triangles) = sample::sphere();
    let one = format!("{}}}", builder.triangles(&points, &triangles, ""));
    let many = vec![one; 2000].join(",");
    let bytes = builder.finish(&format!("\"nodes\":[{{\"mesh\":0}}],\"meshes\":[{{\"primitives\":[{many}]}}]"));
    assert_eq!(too_large(run("a.glb", &bytes, &[])), "corners of triangles");
    // Many nodes with one mesh are cheap in a model, and limited in a shape.
    let mut builder = Builder::default();
    let one = format!("{}}}", builder.triangles(&points, &triangles, ""));
    let bytes = builder.finish(&format!("\"nodes\":[{nodes}],\"meshes\":[{{\"primitives\":[{one}]}}]"));
    let model = run("a.glb", &bytes, &[]).unwrap();
    assert_eq!(field(&model[0], "meshes").matches("stride").count(), 1);
    assert_eq!(too_large(run("a.glb", &bytes, &[("as", "collision")])), "triangles of a shape");
}

#[test]
fn shared_collision_shapes_are_limited() {
    let mut builder = Builder::default();
    let (points, triangles) = sample::cube(1.0);
    let one = format!("{}}}", builder.triangles(&points, &triangles, ""));
    let nodes = vec!["{\"name\":\"COL_a\",\"mesh\":0}"; 3000].join(",");
    let bytes = builder.finish(&format!("\"nodes\":[{nodes}],\"meshes\":[{{\"primitives\":[{one}]}}]"));
    let products = run("a.glb", &bytes, &[]).unwrap();
    assert_eq!(field(find(&products, "collision.geometry"), "parts").matches("hull").count(), 1024);
    assert!(products[0].warnings.iter().any(|warning| warning.message.contains("1024")));
}

#[test]
fn wrong_graphs_are_refused() {
    let error = |rest: &str| run("a.gltf", &gltf(rest), &[]).unwrap_err().to_string();
    assert!(error("\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[1]},{\"children\":[0]}]").contains("twice"));
    assert!(error("\"scenes\":[{\"nodes\":[0,0]}],\"nodes\":[{}]").contains("twice"));
    assert!(error("\"scenes\":[{\"nodes\":[7]}],\"nodes\":[{}]").contains("nodes that are there"));
    assert!(error("\"nodes\":[{\"mesh\":0}]").contains("mesh 0"));
    assert!(error("\"nodes\":[{\"translation\":[1,2]}]").contains("translation"));
    let chain: Vec<String> = (1..5000).map(|next| format!("{{\"children\":[{next}]}}")).collect();
    let deep =
        run("a.gltf", &gltf(&format!("\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":[{},{{}}]", chain.join(","))), &[]);
    assert_eq!(too_large(deep), "levels of nested nodes");
    let million = vec!["{}"; 1_000_000].join(",");
    assert_eq!(too_large(run("a.gltf", &gltf(&format!("\"nodes\":[{million}]")), &[])), "nodes");
}

#[test]
fn compressed_meshes_are_named() {
    for name in ["KHR_draco_mesh_compression", "EXT_meshopt_compression"] {
        let result = run("a.gltf", &gltf(&format!("\"extensionsRequired\":[\"{name}\"]")), &[]);
        assert!(matches!(result, Err(ImportError::Unsupported(message)) if message.contains(name)));
    }
}

#[test]
fn huge_claims_are_refused_before_memory_is_taken() {
    for count in ["4294967295", "9007199254740991", "1e300", "-1"] {
        let rest = format!(
            "\"nodes\":[{{\"mesh\":0}}],\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}}}]}}],\"accessors\":[{{\"componentType\":5126,\"type\":\"VEC3\",\"count\":{count}}}]"
        );
        assert!(run("a.gltf", &gltf(&rest), &[]).is_err(), "{count}");
    }
}

#[test]
fn vertices_at_no_place_are_dropped_with_a_warning() {
    let mut builder = Builder::default();
    let (mut points, triangles) = sample::cube(1.0);
    points[7] = base::Vec3::new(f32::NAN, 0.0, f32::INFINITY);
    let one = format!("{}}}", builder.triangles(&points, &triangles, ""));
    let bytes = builder.finish(&format!("\"nodes\":[{{\"mesh\":0}}],\"meshes\":[{{\"primitives\":[{one}]}}]"));
    let products = run("a.glb", &bytes, &[]).unwrap();
    assert!(products[0].warnings[0].message.contains("no finite place"), "{:?}", products[0].warnings);
    assert!(field(&products[0], "meshes").contains("triangles 6"), "{}", field(&products[0], "meshes"));
}

#[test]
fn sparse_strips_and_normalised_numbers_are_read() {
    let mut builder = Builder::default();
    // A strip of four corners, of which one is moved by a sparse accessor.
    let corners: Vec<u8> = [[0_i16, 0, 0], [32767, 0, 0], [0, 0, 32767], [0, 0, 0]]
        .iter()
        .flatten()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let view = builder.view(&corners);
    let indices = builder.view(&[3]);
    let values: Vec<u8> = [32767_i16, 0, 32767].iter().flat_map(|number| number.to_le_bytes()).collect();
    let values = builder.view(&values);
    let position = builder.accessor(format!(
        "{{\"bufferView\":{view},\"componentType\":5122,\"normalized\":true,\"count\":4,\"type\":\"VEC3\",\"sparse\":{{\"count\":1,\"indices\":{{\"bufferView\":{indices},\"componentType\":5121}},\"values\":{{\"bufferView\":{values}}}}}}}"
    ));
    let bytes = builder.finish(&format!(
        "\"extensionsRequired\":[\"KHR_mesh_quantization\"],\"nodes\":[{{\"mesh\":0}}],\"meshes\":[{{\"primitives\":[{{\"mode\":5,\"attributes\":{{\"POSITION\":{position}}}}}]}}]"
    ));
    let products = run("a.glb", &bytes, &[("as", "collision"), ("collision", "mesh"), ("up", "z")]).unwrap();
    let points = field(&products[0], "points");
    assert!(points.contains("vec(1, 0, 1)") && points.matches("vec(").count() == 4, "{points}");
    assert_eq!(field(&products[0], "triangles"), "[\n    0, 1, 2, 2, 1, 3\n]");
}

#[test]
fn what_is_not_read_is_said() {
    let mut builder = Builder::default();
    let (points, triangles) = super::sample::cube(1.0);
    let primitive = builder.triangles(&points, &triangles, ",\"TEXCOORD_2\":0,\"JOINTS_1\":0");
    let bytes = builder.finish(&format!(
        "\"scenes\":[{{\"nodes\":[0]}},{{}}],\"nodes\":[{{\"mesh\":0}}],\"cameras\":[{{}},{{}}],
\"meshes\":[{{\"primitives\":[{primitive},\"targets\":[{{\"POSITION\":0}}]}}]}}]"
    ));
    let products = run("a.glb", &bytes, &[]).unwrap();
    let said: Vec<&str> = products[0].warnings.iter().map(|warning| warning.message.as_str()).collect();
    for expected in [
        "1 meshes have morph targets",
        "1 meshes have more than four",
        "1 meshes have more than two sets",
        "2 cameras",
        "1 further scenes",
    ] {
        assert!(said.iter().any(|line| line.starts_with(expected)), "{expected}: {said:?}");
    }
}

#[test]
fn meshes_that_are_only_there_compressed_are_refused_though_nothing_requires_it() {
    let draco = "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"extensions\":{\"KHR_draco_mesh_compression\":{}}}]}],\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}]";
    let meshopt = "\"nodes\":[{}],\"buffers\":[{\"byteLength\":9,\"extensions\":{\"EXT_meshopt_compression\":{\"fallback\":true}}}]";
    for (text, name) in [(draco, "KHR_draco_mesh_compression"), (meshopt, "EXT_meshopt_compression")] {
        let Err(ImportError::Unsupported(why)) = run("a.gltf", &gltf(text), &[]) else { panic!("{name}") };
        assert!(why.contains(name) && why.contains("export without"), "{why}");
    }
}
