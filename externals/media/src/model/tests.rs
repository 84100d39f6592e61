//! Whole imports of generated files, valid and damaged.

use std::fmt::Write as _;

use base::{Pcg, Random};
use tags::pack::Prepared;
use tags::{Class, Tag};
use view::classes::animation::Animation;
use view::classes::material::Material;
use view::classes::model::Model;

use super::*;
use crate::product::resolve;

mod damage;
mod sample;

use sample::{Sample, glb, sample};

fn nothing_beside(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("{name} is not there"))
}

fn run(name: &str, bytes: &[u8], given: &[(&str, &str)]) -> Result<Vec<Product>, ImportError> {
    let mut options = Options::new(OPTIONS);
    given.iter().for_each(|(name, value)| options.set(name, value).unwrap());
    import(&Source::new(name, "", bytes, &nothing_beside), &options)
}

fn named(products: &[Product]) -> Vec<String> {
    products.iter().map(|product| format!("{}.{}", product.name, product.class)).collect()
}

fn find<'a>(products: &'a [Product], name: &str) -> &'a Product {
    products.iter().find(|product| format!("{}.{}", product.name, product.class) == name).unwrap()
}

fn field<'a>(product: &'a Product, name: &str) -> &'a str {
    product.fields.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
}

/// Packs a product into its class, if it is one of view.
fn check_packs(product: &Product) {
    let class: Class = match product.class {
        "model" => Model::class(),
        "material" => Material::class(),
        "animation" => Animation::class(),
        _ => return,
    };
    let mut text = format!("@{}\n", product.class);
    for (name, value) in &product.fields {
        writeln!(text, "!set {name} {}", resolve(value, "ships")).unwrap();
    }
    let packed = Prepared::new(class).pack_text(&text);
    assert!(packed.reports.is_empty(), "{:?}\n{text}", packed.reports);
}

#[test]
fn a_scene_becomes_a_family_of_tags() {
    let products = run("corvette.glb", &sample(), &[]).unwrap();
    assert_eq!(
        named(&products),
        [
            ".model",
            "collision.geometry",
            "materials/red_paint.material",
            "materials/glass.material",
            "animations/walk.animation"
        ]
    );
    products.iter().for_each(check_packs);
    let model = &products[0];
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
    let markers = field(model, "markers");
    assert!(markers.contains("name \"muzzle\"") && markers.contains("position vec(3, 1, 2)"), "{markers}");
    let materials = field(model, "materials");
    assert!(materials.contains("\"./corvette/materials/red_paint.material\""), "{materials}");
    let lights = field(model, "lights");
    assert!(lights.contains("kind \"spot\"") && lights.contains("direction vec(-1, 0, 0)"), "{lights}");
    let meshes = field(model, "meshes");
    assert_eq!(meshes.matches("meaning \"position\"").count(), 2, "collision shapes are not drawn: {meshes}");
    assert!(meshes.contains("meaning \"joints\"") && meshes.contains("meaning \"weights\""));
    assert!(field(model, "skins").contains("joints ["));
    let paint = &products[2];
    assert_eq!(field(paint, "roughness"), "0.25");
    assert!(field(paint, "base_colour_map").contains("\"./textures/paint.bitmap\""));
    assert!(field(paint, "emissive_strength") == "5" && field(paint, "base_colour_map").contains("scale vec(2, 3)"));
    let walk = field(&products[4], "tracks");
    assert!(walk.contains("node \"root\"") && walk.contains("target \"rotation\""), "{walk}");
    assert!(field(&products[1], "points").matches("vec(").count() == 8, "a hull of a cube");
}

#[test]
fn levels_of_detail_have_fewer_triangles_and_say_their_errors() {
    let products = run("corvette.glb", &sample(), &[]).unwrap();
    let meshes = field(&products[0], "meshes");
    let numbers = |name: &str| -> Vec<f32> {
        let behind = meshes.split(name).skip(1);
        behind.map(|rest| rest[1..].split([',', ' ', '}']).next().unwrap().parse().unwrap()).collect()
    };
    let (triangles, errors) = (numbers("triangles"), numbers(", error"));
    println!("triangles {triangles:?}, errors {errors:?} m");
    assert!(triangles.len() == 6 && triangles[0] == 1012.0, "{triangles:?}");
    assert!(triangles[..3].windows(2).all(|pair| pair[1] <= pair[0] * 0.55), "{triangles:?}");
    assert!(errors[..3].windows(2).all(|pair| pair[1] >= pair[0]) && errors[2] < 0.1, "{errors:?}");
    let one = run("corvette.glb", &sample(), &[("lods", "1")]).unwrap();
    assert_eq!(field(&one[0], "meshes").matches(", error").count(), 2);
}

#[test]
fn the_same_file_gives_the_same_products_and_a_change_only_touches_its_own() {
    let before = run("corvette.glb", &sample(), &[]).unwrap();
    assert_eq!(before, run("corvette.glb", &sample(), &[]).unwrap());
    let changed = run("corvette.glb", &glb(&Sample { roughness: 0.75, ..Sample::default() }), &[]).unwrap();
    for (one, other) in before.iter().zip(&changed) {
        assert_eq!(one == other, one.name != "materials/red_paint", "{}", one.name);
    }
    let moved = run("corvette.glb", &glb(&Sample { cube: 0.25, ..Sample::default() }), &[]).unwrap();
    for (one, other) in before.iter().zip(&moved) {
        assert_eq!(one == other, one.name != "collision", "{}: only the shape has changed", one.name);
    }
}

#[test]
fn a_level_becomes_a_scenario_with_its_objects() {
    let products = run("canyon.glb", &sample::level(3), &[("as", "level")]).unwrap();
    assert_eq!(
        named(&products),
        [
            ".scenario",
            "structure.object",
            "structure.model",
            "collision.geometry",
            "materials/red_paint.material",
            "materials/glass.material"
        ]
    );
    products.iter().for_each(check_packs);
    let placements = field(&products[0], "placements");
    assert!(placements.contains("{ name \"structure\", object \"./canyon/structure.object\" }"), "{placements}");
    assert!(
        placements.contains("name \"crate.1@props/crate\", object \"props/crate.object\", position vec(0, 1, 0)"),
        "{placements}"
    );
    assert!(placements.contains("object \"ships/a.ship\"") && placements.contains("team 2"), "{placements}");
    let volumes = field(&products[0], "trigger_volumes");
    assert!(volumes.contains("name \"gate\", centre vec(0, 0, 0), half vec(3, 1, 2)"), "{volumes}");
    assert!(field(&products[0], "markers").contains("{ name \"start\", offset vec(0, 4, 0) }"));
    assert!(field(&products[1], "body").contains("geometry \"./canyon/collision.geometry\", fixed true"));
    assert!(field(&products[3], "kind") == "\"mesh\"");
    assert!(!field(&products[2], "meshes").contains("crate"), "objects are no structure");
}

#[test]
fn a_level_of_a_thousand_objects_is_imported_at_once() {
    let bytes = sample::level(1000);
    let start = std::time::Instant::now();
    let products = run("canyon.glb", &bytes, &[("as", "level")]).unwrap();
    println!("level of 1000 objects, {} bytes: {:?}", bytes.len(), start.elapsed());
    assert_eq!(field(&products[0], "placements").matches("props/crate.object").count(), 1000);
}

#[test]
fn a_wavefront_file_has_materials_of_its_library() {
    let object = "mtllib a.mtl\no hull\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\n\
        usemtl Paint\nf 1/1 3/3 2/2\nusemtl other\nf 1/1 2/2 4/3\n";
    let library = "newmtl Paint\nKd 0.5 0.25 1\nNs 2\nd 0.5\nmap_Kd -s 1 1 1 tex\\paint.png\nnewmtl unused\n";
    let beside = |name: &str| if name == "a.mtl" { Ok(library.as_bytes().to_vec()) } else { Err(String::from("none")) };
    let options = Options::new(OPTIONS);
    let products = import(&Source::new("a.obj", "", object.as_bytes(), &beside), &options).unwrap();
    assert_eq!(named(&products), [".model", "materials/paint.material", "materials/other.material"]);
    products.iter().for_each(check_packs);
    let paint = &products[1];
    assert_eq!(field(paint, "base_colour"), "{ red 0.5, green 0.25, blue 1, opacity 0.5 }");
    assert!(field(paint, "base_colour_map").contains("./tex/paint.bitmap") && field(paint, "alpha") == "\"blend\"");
    assert!(products[0].warnings.is_empty());
    let alone = run("a.obj", object.as_bytes(), &[]).unwrap();
    assert!(alone[0].warnings[0].message.contains("a.mtl"));
}

#[test]
fn one_file_can_be_one_shape() {
    let products = run("corvette.glb", &sample(), &[("as", "collision"), ("collision", "mesh")]).unwrap();
    assert_eq!(named(&products), [".geometry"]);
    assert_eq!(field(&products[0], "kind"), "\"mesh\"");
}

#[test]
fn a_file_without_content_is_empty() {
    let text = b"{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"a\"}]}";
    assert_eq!(run("a.gltf", text, &[]), Err(ImportError::Empty("meshes, lights, markers or animations")));
    assert!(matches!(run("a.xyz", text, &[]), Err(ImportError::Unsupported(_))));
    assert!(matches!(run("a.gltf", text, &[("scale", "0")]), Err(ImportError::Option { .. })));
}

#[test]
fn the_program_that_wrote_a_file_is_known() {
    let exporter = |name: &str, bytes: &[u8]| Scene::exporter(&Source::new(name, "", bytes, &nothing_beside));
    let text = b"{\"asset\":{\"generator\":\"Khronos glTF Blender I/O v4.2.57\"}}";
    assert_eq!(exporter("a.gltf", text), Some(("Khronos glTF Blender I/O".into(), "4.2.57".into())));
    assert_eq!(exporter("a.glb", &sample()), Some(("test".into(), String::new())));
    assert_eq!((exporter("a.obj", b""), exporter("a.glb", b"glTF")), (None, None));
}

#[test]
fn names_stay_unique_whatever_they_are() {
    let mut builder = sample::Builder::default();
    let (points, triangles) = sample::cube(1.0);
    let one = format!("{}}}", builder.triangles(&points, &triangles, ""));
    let names = ["a", "a/1", "a", "./a", "q\\\"./b", "q\\\"./b", ""];
    let nodes: Vec<String> =
        (0..names.len()).map(|at| format!("{{\"name\":\"{}\",\"mesh\":{at}}}", names[at])).collect();
    let meshes = names.map(|name| format!("{{\"name\":\"{name}\",\"primitives\":[{one},{one}]}}"));
    let bytes = builder.finish(&format!("\"nodes\":[{}],\"meshes\":[{}]", nodes.join(","), meshes.join(",")));
    let products = run("a.glb", &bytes, &[]).unwrap();
    check_packs(&products[0]);
    assert_eq!(field(&products[0], "meshes").matches("stride").count(), 14);
}

#[test]
fn a_smooth_surface_keeps_its_form_at_a_quarter_of_its_triangles() {
    let side = 64_u32;
    let place = |at: u32| ((at % (side + 1)) as f32 * 0.1, (at / (side + 1)) as f32 * 0.1);
    let height = |(x, y): (f32, f32)| base::Vec3::new(x, base::number::sin(x) * base::number::cos(y), y);
    let points: Vec<base::Vec3> = (0..(side + 1) * (side + 1)).map(|at| height(place(at))).collect();
    let mut triangles = Vec::new();
    for (x, y) in (0..side * side).map(|at| (at % side, at / side)) {
        let at = |x: u32, y: u32| y * (side + 1) + x;
        triangles.push([at(x, y), at(x + 1, y + 1), at(x + 1, y)]);
        triangles.push([at(x, y), at(x, y + 1), at(x + 1, y + 1)]);
    }
    let mut simplifier = simplify::Simplifier::new(&points, &triangles);
    simplifier.reduce(triangles.len() / 4);
    let error = simplifier.error();
    println!("{} of {} triangles of waves 1 m high: error {error} m", simplifier.count(), triangles.len());
    assert!(simplifier.count() <= triangles.len() / 4 && error < 0.02, "{error}");
}

/// A PNG of 4 × 4 pixels.
fn png() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let pixels = image::RgbImage::from_fn(4, 4, |x, y| image::Rgb([x as u8 * 60, y as u8 * 60, 200]));
    pixels.write_to(&mut bytes, image::ImageFormat::Png).expect("it is written to memory");
    bytes.into_inner()
}

#[test]
fn images_inside_the_file_become_bitmaps_that_its_materials_use() {
    let whole = png();
    let cut = &whole[..40];
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"name":"MK_a"}}],
"buffers":[{{"uri":"all.bin","byteLength":{all}}}],
"bufferViews":[{{"buffer":0,"byteLength":{first}}},{{"buffer":0,"byteOffset":{first},"byteLength":40}}],
"images":[{{"bufferView":0,"mimeType":"image/png","name":"Hull Paint"}},{{"bufferView":1,"name":"broken"}},{{"bufferView":0,"name":"bumps"}},{{"bufferView":7}}],
"textures":[{{"source":0}},{{"source":1}},{{"source":2}},{{"source":3}}],
"materials":[{{"name":"hull","pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}},"metallicRoughnessTexture":{{"index":1}}}},
"normalTexture":{{"index":2}},"emissiveTexture":{{"index":3}}}}]}}"#,
        all = whole.len() + cut.len(),
        first = whole.len(),
    );
    let bytes = [&whole[..], cut].concat();
    let beside = |_: &str| Ok(bytes.clone());
    let source = Source::new("ship.gltf", "ships", text.as_bytes(), &beside);
    let products = import(&source, &Options::new(OPTIONS)).unwrap();
    let names: Vec<&str> = products.iter().map(|product| product.name.as_str()).collect();
    assert_eq!(names, ["", "materials/hull", "textures/hull_paint", "textures/bumps"]);
    let value = |product: usize, name: &str| {
        products[product].fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.clone())
    };
    assert_eq!(value(1, "base_colour_map").unwrap(), "{ bitmap \"./ship/textures/hull_paint.bitmap\" }");
    assert_eq!(value(1, "normal_map").unwrap(), "{ bitmap \"./ship/textures/bumps.bitmap\" }");
    assert_eq!((value(1, "metallic_roughness_map"), value(1, "emissive_map")), (None, None));
    assert_eq!((value(2, "kind").unwrap(), value(3, "kind").unwrap()), ("\"2d\"".into(), "\"normal_map\"".into()));
    let warnings: Vec<&str> = products[0].warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert!(warnings.iter().any(|warning| warning.contains("\"broken\" is left out")), "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning.contains("1 textures have no PNG")), "{warnings:?}");
}

#[test]
fn an_unchanged_part_of_a_file_is_not_made_again() {
    use crate::result_cache::testing::CountingCache;
    let cache = CountingCache::default();
    let imported = |sample: &Sample, cache: &CountingCache| {
        let bytes = glb(sample);
        let source = Source { cache, ..Source::new("ship.glb", "", &bytes, &nothing_beside) };
        import(&source, &Options::new(OPTIONS)).unwrap()
    };
    let first = imported(&Sample::default(), &cache);
    let (made, found, _) = cache.take_counts();
    assert!(made >= 3 && found == 0, "{made} made, {found} found");
    assert_eq!(imported(&Sample::default(), &cache), first, "kept results are the made ones");
    assert_eq!(cache.take_counts(), (0, made, 0));
    // Only the collision cube is another one.
    let other = imported(&Sample { cube: 0.75, ..Sample::default() }, &cache);
    assert_eq!(cache.take_counts(), (1, made - 1, 0));
    assert_eq!(other, imported(&Sample { cube: 0.75, ..Sample::default() }, &CountingCache::default()));
}

#[test]
fn damaged_kept_results_are_made_again() {
    use crate::result_cache::testing::CountingCache;
    let cache = CountingCache::default();
    let bytes = sample();
    let imported = || {
        let source = Source { cache: &cache, ..Source::new("ship.glb", "", &bytes, &nothing_beside) };
        import(&source, &Options::new(OPTIONS)).unwrap()
    };
    let first = imported();
    let (made, ..) = cache.take_counts();
    for cut in [0, 1, 7, 40] {
        cache.results.borrow_mut().values_mut().for_each(|result| result.truncate(cut));
        assert_eq!(imported(), first);
        assert_eq!(cache.take_counts(), (made, made, made), "cut to {cut} bytes");
    }
}
