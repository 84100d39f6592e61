//! Content of every kind becomes resources; what is missing or broken is reported once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base::{StringId, Vec2, Vec3};
use tags::library::Ready;
use tags::pack::Prepared;
use tags::{Bulk, Class, Key, Library, Tag, TagPath};
use view::classes::{Bitmap, Material, Model, Sky};
use view::{BulkKind, BulkSource, Parameter, PartState, Shape, ShapeCatalogue, ShapeMesh};

use super::cache::{Cache, Step};
use super::*;

/// Parts by index, the same for all tags.
#[derive(Default)]
pub struct Parts {
    parts: Mutex<BTreeMap<u32, PartState>>,
}

impl Parts {
    pub fn of(parts: &[&[u8]]) -> Parts {
        let ready = |part: &&[u8]| PartState::Ready(Arc::from(*part));
        Parts { parts: Mutex::new((0..).zip(parts.iter().map(ready)).collect()) }
    }

    fn set(&self, part: u32, state: PartState) {
        self.parts.lock().unwrap().insert(part, state);
    }
}

impl BulkSource for Parts {
    fn part(&self, _: &Bulk, part: u32, _: BulkKind) -> PartState {
        self.parts.lock().unwrap().get(&part).cloned().unwrap_or(PartState::Failed)
    }
}

/// Puts a tag into a library.
pub fn put(library: &mut Library, class: Class, path: &str, version: u8, text: &str) -> StringId {
    let made = Prepared::new(class).pack_text(text);
    assert!(made.is_sound(), "{:?}", made.reports);
    let path = TagPath::new(path).unwrap();
    let id = path.id();
    library.apply([Ready { path, key: Key([version; 32]), packed: Arc::new(made.packed) }]);
    id
}

const MODEL: &str = "@model\n\
    !set bounds { max vec(2, 2, 0), radius 2 }\n\
    !set nodes [{ name \"root\" }, { name \"arm\", parent 0, position vec(1, 0, 0), mesh_count 9, skin 3 }]\n\
    !set meshes [{ name \"hull\", material 0, stride 20, attributes [\n\
        { meaning \"position\", format \"range16\", size vec(2, 4, 1) },\n\
        { meaning \"normal\", format \"octahedral\", offset 8 },\n\
        { meaning \"colour\", format \"unit8\", offset 12 },\n\
        { meaning \"joints\", format \"index8\", offset 16 }],\n\
        lods [{ vertex_part 0, index_part 1, vertices 3, triangles 1 }] }]\n\
    !set materials [{ name \"paint\", material \"paint.material\" }]\n\
    !set material_overrides [{ slot \"paint\", material \"gold.material\" }]\n\
    !set markers [{ name \"muzzle\", node 1 }, { name \"lost\", node 77 }]\n";

fn vertices() -> Vec<u8> {
    let vertex = |x: u16, y: u16, joint: u8| {
        let mut bytes: Vec<u8> = [x, y, 0, 0].iter().flat_map(|step| step.to_le_bytes()).collect();
        // The octahedral mapping of z is 0, 0.
        bytes.extend([0, 0, 0, 0, 255, 0, 51, 255, joint, 1, 2, 3]);
        bytes
    };
    [vertex(0, 0, 0), vertex(65535, 0, 7), vertex(0, 65535, 9)].concat()
}

fn indices(corners: [u16; 3]) -> Vec<u8> {
    corners.iter().flat_map(|corner| corner.to_le_bytes()).collect()
}

#[test]
fn a_model_is_decoded_from_quantised_vertices() {
    let mut library = Library::new();
    let tag = put(&mut library, Model::class(), "ships/a.model", 1, MODEL);
    let parts = Parts::of(&[&vertices(), &indices([0, 1, 2])]);
    let mut resources = Resources::new(1024);
    let source = ContentSource { content: &library, bulk: &parts };
    let model = resources.model(tag, source).ready().unwrap();
    let lod = &model.meshes[0].lods[0];
    assert_eq!(lod.positions, [Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0), Vec3::new(0.0, 4.0, 0.0)]);
    assert_eq!(lod.normals, [Vec3::Z; 3]);
    assert_eq!(lod.colours[0].to_array(), [1.0, 0.0, 0.2, 1.0]);
    assert_eq!(lod.joints[2], [9, 1, 2, 3]);
    assert_eq!(lod.indices, [0, 1, 2]);
    assert_eq!(model.slots, [StringId::new("gold.material")], "the override counts");
    let arm = &model.nodes[1];
    assert_eq!((arm.parent, arm.first_mesh, arm.mesh_count, arm.skin), (Some(0), 0, 1, None), "only what exists");
    assert_eq!(model.markers.iter().map(|marker| marker.node).collect::<Vec<_>>(), [Some(1), None]);
    assert!(resources.take_reports().is_empty());
    assert!(Arc::ptr_eq(&model, &resources.model(tag, source).ready().unwrap()));
}

#[test]
fn broken_vertices_and_indices_fail_with_one_report() {
    let whole = (vertices(), indices([0, 1, 2]));
    let cases: [(&[u8], &[u8], &str); 5] = [
        (&whole.0[1..], &whole.1, "vertices"),
        (&whole.0, &whole.1[2..], "triangles"),
        (&whole.0, &indices([0, 1, 3]), "vertex 3 of 3"),
        (&[], &whole.1, "vertices"),
        (&whole.0, &[], "triangles"),
    ];
    for (vertices, indices, why) in cases {
        let mut library = Library::new();
        let tag = put(&mut library, Model::class(), "ships/a.model", 1, MODEL);
        let parts = Parts::of(&[vertices, indices]);
        let mut resources = Resources::new(1024);
        for _ in 0..3 {
            resources.begin_picture();
            let source = ContentSource { content: &library, bulk: &parts };
            assert!(matches!(resources.model(tag, source), Loaded::Failed));
        }
        let reports = resources.take_reports();
        assert_eq!(reports.len(), 1, "{reports:?}");
        assert!(reports[0].starts_with("ships/a.model: ") && reports[0].contains(why), "{reports:?}");
    }
}

#[test]
fn a_missing_tag_is_reported_once() {
    let (library, parts) = (Library::new(), Parts::default());
    let mut resources = Resources::new(1024);
    let source = ContentSource { content: &library, bulk: &parts };
    let tag = StringId::new("gone.model");
    for _ in 0..2 {
        resources.begin_picture();
        assert!(matches!(resources.model(tag, source), Loaded::Failed));
        assert!(matches!(resources.texture(StringId::new("gone.bitmap"), source), Loaded::Failed));
        assert!(matches!(resources.material(StringId::new("gone.material"), source), Loaded::Failed));
        assert_eq!(*resources.sky(StringId::new("gone.sky"), source), SkyResource::default());
    }
    assert_eq!(resources.take_reports().len(), 4);
    assert_eq!(resources.loading(), 0);
}

#[test]
fn a_model_loads_without_waiting_and_its_former_version_is_used_meanwhile() {
    let mut library = Library::new();
    let tag = put(&mut library, Model::class(), "ships/a.model", 1, MODEL);
    let parts = Parts::of(&[&vertices()]);
    parts.set(1, PartState::Loading);
    let mut resources = Resources::new(1024);
    resources.begin_picture();
    let source = ContentSource { content: &library, bulk: &parts };
    assert!(matches!(resources.model(tag, source), Loaded::Loading));
    assert!(matches!(resources.model(tag, source), Loaded::Loading));
    assert_eq!(resources.loading(), 1, "counted once a picture");
    parts.set(1, PartState::Ready(indices([0, 1, 2]).into()));
    resources.begin_picture();
    let first = resources.model(tag, source).ready().unwrap();
    assert_eq!(resources.loading(), 0);
    put(&mut library, Model::class(), "ships/a.model", 2, MODEL);
    parts.set(1, PartState::Loading);
    resources.begin_picture();
    let source = ContentSource { content: &library, bulk: &parts };
    assert!(Arc::ptr_eq(&first, &resources.model(tag, source).ready().unwrap()));
    assert_eq!(resources.loading(), 1);
    parts.set(1, PartState::Ready(indices([2, 1, 0]).into()));
    resources.begin_picture();
    let second = resources.model(tag, source).ready().unwrap();
    assert_ne!(first.serial, second.serial);
    assert_eq!(second.meshes[0].lods[0].indices, [2, 1, 0]);
}

const BITMAP: &str = "@bitmap\n!set width 4\n!set height 4\n!set format \"rgba8\"\n\
    !set levels [{ width 4, height 4, part 0 }, { width 2, height 2, part 1 }, { width 1, height 1, part 2 }]\n";

#[test]
fn a_texture_appears_with_its_small_levels_first() {
    let mut library = Library::new();
    let tag = put(&mut library, Bitmap::class(), "a.bitmap", 1, BITMAP);
    let parts = Parts::of(&[&[], &[7; 16], &[9; 4]]);
    parts.set(0, PartState::Loading);
    let source = ContentSource { content: &library, bulk: &parts };
    let mut resources = Resources::new(1024);
    resources.begin_picture();
    let partial = resources.texture(tag, source).ready().unwrap();
    assert_eq!((partial.levels.len(), resources.loading()), (2, 1));
    resources.begin_picture();
    assert!(Arc::ptr_eq(&partial, &resources.texture(tag, source).ready().unwrap()));
    parts.set(0, PartState::Ready([5; 64].into()));
    resources.begin_picture();
    let whole = resources.texture(tag, source).ready().unwrap();
    assert_eq!((whole.levels.len(), whole.levels[0].width, resources.loading()), (3, 4, 0));
    let mut small = Resources::new(2);
    let reduced = small.texture(tag, source).ready().unwrap();
    assert_eq!((reduced.levels.len(), reduced.levels[0].width), (2, 2));
}

#[test]
fn a_texture_of_the_wrong_length_fails() {
    for wrong in [&[0; 63][..], &[], &[0; 65]] {
        let mut library = Library::new();
        let tag = put(&mut library, Bitmap::class(), "a.bitmap", 1, BITMAP);
        let parts = Parts::of(&[wrong, &[7; 16], &[9; 4]]);
        let mut resources = Resources::new(1024);
        let source = ContentSource { content: &library, bulk: &parts };
        assert!(matches!(resources.texture(tag, source), Loaded::Failed));
        assert_eq!(resources.take_reports().len(), 1);
    }
}

#[test]
fn a_material_takes_parameters_that_are_meant_for_it() {
    let mut library = Library::new();
    let text = "@material\n!set roughness 0.25\n!set emissive_strength Lambda(3)\n!set base_colour { red 0.5 }\n\
        !set base_colour_map { bitmap \"a.bitmap\", uv 1, scale vec(2, 3), offset vec(0.5, 0) }\n\
        !set parameters [{ name \"team_colour\", value 1 }]\n";
    let tag = put(&mut library, Material::class(), "a.material", 1, text);
    let mut resources = Resources::new(1024);
    let parts = Parts::default();
    let material = resources.material(tag, ContentSource { content: &library, bulk: &parts }).ready().unwrap();
    assert_eq!(material.constants.base_colour, [0.5, 1.0, 1.0, 1.0]);
    assert_eq!((material.constants.roughness, material.constants.emissive_strength), (0.25, 1.0));
    assert!(material.takes_colour);
    let map = &material.maps[MapSlot::BaseColour as usize];
    assert_eq!((map.bitmap, map.set), (StringId::new("a.bitmap"), 1));
    assert_eq!(map.columns, [Vec2::new(2.0, 0.0), Vec2::new(0.0, 3.0), Vec2::new(0.5, 0.0)]);
    let given = |name: &str, material, value| Parameter { name: StringId::new(name), material, value };
    let changed = material.constants.with(
        tag,
        &[
            given("emissive_strength", StringId::NONE, 8.0),
            given("roughness", StringId::new("other.material"), 0.9),
            given("metallic", tag, f32::NAN),
            given("base_colour.green", tag, 0.25),
        ],
    );
    assert_eq!((changed.emissive_strength, changed.roughness, changed.metallic), (8.0, 0.25, 1.0));
    assert_eq!(changed.base_colour[1], 0.25);
}

#[test]
fn a_sky_is_read_in_linear_light() {
    let mut library = Library::new();
    let text = "@sky\n!set kind \"day\"\n!set sun_direction vec(0, 0, 5)\n!set exposure 2\n!set sun_strength 2\n\
        !set sun_colour \"#ffffff\"\n!set fog_density 0.5\n";
    let tag = put(&mut library, Sky::class(), "a.sky", 1, text);
    let mut resources = Resources::new(1024);
    let parts = Parts::default();
    let sky = resources.sky(tag, ContentSource { content: &library, bulk: &parts });
    assert_eq!((sky.sun_direction, sky.exposure, sky.fog_density), (Vec3::Z, 4.0, 0.5));
    assert_eq!(sky.sun_light, Vec3::splat(2.0));
}

#[test]
fn a_cache_drops_the_longest_unused_beyond_its_budget() {
    let library = Library::new();
    let mut cache: Cache<u32> = Cache::new(100, 1000);
    let (mut reports, mut loading) = (crate::reports::Reports::default(), 0);
    let mut made = Vec::new();
    for picture in 0..40_u64 {
        cache.begin_picture();
        for tag in [picture + 1, 1_000_000] {
            let id = StringId::from_number(tag);
            let make = |_: Option<&u32>| {
                made.push(tag);
                Step::Ready(7)
            };
            assert!(cache.get(id, &library, make, |_| 100, &mut reports, &mut loading).ready().is_some());
        }
    }
    assert_eq!(made.iter().filter(|tag| **tag == 1_000_000).count(), 1, "what is used stays");
    assert_eq!(made.len(), 41);
    let again = cache.get(StringId::from_number(1), &library, |_| Step::Ready(8), |_| 100, &mut reports, &mut loading);
    assert_eq!(again.ready().as_deref(), Some(&8), "what was dropped is made again");
}

#[test]
fn shapes_are_closed_and_face_outwards() {
    let mut resources = Resources::new(1024);
    let shapes = [
        Shape::Sphere { radius: 2.0 },
        Shape::Capsule { radius: 0.5, length: 3.1 },
        Shape::Box { half: Vec3::new(1.0, 0.3, 2.0) },
        Shape::Marker { radius: 1.0 },
    ];
    for shape in shapes {
        let model = resources.shape(&shape, &ShapeCatalogue::default()).unwrap();
        for lod in &model.model.meshes[0].lods {
            let mut volume = 0.0;
            let mut area = Vec3::ZERO;
            for corners in lod.indices.as_chunks::<3>().0 {
                let [a, b, c] = corners.map(|corner| lod.positions[corner as usize].times(model.scale));
                volume += a.dot(b.cross(c)) / 6.0;
                area += (b - a).cross(c - a);
                let normal = lod.normals[corners[0] as usize];
                assert!((b - a).cross(c - a).dot(normal) >= -1e-4, "{shape:?}");
            }
            assert!(volume > 0.05 && area.length() < 1e-3, "{shape:?}: {volume} {area:?}");
        }
    }
    let sphere = resources.shape(&Shape::Sphere { radius: 2.0 }, &ShapeCatalogue::default()).unwrap();
    assert_eq!(sphere.scale, Vec3::splat(2.0));
}

#[test]
fn a_mesh_is_smooth_over_small_angles_and_has_edges_elsewhere() {
    // Two triangles that meet along the y axis; the second rises by `slope`.
    let normals = |slope: f32| {
        let points = vec![
            Vec3::new(-1.0, 0.0, 0.0),
            Vec3::new(0.0, -1.0, 0.0),
            Vec3::new(0.0, 1.0, 0.0),
            Vec3::new(1.0, 0.0, slope),
        ];
        let mesh = ShapeMesh { points, triangles: vec![[0, 1, 2], [1, 3, 2]] };
        let mut catalogue = ShapeCatalogue::default();
        let name = StringId::new("roof");
        catalogue.meshes.insert(name, mesh);
        let found = Resources::new(1024).shape(&Shape::Mesh { name }, &catalogue).unwrap();
        found.model.meshes[0].lods[0].normals.clone()
    };
    let gentle = normals(0.3);
    assert!(gentle[1].distance(gentle[3]) < 1e-6 && gentle[0].distance(Vec3::Z) < 1e-6, "{gentle:?}");
    let steep = normals(1.0);
    assert!(steep[..3].iter().all(|normal| normal.distance(Vec3::Z) < 1e-6), "{steep:?}");
}

#[test]
fn shapes_without_size_are_not_shown() {
    let mut resources = Resources::new(1024);
    let catalogue = ShapeCatalogue::default();
    for shape in [
        Shape::None,
        Shape::Sphere { radius: 0.0 },
        Shape::Sphere { radius: f32::NAN },
        Shape::Sphere { radius: f32::INFINITY },
        Shape::Capsule { radius: 1.0, length: f32::NAN },
        Shape::Box { half: Vec3::new(1.0, f32::NAN, 1.0) },
        Shape::Box { half: Vec3::ZERO },
        Shape::Box { half: Vec3::splat(-1.0) },
        Shape::Mesh { name: StringId::new("gone") },
    ] {
        assert!(resources.shape(&shape, &catalogue).is_none(), "{shape:?}");
    }
}
