//! Whole worlds as they are shown: lambdas drive a texture, cameras and sounds meet walls, and nothing of an abandoned future is left.

use crate::common;

use astrarium::base::{StringId, Vec3, hash};
use astrarium::film::Moment;
use astrarium::presenter::{PictureInput, Presenter, ShownScene, Viewpoint};
use astrarium::publication::Publication;
use astrarium::render::Renderer;
use astrarium::render::software::SoftwareRenderer;
use astrarium::runner::Command;
use astrarium::tags::Bulk;
use astrarium::view::{BulkKind, BulkSource, PartState, RunningSound};
use common::Folder;
use common::shown::Shown;
use sound::{HeardScene, Listener, Mixer, MixerSettings, Occluder};

/// Bulk data by the numbers of parts.
struct Parts(Vec<Vec<u8>>);

impl BulkSource for Parts {
    fn part(&self, _: &Bulk, part: u32, _: BulkKind) -> PartState {
        self.0.get(part as usize).map_or(PartState::Failed, |part| PartState::Ready(part.as_slice().into()))
    }
}

fn scene<'a>(publication: &'a Publication, bulk: &'a Parts) -> ShownScene<'a> {
    ShownScene {
        frame: &publication.frame,
        content: &publication.content,
        catalogue: &publication.catalogue,
        bulk,
        ahead: 0.0,
    }
}

const LEVEL: &str = "@scenario\n!set objects_max 32\n!set sky \"dark.sky\"\n!set players [{ object \"a.object\" }]\n";
const DARK: &str = "@sky\n!set stars 0\n!set sun_strength 0\n!set ambient_strength 0\n!set brightness 0\n";

/// A square of two metres that faces −x.
const QUAD: &str = "@model\n!set bounds { min vec(0, -1, -1), max vec(0, 1, 1), radius 1.5 }\n\
    !set nodes [{ name \"root\", mesh_count 1 }]\n\
    !set meshes [{ name \"quad\", material 0, stride 20, attributes [{ meaning \"position\" }, { meaning \"uv0\", offset 12 }],\n\
        lods [{ vertex_part 0, index_part 1, vertices 4, triangles 2 }] }]\n\
    !set materials [{ name \"fire\", material \"explosion.material\" }]\n";

/// The texture description of the thesis: an image of six by six frames, and a controller for each coordinate.
const EXPLOSION: &str = "@material\n!set metallic 0\n!set unlit true\n\
    !set base_colour_map { bitmap \"textures/explosion01.bitmap\", smooth false, scale vec(1 / 6, 1 / 6) }\n\
    !set texture_offset { u Lambda(~this.frame % 6 / 6), v Lambda(floor(~this.frame / 6) / 6) }\n";
const SHEET: &str =
    "@bitmap\n!set width 6\n!set height 6\n!set format \"rgba8\"\n!set levels [{ width 6, height 6, part 2 }]\n";
const BURNING: &str = "@object\n!set model \"quad.model\"\n!set update_period 10\n!set frame 0\n\
    !set OnUpdate Lambda(seconds, !set frame (frame + 1) % 36)\n";

/// The quad, and a sheet whose frames differ in red and green.
fn explosion_parts() -> Parts {
    let corners = [(1.0, 1.0, 0.0, 0.0), (-1.0, 1.0, 1.0, 0.0), (-1.0, -1.0, 1.0, 1.0), (1.0, -1.0, 0.0, 1.0_f32)];
    let vertices = corners.iter().flat_map(|(y, z, u, v)| [0.0, *y, *z, *u, *v]).flat_map(f32::to_le_bytes).collect();
    let indices = [0_u16, 2, 1, 0, 3, 2].iter().flat_map(|index| index.to_le_bytes()).collect();
    let texels = (0..36_u8).flat_map(|frame| [frame % 6 * 50, frame / 6 * 50, 128, 255]).collect();
    Parts(vec![vertices, indices, texels])
}

#[test]
fn the_frames_of_the_thesis_texture_follow_a_variable_of_its_object() {
    let folder = Folder::new();
    let tags = [
        ("levels/a.scenario", LEVEL),
        ("dark.sky", DARK),
        ("a.object", BURNING),
        ("quad.model", QUAD),
        ("explosion.material", EXPLOSION),
        ("textures/explosion01.bitmap", SHEET),
    ];
    let mut shown = Shown::new(&folder, &tags);
    let parts = explosion_parts();
    let viewpoint = Viewpoint::Fixed { eye: Vec3::new(-4.0, 0.0, 0.0), at: Vec3::ZERO };
    let (mut presenter, mut renderer) = (Presenter::new(viewpoint), SoftwareRenderer::new(1));
    let mut pictures = Vec::new();
    for cycle in [3, 10, 20, 36] {
        shown.run_to(cycle);
        let publication = shown.publication();
        let values = &publication.frame.parameters;
        let value = |name: &str| values.iter().find(|it| it.name == StringId::from(name)).expect(name).value;
        let frame = (value("texture_offset.v") * 6.0).round() * 6.0 + (value("texture_offset.u") * 6.0).round();
        let scene = scene(&publication, &parts);
        presenter.advance(&scene, &PictureInput { seconds: 0.01, aspect: 1.0, ..PictureInput::default() });
        presenter.draw(&scene, [64, 64], &mut renderer).expect("the processor draws");
        assert_eq!(renderer.take_reports(), Vec::<String>::new());
        let pixels = renderer.read_pixels().expect("it was drawn");
        let inside: Vec<[u8; 4]> = [(24, 24), (40, 24), (32, 40)].map(|(x, y)| pixels.at(x, y).expect("inside")).into();
        assert!(inside.iter().all(|pixel| *pixel == inside[0]), "one frame fills the square: {inside:?}");
        pictures.push((publication.status.cycle, frame as u32, inside[0], hash::hash(&pixels.bytes)));
    }
    let frames: Vec<u32> = pictures.iter().map(|(_, frame, ..)| *frame).collect();
    assert!(frames.windows(2).all(|pair| pair[0] != pair[1]), "{pictures:x?}");
    // Exact: the software renderer draws the same bits on every machine.
    assert_eq!(pictures, EXACT, "{pictures:?}");
}

/// The cycles, the frames of the texture, the pixels inside, and the hashes of the pictures.
const EXACT: [(u64, u32, [u8; 4], u64); 4] = [
    (3, 2, [118, 19, 152, 255], 721563167075602255),
    (10, 9, [167, 55, 144, 255], 1038906282692227091),
    (20, 19, [55, 159, 138, 255], 2384367899613398747),
    (36, 35, [211, 211, 140, 255], 5511718305620164922),
];

const CRATE: &str = "@object\n!set velocity vec(0, 0, 0)\n!set turns 0\n!set update_period 10\n\
    !set OnUpdate Lambda(seconds, [ !set turns turns + 1, if turns = 49 then !Play(\"boom.effect\") else nothing ]())\n";
const BOOM: &str = "@effect\n!set duration 5\n!set particles [{ name \"sparks\", rate 100 }]\n\
    !set sounds [{ name \"boom\", sound \"boom.sound\" }]\n";
const BOOM_SOUND: &str = "@sound\n!set sample_rate 48000\n!set channels 1\n!set frames 240000\n!set part_frames 240000\n\
    !set permutations [{ name \"a\", parts 1, frames 240000 }]\n";

#[test]
fn after_a_seek_a_load_and_a_restart_nothing_of_the_abandoned_future_is_seen_or_heard() {
    let folder = Folder::new();
    let level = "@scenario\n!set objects_max 32\n!set players [{ object \"a.object\" }]\n";
    let tags = [("levels/a.scenario", level), ("a.object", CRATE), ("boom.effect", BOOM), ("boom.sound", BOOM_SOUND)];
    let mut shown = Shown::new(&folder, &tags);
    let tone: Vec<u8> = (0..240_000_u32).flat_map(|at| if at % 100 < 50 { [0, 64] } else { [0, 192] }).collect();
    let parts = Parts(vec![tone]);
    let mut presenter = Presenter::new(Viewpoint::Overview);
    let mut mixer = Mixer::new(MixerSettings::default());
    // What is seen and heard at this moment: running effects and sounds, and the loudest sample after fading.
    let mut look = |shown: &Shown| {
        let publication = shown.publication();
        presenter.advance(
            &scene(&publication, &parts),
            &PictureInput { seconds: 0.01, aspect: 1.0, ..PictureInput::default() },
        );
        let listeners = presenter.listeners(0.01);
        let mut moving = publication.frame.clone();
        moving.moment.speed = 1.0;
        let mut block = [0.0; 9_600];
        for _ in 0..3 {
            mixer.hear(&HeardScene::new(&moving, &listeners, &publication.content, &parts));
            mixer.mix(&mut block);
        }
        let loudest = block.iter().fold(0.0_f32, |most, sample| most.max(sample.abs()));
        (presenter.shown().effects.len(), presenter.shown().sounds.len(), loudest > 0.001)
    };
    shown.run_to(20);
    assert_eq!(look(&shown), (0, 0, false));
    let save = folder.join("a.save");
    shown.send(Command::Save(save.clone()));
    shown.run_to(80);
    assert_eq!(look(&shown), (1, 1, true), "it has exploded");
    shown.send(Command::Pause);
    shown.send(Command::Seek(Moment::at(30)));
    assert_eq!(look(&shown), (0, 0, false), "after a rewind");
    shown.send(Command::Seek(Moment::at(80)));
    assert_eq!(look(&shown), (1, 1, true), "a seek into the middle of it");
    shown.send(Command::Load(save));
    assert_eq!((shown.publication().status.cycle, look(&shown)), (20, (0, 0, false)), "after a load");
    shown.send(Command::Resume);
    shown.run_to(90);
    assert_eq!(look(&shown), (1, 1, true), "it happens again");
    shown.send(Command::Restart);
    assert_eq!(look(&shown), (0, 0, false), "after a restart");
}

#[test]
fn a_camera_stays_before_a_wall_and_a_sound_behind_it_is_muffled() {
    let folder = Folder::new();
    let level = "@scenario\n!set objects_max 32\n!set bodies_max 8\n!set camera \"a.camera\"\n!set players [{ object \"a.object\" }]\n\
        !set placements [{ object \"wall.object\", position vec(-5, 0, 0) }]\n";
    let wall = "@object\n!set body { shape \"box\", half vec(0.5, 20, 20), fixed true }\n";
    let camera = "@camera\n!set kind \"chase\"\n!set distance 12\n!set pitch 0\n!set collision_radius 0.5\n";
    let tags = [("levels/a.scenario", level), ("a.object", "@object\n"), ("wall.object", wall), ("a.camera", camera)];
    let mut shown = Shown::new(&folder, &tags);
    shown.run_to(5);
    let (publication, parts) = (shown.publication(), Parts(Vec::new()));
    let mut presenter = Presenter::new(Viewpoint::Players(vec![0]));
    presenter
        .advance(&scene(&publication, &parts), &PictureInput { seconds: 0.01, aspect: 1.0, ..PictureInput::default() });
    let eye = presenter.views()[0].position;
    assert!((-4.1..-3.5).contains(&eye.x), "it would be twelve metres behind: {eye:?}");
    let walls = presenter.obstacles();
    let sound = |x: f32| RunningSound {
        id: 1,
        sound: StringId::NONE,
        object: 0,
        position: Some(Vec3::X * x),
        velocity: Vec3::ZERO,
        started: 0.0,
        loops: false,
        seed: 0,
        volume: 1.0,
        pitch: 1.0,
    };
    let ear = Listener::at(&presenter.views()[0], Vec3::ZERO).position;
    assert_eq!((walls.occlusion(&sound(-9.0), ear), walls.occlusion(&sound(9.0), ear)), (1.0, 0.0));
}
