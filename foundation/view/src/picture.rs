//! What a renderer draws: a frame, seen by cameras, under a canvas and an overlay.

use base::{Quat, Vec3};

use crate::canvas::Canvas;
use crate::catalogue::ShapeCatalogue;
use crate::frame::Frame;
use crate::overlay::Overlay;
use crate::post::PostValues;
use crate::visuals::Visuals;

/// Where the world is seen from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraView {
    /// The position of the eye.
    pub position: Vec3,
    /// Its rotation: it looks along the x axis, y is left and z up.
    pub orientation: Quat,
    /// The angle of view from top to bottom, in radians.
    pub fov: f32,
    /// The distance of the nearest things that are seen.
    pub near: f32,
    /// The part of the picture it fills: left, top, right, bottom from 0 to 1.
    pub viewport: [f32; 4],
    /// What becomes of what it sees.
    pub post: PostValues,
}

impl Picture<'_> {
    /// The time of the world that it shows, in seconds.
    pub fn seconds(&self) -> f64 {
        self.frame.moment.seconds + f64::from(self.ahead)
    }
}

/// Everything a renderer draws for one picture.
#[derive(Clone, Copy)]
pub struct Picture<'a> {
    /// The size in physical pixels.
    pub size: [u32; 2],
    /// The frame.
    pub frame: &'a Frame,
    /// The world time since the frame's moment, in seconds: instances are moved on by their velocities.
    pub ahead: f32,
    /// The meshes of shapes.
    pub catalogue: &'a ShapeCatalogue,
    /// The looks of running effects at this time.
    pub visuals: &'a Visuals,
    /// The cameras; several for a split screen.
    pub views: &'a [CameraView],
    /// The interface.
    pub canvas: &'a Canvas,
    /// Developer panels.
    pub overlay: &'a Overlay,
}
