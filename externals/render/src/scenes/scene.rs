//! A scene: everything that a picture borrows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::{Quat, StringId, Vec2, Vec3};
use tags::library::Ready;
use tags::{Bulk, Classes, Key, Library, TagPath};
use view::{
    Blend, BulkKind, BulkSource, CameraView, Canvas, CanvasItem, Colour, Frame, Instance, Overlay, PartState, Picture,
    PostValues, Rect, Rgba, Ribbon, RibbonPoint, Shape, ShapeCatalogue, ShapeMesh, Span, Sprite, TextStyle, Visuals,
};

/// A bulk source without anything.
pub struct NoBulk;

impl BulkSource for NoBulk {
    fn part(&self, _: &Bulk, _: u32, _: BulkKind) -> PartState {
        PartState::Failed
    }
}

/// Everything that a picture borrows.
pub struct Scene {
    /// The size of the picture.
    pub size: [u32; 2],
    /// The frame.
    pub frame: Frame,
    /// The looks of effects.
    pub visuals: Visuals,
    /// The meshes of shapes.
    pub catalogue: ShapeCatalogue,
    /// The cameras.
    pub views: Vec<CameraView>,
    /// The interface.
    pub canvas: Canvas,
    /// The overlay.
    pub overlay: Overlay,
    /// The tags.
    pub content: Library,
    /// How far the picture is ahead of the frame, in seconds.
    pub ahead: f32,
}

impl Scene {
    /// An empty scene, seen from a position towards a target.
    pub fn new(size: [u32; 2], eye: Vec3, target: Vec3) -> Scene {
        let canvas = Canvas { size: Vec2::new(size[0] as f32, size[1] as f32), scale: 1.0, ..Canvas::default() };
        Scene {
            size,
            frame: Frame::new(1 << 12),
            visuals: Visuals::default(),
            catalogue: ShapeCatalogue::default(),
            views: vec![looking(eye, target)],
            canvas,
            overlay: Overlay::default(),
            content: Library::new(),
            ahead: 0.0,
        }
    }

    /// An empty scene of 320 × 180 pixels with these tags, seen with an angle of view.
    pub fn with_tags(tags: &[(&str, &str)], eye: Vec3, target: Vec3, fov: f32) -> Scene {
        let mut scene = Scene::new([320, 180], eye, target);
        scene.views[0].fov = fov;
        scene.catalogue.version = 1;
        scene.content = library(tags);
        scene
    }

    /// The picture of the scene.
    pub fn picture(&self) -> Picture<'_> {
        self.picture_at(self.size)
    }

    /// The picture at another size; the interface keeps its own.
    pub fn picture_at(&self, size: [u32; 2]) -> Picture<'_> {
        Picture {
            size,
            frame: &self.frame,
            ahead: self.ahead,
            catalogue: &self.catalogue,
            visuals: &self.visuals,
            views: &self.views,
            canvas: &self.canvas,
            overlay: &self.overlay,
        }
    }

    /// Adds an instance of a shape, and returns it for changes.
    pub fn add(&mut self, shape: Shape, position: Vec3, colour: u32) -> &mut Instance {
        let object = self.frame.instances.len() as u32 + 1;
        self.frame.instances.push(Instance {
            object,
            parent: 0,
            model: StringId::NONE,
            shape,
            position,
            orientation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            scale: 1.0,
            colour: Colour::of(colour),
            team: 0,
            look: 0,
            clips: Span::default(),
            pose: Span::default(),
            parameters: Span::default(),
        });
        let last = self.frame.instances.len() - 1;
        &mut self.frame.instances[last]
    }

    /// Adds a mesh to the catalogue, and returns its shape.
    pub fn mesh(&mut self, name: &str, mesh: ShapeMesh) -> Shape {
        let name = StringId::from(name);
        self.catalogue.meshes.insert(name, mesh);
        Shape::Mesh { name }
    }

    /// Adds a soft particle.
    pub fn glow(&mut self, position: Vec3, size: f32, colour: [f32; 4], blend: Blend) {
        self.visuals.sprites.push(Sprite {
            position,
            size,
            rotation: 0.0,
            stretch: Vec3::ZERO,
            colour,
            bitmap: StringId::NONE,
            frame: 0.0,
            blend,
        });
    }

    /// Adds a ribbon through points.
    pub fn ribbon(&mut self, points: impl IntoIterator<Item = RibbonPoint>) {
        let first = self.visuals.ribbon_points.len() as u32;
        self.visuals.ribbon_points.extend(points);
        let count = self.visuals.ribbon_points.len() as u32 - first;
        let points = Span { first, count };
        self.visuals.ribbons.push(Ribbon { points, bitmap: StringId::NONE, blend: Blend::Additive });
    }

    /// Adds a panel with a text.
    pub fn label(&mut self, rect: Rect, text: &str, size: f32) {
        let fill = Rgba { red: 12, green: 18, blue: 28, alpha: 190 };
        let border = Rgba { red: 120, green: 170, blue: 220, alpha: 150 };
        self.canvas.items.push(CanvasItem::Quad { rect, fill, border, border_width: 1.0, radius: 8.0 });
        let inner = Rect { min: rect.min + Vec2::splat(10.0), max: rect.max - Vec2::splat(10.0) };
        let style = TextStyle { font: StringId::NONE, size, align: 0.0, wraps: true };
        self.canvas.text(inner, text, style, Rgba { red: 225, green: 236, blue: 248, alpha: 255 });
    }
}

/// A camera at a position that looks at a target, upright.
pub fn looking(eye: Vec3, target: Vec3) -> CameraView {
    let forward = (target - eye).normal_or(Vec3::X);
    let left = Vec3::Z.cross(forward).normal_or(Vec3::Y);
    let up = forward.cross(left);
    let orientation = Quat::from_matrix(base::Mat3::from_columns(forward, left, up));
    CameraView {
        position: eye,
        orientation,
        fov: 1.0,
        near: 0.1,
        viewport: [0.0, 0.0, 1.0, 1.0],
        post: PostValues::NONE,
    }
}

/// The versions of tags that were made.
static VERSIONS: AtomicU64 = AtomicU64::new(1);

/// A library of tags given as text.
pub fn library(tags: &[(&str, &str)]) -> Library {
    let classes = Arc::new(view::classes::add_to(Classes::new()));
    let mut library = Library::with_classes(Arc::clone(&classes));
    library.apply(tags.iter().map(|(path, text)| {
        let path = TagPath::new(path).expect("a path of a scene");
        let made = classes.get(path.class()).expect("a class of a scene").pack_text(text);
        assert!(made.reports.is_empty(), "{:?}", made.reports);
        // A number of its own for each version, as a hash of all that it was made of would be.
        let mut key = Key::default();
        key.0[..8].copy_from_slice(&VERSIONS.fetch_add(1, Ordering::Relaxed).to_le_bytes());
        Ready { path, key, packed: Arc::new(made.packed) }
    }));
    library
}
