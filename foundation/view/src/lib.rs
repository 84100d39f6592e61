//! What is to be shown and heard?
//!
//! A [`Frame`] is what a world hands to presentation: plain values without references to the world. It lists the things in
//! space, the effects and sounds that run, and lines of debug drawing. A [`Picture`] is what a renderer draws: a frame seen
//! by cameras, the looks of its effects, a canvas with the interface and an overlay. What it shows and plays are tags of
//! the media [`classes`].
//!
//! Never: knows a world, a window or a device; decides how something is drawn.
//!
//! Laws
//! 1. A frame follows from the world alone: equal worlds give equal frames, in equal order.
//! 2. A frame is bounded by [`limits`]: what is beyond a capacity is left out and counted.
//! 3. Every number in it is finite.
#![no_std]

extern crate alloc;

pub mod limits;

pub mod atom;
pub mod bulk_source;
pub mod colour;
pub mod moment;
pub mod preferences;
pub mod topic;

pub mod kind;

pub mod line;

pub mod drawing;

pub mod catalogue;
pub mod instance;
pub mod running;

pub mod frame;
pub mod visuals;

pub mod canvas;
pub mod overlay;

pub mod post;

pub mod picture;

pub mod classes;

pub mod animation;
pub mod camera;
pub mod effects;
pub mod prediction;
pub mod texels;

pub mod obstacles;
pub mod smoothing;

pub mod pointing;

pub use atom::Atom;
pub use bulk_source::{BulkKind, BulkSource, PartState};
pub use camera::{CameraInput, CameraRig, CameraScene, CameraSettings, CameraTarget, FreePath};
pub use canvas::{Canvas, CanvasItem, Rect, Rgba, TextMeasure, TextStyle};
pub use catalogue::{ShapeCatalogue, ShapeMesh};
pub use colour::Colour;
pub use drawing::{Drawing, Round, Solid};
pub use frame::{Frame, PlayerView};
pub use instance::{ClipPlay, Instance, NodePose, Parameter, Shape};
pub use kind::Kind;
pub use line::Line;
pub use moment::{Moment, Span};
pub use obstacles::{ObstacleMeshes, Obstacles};
pub use overlay::{Overlay, OverlayMesh, OverlayTexture, OverlayVertex};
pub use picture::{CameraView, Picture};
pub use pointing::{MetSurface, PointingRay, Surfaces};
pub use post::PostValues;
pub use prediction::PositionColumns;
pub use preferences::{ColourVision, PictureSettings, Quality};
pub use running::{InterfaceEvent, Light, RunningEffect, RunningSound};
pub use smoothing::Smoother;
pub use topic::{Topic, Topics};
pub use visuals::{Blend, Decal, Ribbon, RibbonPoint, Shake, Sprite, Visuals};
