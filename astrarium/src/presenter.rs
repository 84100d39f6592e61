//! From a publication to a picture: prediction, poses, cameras, the looks of effects, the interface, the overlay.
//!
//! A presenter works without a window: windows, screenshots, videos, browsers and tests use the same one.
//!
//! Laws
//! 1. What is kept from picture to picture (smoothing, cameras, trails) is dropped when the world does not continue from the frame
//!    before: see [`view::Moment::epoch`].
//! 2. It never waits, and changes nothing in a world.
//! 3. Cameras come last, at the same time as what they follow.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{StringId, Vec3};
use render::{RenderError, Renderer};
use sound::Listener;
use tags::Library;
use view::camera::viewports;
use view::classes::camera::CameraKind;
use view::classes::{Camera, PostEffect};
use view::effects::{EffectHistory, EffectScene, FramePlacement, ObjectIndex, Placement};
use view::{
    BulkSource, CameraInput, CameraRig, CameraScene, CameraSettings, CameraTarget, CameraView, Canvas, Frame, Instance,
    ObstacleMeshes, Obstacles, Overlay, Picture, PlayerView, PostValues, ShapeCatalogue, Smoother, Visuals,
};

use crate::bulk_reader::BulkReader;
use crate::publication::Publication;
use crate::viewpoint::{self, FreeCamera};

/// The distance that an eye may pass between two pictures and still count as moving, in metres.
const STEP_MAX: f32 = 100.0;

/// The narrowest and the widest angle of view that a player can choose, in radians.
const FOV: (f32, f32) = (0.3, 2.6);

/// What is shown: a frame and everything it refers to.
#[derive(Clone, Copy)]
pub struct ShownScene<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// The tags.
    pub content: &'a Library,
    /// The meshes of shapes.
    pub catalogue: &'a ShapeCatalogue,
    /// The bulk data.
    pub bulk: &'a dyn BulkSource,
    /// World time since the frame's moment, in seconds.
    pub ahead: f32,
}

/// Where a picture is taken from.
#[derive(Clone, Debug, PartialEq)]
pub enum Viewpoint {
    /// The cameras of these players, side by side.
    Players(Vec<u16>),
    /// Everything that moves.
    Overview,
    /// From a point towards another.
    Fixed {
        /// The eye.
        eye: Vec3,
        /// What it looks at.
        at: Vec3,
    },
    /// A camera that a person flies.
    Free(FreeCamera),
    /// Around the origin, at a distance at which a ball of this radius is seen.
    Turntable {
        /// The radius.
        radius: f32,
    },
}

impl Viewpoint {
    /// The viewpoint after this one: the players of this machine together, then each player of the world, then everything that
    /// moves, and from the beginning.
    pub fn next(&self, own: &[u16], players: u16) -> Viewpoint {
        let together = (own.len() > 1).then(|| Viewpoint::Players(own.to_vec()));
        let each = (0..players).map(|player| Viewpoint::Players(vec![player]));
        let all: Vec<Viewpoint> = together.into_iter().chain(each).chain([Viewpoint::Overview]).collect();
        let place = all.iter().position(|viewpoint| viewpoint == self).map_or(0, |place| place + 1);
        all[place % all.len()].clone()
    }
}

/// The time and the input of a picture.
#[derive(Clone, Debug, Default)]
pub struct PictureInput {
    /// The machine time since the last picture, in seconds.
    pub seconds: f32,
    /// Width through height of the picture.
    pub aspect: f32,
    /// What the players do to their cameras.
    pub cameras: BTreeMap<u16, CameraInput>,
}

/// What a player prefers about cameras and effects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewPreferences {
    /// The angle of view from top to bottom, in radians, in place of the cameras' own; 0: theirs.
    pub fov: f32,
    /// The factor on the shake of cameras.
    pub shake: f32,
    /// How bright flashes are, from 0 to 1: see [`Visuals::dim_flashes`].
    pub flash: f32,
    /// The part of the particles that is shown: see [`view::Quality::particles`].
    pub particles: f32,
}

impl Default for ViewPreferences {
    fn default() -> ViewPreferences {
        ViewPreferences { fov: 0.0, shake: 1.0, flash: 1.0, particles: 1.0 }
    }
}

/// Makes pictures of a world.
pub struct Presenter {
    /// Where pictures are taken from.
    pub viewpoint: Viewpoint,
    /// What the player prefers.
    pub preferences: ViewPreferences,
    smoother: Smoother,
    /// The frame as it is shown: moved on to the time of the picture.
    shown: Frame,
    index: ObjectIndex,
    effects: EffectHistory,
    visuals: Visuals,
    canvas: Canvas,
    overlay: Overlay,
    rigs: BTreeMap<u16, CameraRig>,
    views: Vec<CameraView>,
    meshes: ObstacleMeshes,
    /// Where the eyes were before, for the speed of listeners.
    eyes: Vec<Vec3>,
    epoch: Option<u32>,
}

impl Presenter {
    /// A presenter with this viewpoint.
    pub fn new(viewpoint: Viewpoint) -> Presenter {
        Presenter {
            viewpoint,
            preferences: ViewPreferences::default(),
            smoother: Smoother::default(),
            shown: Frame::new(0),
            index: ObjectIndex::default(),
            effects: EffectHistory::default(),
            visuals: Visuals::default(),
            canvas: Canvas::default(),
            overlay: Overlay::default(),
            rigs: BTreeMap::new(),
            views: Vec::new(),
            meshes: ObstacleMeshes::default(),
            eyes: Vec::new(),
            epoch: None,
        }
    }

    /// The cameras of the last picture.
    pub fn views(&self) -> &[CameraView] {
        &self.views
    }

    /// The frame as it was shown last.
    pub fn shown(&self) -> &Frame {
        &self.shown
    }

    /// The same, to change how things look before [`Presenter::draw`].
    pub fn shown_mut(&mut self) -> &mut Frame {
        &mut self.shown
    }

    /// The looks of effects, as they were shown last.
    pub fn visuals(&self) -> &Visuals {
        &self.visuals
    }

    /// The canvas, on which the interface is drawn before [`Presenter::draw`].
    pub fn canvas(&mut self) -> &mut Canvas {
        &mut self.canvas
    }

    /// Sets what is drawn over everything else.
    pub fn set_overlay(&mut self, overlay: Overlay) {
        self.overlay = overlay;
    }

    /// The effect tags that were missing, each once, as lines for people.
    pub fn take_reports(&mut self, content: &Library) -> Vec<String> {
        let name = |tag: StringId| content.path(tag).map_or_else(|| tag.to_string(), |path| path.to_string());
        let missing = self.effects.take_missing();
        missing.into_iter().map(|tag| format!("{}: expected an effect, found none", name(tag))).collect()
    }

    /// Moves everything on to the time of the next picture.
    pub fn advance(&mut self, scene: &ShownScene<'_>, input: &PictureInput) {
        if self.epoch.replace(scene.frame.moment.epoch) != Some(scene.frame.moment.epoch) {
            self.eyes.clear();
        }
        self.shown.copy_from(scene.frame);
        if let Viewpoint::Players(players) = &self.viewpoint {
            self.shown.hide_unseen(players);
        }
        view::animation::pose(&mut self.shown, scene.content, scene.bulk, scene.ahead);
        self.smoother.advance(&mut self.shown, scene.ahead, input.seconds);
        self.index.update(&self.shown);
        self.look_at_effects(scene);
        self.meshes.update(scene.catalogue);
        self.place_views(scene, input);
    }

    /// Effects are seen where the eyes were in the last picture; shakes then move the cameras of this one.
    fn look_at_effects(&mut self, scene: &ShownScene<'_>) {
        let eyes: Vec<Vec3> = self.views.iter().map(|view| view.position).collect();
        let placement =
            FramePlacement { frame: &self.shown, index: &self.index, content: scene.content, ahead: 0.0, shown: &[] };
        let effects = EffectScene {
            frame: &self.shown,
            ahead: 0.0,
            placement: &placement,
            content: scene.content,
            eyes: &eyes,
            particles: self.preferences.particles,
        };
        view::effects::evaluate(&effects, &mut self.effects, &mut self.visuals);
        self.visuals.dim_flashes(self.preferences.flash);
    }

    fn place_views(&mut self, scene: &ShownScene<'_>, input: &PictureInput) {
        self.views.clear();
        let frame = &self.shown;
        let single = match &self.viewpoint {
            Viewpoint::Players(players) => {
                let parts = viewports(players.len(), input.aspect);
                for (player, viewport) in players.iter().zip(parts) {
                    let shown = ShownPlayers {
                        frame,
                        index: &self.index,
                        meshes: &self.meshes,
                        visuals: &self.visuals,
                        preferences: self.preferences,
                    };
                    let view = shown.view_of(&mut self.rigs, *player, scene, input);
                    self.views.push(CameraView { viewport, ..view });
                }
                return;
            }
            Viewpoint::Overview => viewpoint::overview(frame),
            Viewpoint::Fixed { eye, at } => viewpoint::fixed(*eye, *at, frame.up),
            Viewpoint::Free(free) => free.view(),
            Viewpoint::Turntable { radius } => viewpoint::turntable(frame, *radius, frame.moment.seconds),
        };
        self.views.push(single);
    }

    /// The solid things of the frame as it was shown last: what is in the way of cameras and sounds.
    pub fn obstacles(&self) -> Obstacles<'_> {
        Obstacles { frame: &self.shown, meshes: &self.meshes, except: 0 }
    }

    /// The trees of the meshes of shapes.
    pub fn meshes(&self) -> &ObstacleMeshes {
        &self.meshes
    }

    /// Who hears: one for each view. `seconds` is the machine time since the last call.
    pub fn listeners(&mut self, seconds: f32) -> Vec<Listener> {
        let speed = |now: Vec3, before: Option<&Vec3>| match before {
            Some(before) if seconds > 0.0 && now.distance(*before) < STEP_MAX => (now - *before) * (1.0 / seconds),
            _ => Vec3::ZERO,
        };
        let heard =
            |(index, view): (usize, &CameraView)| Listener::at(view, speed(view.position, self.eyes.get(index)));
        let listeners = self.views.iter().enumerate().map(heard).collect();
        self.eyes = self.views.iter().map(|view| view.position).collect();
        listeners
    }

    /// Draws the picture of the last [`Presenter::advance`].
    pub fn draw(
        &mut self,
        scene: &ShownScene<'_>,
        size: [u32; 2],
        renderer: &mut dyn Renderer,
    ) -> Result<(), RenderError> {
        let picture = Picture {
            size,
            frame: &self.shown,
            // The frame was moved on before.
            ahead: 0.0,
            catalogue: scene.catalogue,
            visuals: &self.visuals,
            views: &self.views,
            canvas: &self.canvas,
            overlay: &self.overlay,
        };
        let drawn = renderer.draw(&picture, scene.content, scene.bulk);
        // Changes of textures are told once.
        self.overlay.changed.clear();
        self.overlay.freed.clear();
        drawn
    }
}

/// What players see of a frame as it is shown.
struct ShownPlayers<'a> {
    frame: &'a Frame,
    index: &'a ObjectIndex,
    meshes: &'a ObstacleMeshes,
    visuals: &'a Visuals,
    preferences: ViewPreferences,
}

impl ShownPlayers<'_> {
    /// What a player sees. Without an object and a camera of its own, that is everything that moves.
    fn view_of(
        &self,
        rigs: &mut BTreeMap<u16, CameraRig>,
        player: u16,
        scene: &ShownScene<'_>,
        input: &PictureInput,
    ) -> CameraView {
        let frame = self.frame;
        let known: Option<&PlayerView> = frame.players.iter().find(|known| known.player == player);
        let object = known.map_or(0, |known| known.object);
        let instance = self.index.find(object).and_then(|found| frame.instances.get(found));
        let camera = known.map_or(StringId::NONE, |known| known.camera);
        let tag = scene.content.get_as::<Camera>(camera);
        if instance.is_none() && tag.is_none() && !rigs.contains_key(&player) {
            return viewpoint::overview(frame);
        }
        let mut settings = tag.map_or_else(|| CameraSettings::new(CameraKind::Chase), |tag| CameraSettings::of(&tag));
        settings.shake *= self.preferences.shake;
        if self.preferences.fov > 0.0 {
            settings.fov = self.preferences.fov.clamp(FOV.0, FOV.1);
        }
        let rig = rigs.entry(player).or_insert_with(|| CameraRig::new(camera, settings));
        rig.switch(camera, settings);
        let is_eye = settings.kind == CameraKind::FirstPerson;
        let eye = tag.filter(|_| is_eye).map_or(StringId::NONE, |tag| tag.marker);
        let around = CameraScene {
            frame,
            target: instance.map(|instance| self.eye_of(instance, eye, scene.content)),
            shakes: &self.visuals.shakes,
            path: Some(&Obstacles { frame, meshes: self.meshes, except: object }),
        };
        let given = input.cameras.get(&player).copied().unwrap_or_default();
        let post = known.map_or(PostValues::NONE, |known| self.post_of(known, scene.content));
        CameraView { post, ..rig.update(&given, &around, input.seconds) }
    }

    /// What becomes of a player's picture.
    fn post_of(&self, known: &PlayerView, content: &Library) -> PostValues {
        let tag = content.get_as::<PostEffect>(known.post_effect);
        tag.map_or(PostValues::NONE, |tag| PostValues::of(&tag, known.post_parameters.of(&self.frame.parameters)))
    }

    /// An object as a target: at a marker of its model, as it is posed, or at its origin.
    fn eye_of(&self, instance: &Instance, marker: StringId, content: &Library) -> CameraTarget {
        let placement = FramePlacement { frame: self.frame, index: self.index, content, ahead: 0.0, shown: &[] };
        let place = placement.place(instance.object, marker).filter(|_| !marker.is_none());
        place.map_or(CameraTarget::of(instance), |place| CameraTarget {
            position: place.position,
            orientation: place.orientation,
            velocity: place.velocity,
        })
    }
}

/// The scene of a publication at a machine time.
pub fn scene_of<'a>(publication: &'a Publication, bulk: &'a BulkReader, now_nanos: u64) -> ShownScene<'a> {
    ShownScene {
        frame: &publication.frame,
        content: &publication.content,
        catalogue: &publication.catalogue,
        bulk,
        ahead: publication.ahead(now_nanos),
    }
}

/// The reader of a publication's bulk data; none if it has none.
pub fn bulk_of(publication: &Publication) -> Option<BulkReader> {
    publication.blocks.as_ref().map(|blocks| BulkReader::new(Arc::clone(blocks)))
}
