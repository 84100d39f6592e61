//! The scene: read from ours, made of Bevy's entities.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::error::Error;

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::{CascadesVisibleEntities, NoCpuCulling, VisibleEntities};
use bevy::camera::{Exposure, Hdr, RenderTarget};
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::light::{CascadeShadowConfigBuilder, DirectionalLightShadowMap, GlobalAmbientLight};
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::post_process::bloom::Bloom;
use bevy::prelude::*;
use bevy::render::render_resource::{TextureFormat, TextureUsages};
use bevy::render::view::Msaa;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use render::resources::{MeshLod, Resources, SkyResource};
use render::scenes::{self, Scene};

use crate::Wanted;

/// How fast a thing moves.
#[derive(Component)]
struct Drift(Vec3);

/// The triangles of a thing.
#[derive(Component)]
struct Triangles(usize);

/// What the camera draws into.
#[derive(Resource)]
struct Target(Handle<Image>);

/// As our renderer chooses them: the levels that are kept, and the error that may be seen, in pixels.
const LEVELS_MAX: usize = 4;
const ERROR_PIXELS: f32 = 0.75;

/// Adds the scene, and what moves it.
pub fn add_to(app: &mut App, wanted: &Wanted) {
    app.insert_resource(ClearColor(Color::linear_rgb(0.004, 0.005, 0.008)))
        .insert_resource(DirectionalLightShadowMap { size: wanted.shadow_side })
        .add_systems(Startup, build);
    if !wanted.is_still {
        app.add_systems(Update, drift);
    }
}

fn drift(mut things: Query<(&mut Transform, &Drift)>) {
    things.par_iter_mut().for_each(|(mut place, drift)| place.translation += drift.0 * 0.001);
}

fn build(
    mut commands: Commands,
    wanted: Res<Wanted>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
    mut images: ResMut<Assets<Image>>,
) {
    let scene = scenes::crowd(wanted.instances);
    let sky = SkyResource::default();
    let mut resources = Resources::new(64);
    // A mesh for each model and level, a material for each colour: Bevy draws those that share both in one batch.
    let mut made: BTreeMap<(u64, usize), Handle<Mesh>> = BTreeMap::new();
    let mut paints: BTreeMap<[u8; 3], Handle<StandardMaterial>> = BTreeMap::new();
    for instance in &scene.frame.instances {
        let Some(shape) = resources.shape(&instance.shape, &scene.catalogue) else { continue };
        let Some(mesh) = shape.model.meshes.first() else { continue };
        let scale = shape.scale * instance.scale;
        let level = level_for(&scene, mesh.lods.len(), wanted.size[1], |level| {
            let reach = mesh.bounds.radius * scale.max_component();
            (
                (instance.position - scene.views[0].position).length() - reach,
                mesh.lods[level].error * scale.max_component(),
            )
        });
        let lod = &mesh.lods[level];
        let handle = made.entry((shape.model.serial, level)).or_insert_with(|| meshes.add(mesh_of(lod)));
        let colour = [instance.colour.red, instance.colour.green, instance.colour.blue];
        let paint = paints.entry(colour).or_insert_with(|| {
            materials.add(StandardMaterial {
                base_color: Color::srgb_u8(colour[0], colour[1], colour[2]),
                perceptual_roughness: 0.5,
                ..default()
            })
        });
        let turn = instance.orientation;
        let mut thing = commands.spawn((
            Mesh3d(handle.clone()),
            MeshMaterial3d(paint.clone()),
            Transform {
                translation: vec3(instance.position),
                rotation: Quat::from_xyzw(turn.x, turn.y, turn.z, turn.w),
                scale: vec3(scale),
            },
            Drift(vec3(instance.velocity)),
            Triangles(lod.triangles()),
        ));
        if !wanted.has_cpu_culling {
            thing.insert(NoCpuCulling);
        }
    }
    let side = (wanted.instances as f32).sqrt().ceil() * 3.0;
    let cascades = CascadeShadowConfigBuilder {
        num_cascades: wanted.cascades.max(1),
        minimum_distance: 0.1,
        first_cascade_far_bound: side * 0.15,
        maximum_distance: side * 1.8,
        ..default()
    };
    // One unit of our light is one of Bevy's at this exposure.
    let sun = sky.sun_light;
    let strength = sun.max_component();
    commands.spawn((
        DirectionalLight {
            color: Color::linear_rgb(sun.x / strength, sun.y / strength, sun.z / strength),
            illuminance: strength,
            shadow_maps_enabled: wanted.cascades > 0,
            ..default()
        },
        cascades.build(),
        Transform::default().looking_to(-vec3(sky.sun_direction), Vec3::Z),
    ));
    let ambient = (sky.ambient[0] + sky.ambient[1]) * 0.5;
    commands.insert_resource(GlobalAmbientLight {
        color: Color::linear_rgb(ambient.x, ambient.y, ambient.z),
        brightness: 1.0,
        ..default()
    });
    let mut target = Image::new_target_texture(wanted.size[0], wanted.size[1], TextureFormat::Rgba8UnormSrgb, None);
    target.texture_descriptor.usage |= TextureUsages::COPY_SRC;
    let target = images.add(target);
    commands.insert_resource(Target(target.clone()));
    let eye = &scene.views[0];
    let forward = eye.orientation.rotate(base::Vec3::X);
    let mut camera = commands.spawn((
        Camera3d::default(),
        Hdr,
        Msaa::Off,
        Bloom::NATURAL,
        Tonemapping::AcesFitted,
        Exposure { ev100: -(1.2f32.log2()) },
        Projection::Perspective(PerspectiveProjection { fov: eye.fov, near: eye.near, far: side * 4.0, ..default() }),
        RenderTarget::Image(target.into()),
        Transform::from_translation(vec3(eye.position)).looking_to(vec3(forward), Vec3::Z),
    ));
    if !wanted.has_cpu_culling {
        camera.insert(NoCpuCulling);
    }
}

/// The coarsest kept level whose error is not seen, as our culling chooses it. `at` gives the distance and the error of a level.
fn level_for(scene: &Scene, count: usize, height: u32, at: impl Fn(usize) -> (f32, f32)) -> usize {
    let kept = count.min(LEVELS_MAX);
    let level = |index: usize| if kept < 2 { 0 } else { index * (count - 1) / (kept - 1) };
    let view = &scene.views[0];
    let detail = height as f32 * 0.5 / (view.fov * 0.5).tan() / ERROR_PIXELS;
    let mut chosen = 0;
    for next in 1..kept {
        let (distance, error) = at(level(next));
        if distance.max(view.near) < error * detail {
            break;
        }
        chosen = level(next);
    }
    chosen
}

fn mesh_of(lod: &MeshLod) -> Mesh {
    let points = |list: &[base::Vec3]| list.iter().map(|point| point.to_array()).collect::<Vec<_>>();
    let uvs: Vec<[f32; 2]> = lod.uvs[0].iter().map(|uv| uv.to_array()).collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, points(&lod.positions))
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, points(&lod.normals))
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
        .with_inserted_indices(Indices::U32(lod.indices.clone()))
}

/// The triangles of what Bevy's processor found visible: for the camera, then for each cascade.
pub fn triangles(world: &mut World) -> Vec<usize> {
    let mut things = world.query::<&Triangles>();
    let mut lists: Vec<Vec<Entity>> = Vec::new();
    let mut cameras = world.query_filtered::<&VisibleEntities, With<Camera3d>>();
    lists.extend(
        cameras.iter(world).map(|seen| seen.entities.get(&TypeId::of::<Mesh3d>()).cloned().unwrap_or_default()),
    );
    let mut suns = world.query::<&CascadesVisibleEntities>();
    for sun in suns.iter(world) {
        lists.extend(sun.entities.values().flatten().map(|cascade| cascade.entities.clone()));
    }
    let count =
        |list: &Vec<Entity>| list.iter().filter_map(|entity| things.get(world, *entity).ok()).map(|own| own.0).sum();
    lists.iter().map(count).collect()
}

/// Writes the picture to the file that is wanted.
pub fn keep_picture(app: &mut App, wait: &dyn Fn()) {
    let target = app.world().resource::<Target>().0.clone();
    app.world_mut().spawn(Screenshot::image(target)).observe(
        |captured: On<ScreenshotCaptured>, wanted: Res<Wanted>| {
            if let Err(error) = write(&captured.image, &wanted) {
                eprintln!("no picture: {error}");
            }
        },
    );
    for _ in 0..6 {
        app.update();
        wait();
    }
}

fn write(image: &Image, wanted: &Wanted) -> Result<(), Box<dyn Error>> {
    let (Some(file), Some(bytes)) = (&wanted.file, &image.data) else { return Ok(()) };
    let pixels = render::Pixels { size: wanted.size, bytes: bytes.clone() };
    render::files::write_png(std::io::BufWriter::new(std::fs::File::create(file)?), &pixels)?;
    Ok(())
}

fn vec3(vector: base::Vec3) -> Vec3 {
    Vec3::from_array(vector.to_array())
}
