//! A camera rig: the state of one player's camera, and how each kind moves.

use base::number::{self, clamp, exp2, max, min};
use base::{Quat, StringId, Vec2, Vec3};

use super::shake::shaken;
use super::{CameraInput, CameraScene, CameraSettings, CameraTarget, finite};
use crate::classes::camera::CameraKind;
use crate::picture::CameraView;
use crate::post::PostValues;

/// The time in which half of a zoom is done, in seconds.
const ZOOM_HALF_LIFE: f32 = 0.05;
/// The time in which half of looking around goes back behind the object, in seconds.
const RETURN_HALF_LIFE: f32 = 0.6;
/// How long a chase camera stays where the player turned it, in seconds.
const RETURN_DELAY: f32 = 1.0;
/// The time in which a camera is half as near as something was in its way, after it is gone.
const CLEAR_HALF_LIFE: f32 = 0.15;
/// The longest time between two pictures that counts, in seconds: after a pause a camera does not jump.
const STEP_MAX: f32 = 0.25;
/// The least slant of the ground for which a finger moves a strategy camera as far as it moves itself.
const DRAG_SLANT: f32 = 0.25;
/// How far a camera may be from the origin, in metres.
const FAR: f32 = 1e7;

/// The camera of one player.
#[derive(Clone, Debug)]
pub struct CameraRig {
    settings: CameraSettings,
    /// The tag of the settings.
    tag: StringId,
    /// What the player turned, in radians: counter-clockwise, and down.
    yaw: f32,
    pitch: f32,
    /// What the player zoomed to, and what is shown of it.
    distance_wanted: f32,
    distance: f32,
    /// How much nearer it is because something is, or was, in its way.
    missing: f32,
    /// The point it looks at.
    focus: Vec3,
    /// The rotation of the object that it follows.
    follow: Quat,
    /// The position of a free camera.
    position: Vec3,
    /// How long ago the player turned it.
    idle: f32,
    /// The time for shakes.
    seconds: f32,
    /// Nothing was shown yet, or the world did not continue.
    is_fresh: bool,
    epoch: u32,
    /// The view that is left, and the part of the way to the new one.
    leaving: Option<(CameraView, f32)>,
    /// The last view, without shake.
    last: CameraView,
}

/// The part of a difference that is left after some seconds.
fn left_after(seconds: f32, half_life: f32) -> f32 {
    if half_life > 0.0 { exp2(-seconds / half_life) } else { 0.0 }
}

impl CameraRig {
    /// A camera with these settings.
    pub fn new(tag: StringId, settings: CameraSettings) -> CameraRig {
        let last = CameraView {
            position: Vec3::ZERO,
            orientation: Quat::IDENTITY,
            fov: settings.fov,
            near: settings.near,
            viewport: [0.0, 0.0, 1.0, 1.0],
            post: PostValues::NONE,
        };
        let mut rig = CameraRig {
            settings,
            tag,
            yaw: 0.0,
            pitch: 0.0,
            distance_wanted: 0.0,
            distance: 0.0,
            missing: 0.0,
            focus: Vec3::ZERO,
            follow: Quat::IDENTITY,
            position: Vec3::ZERO,
            idle: 0.0,
            seconds: 0.0,
            is_fresh: true,
            epoch: 0,
            leaving: None,
            last,
        };
        rig.begin();
        rig
    }

    /// The tag of its settings.
    pub fn tag(&self) -> StringId {
        self.tag
    }

    /// Goes over to another camera, in the time that its settings say. The same tag with other settings, as while it is edited, is
    /// taken over at once.
    pub fn switch(&mut self, tag: StringId, settings: CameraSettings) {
        if self.tag == tag {
            self.settings = settings;
            return;
        }
        let was_shown = !self.is_fresh;
        (self.tag, self.settings) = (tag, settings);
        self.leaving = (was_shown && settings.transition > 0.0).then_some((self.last, 0.0));
        self.begin();
        if settings.kind == CameraKind::Free {
            self.take_over_view();
        }
    }

    /// Moves on by some seconds of machine time, and gives what is seen.
    pub fn update(&mut self, input: &CameraInput, scene: &CameraScene<'_>, seconds: f32) -> CameraView {
        let seconds = clamp(finite(seconds, 0.0), 0.0, STEP_MAX);
        let input = sane(input);
        let target = scene.target.and_then(sane_target);
        let up = scene.frame.up.normal_or(Vec3::Z);
        if self.epoch != scene.frame.moment.epoch {
            (self.epoch, self.is_fresh, self.leaving) = (scene.frame.moment.epoch, true, None);
        }
        let seconds = if self.is_fresh { 0.0 } else { seconds };
        self.turn(&input, seconds);
        let view = match (self.settings.kind, target) {
            (CameraKind::Free, _) => self.free(&input, up, seconds),
            (CameraKind::Strategy, _) => self.strategy(&input, target, up, seconds),
            (CameraKind::FirstPerson, Some(target)) => self.first_person(&target, up, seconds),
            (CameraKind::Chase, Some(target)) => self.chase(&target, up, scene, seconds),
            (CameraKind::Orbit, Some(target)) => self.orbit(&target, up, scene, seconds),
            // Without an object it circles the place where that was.
            (CameraKind::Death | CameraKind::FirstPerson | CameraKind::Chase | CameraKind::Orbit, _) => {
                self.death(target, up, scene, seconds)
            }
        };
        self.is_fresh = false;
        let view = self.faded(view, seconds);
        self.last = if is_sound(&view) { view } else { self.last };
        self.seconds = if self.seconds < 3600.0 { self.seconds + seconds } else { 0.0 };
        let (moved, turned) = shaken(self.last.position, scene.shakes, self.settings.shake, self.seconds);
        let orientation = (self.last.orientation * turned).normal();
        CameraView { position: self.last.position + orientation.rotate(moved), orientation, ..self.last }
    }

    /// Starts as the settings say.
    fn begin(&mut self) {
        let CameraSettings { yaw, pitch, distance, .. } = self.settings;
        (self.yaw, self.pitch, self.idle) = (yaw, pitch, RETURN_DELAY);
        self.distance_wanted = distance;
        (self.distance, self.missing, self.is_fresh) = (distance, 0.0, true);
    }

    /// A free camera begins where the view is.
    fn take_over_view(&mut self) {
        let forward = self.last.orientation.rotate(Vec3::X);
        self.position = self.last.position;
        self.yaw = number::atan2(forward.y, forward.x);
        self.pitch = -number::asin(clamp(forward.z, -1.0, 1.0));
    }

    /// Turns and zooms as the player says.
    fn turn(&mut self, input: &CameraInput, seconds: f32) {
        let settings = &self.settings;
        let is_dragged = settings.kind == CameraKind::Strategy;
        let look = if is_dragged { input.look } else { input.look + input.drag };
        let turned = look * settings.pointer_speed + input.turn * (settings.turn_speed * seconds);
        self.yaw = wrapped(self.yaw - turned.x);
        let (least, most) = (settings.pitch_min, max(settings.pitch_max, settings.pitch_min));
        self.pitch = clamp(self.pitch + turned.y, least, most);
        self.idle = if turned == Vec2::ZERO { min(self.idle + seconds, 3600.0) } else { 0.0 };
        let zoomed = self.distance_wanted * number::pow(settings.zoom_step, -clamp(input.zoom, -100.0, 100.0));
        let zoomed = zoomed * exp2(-input.pinch);
        self.distance_wanted = clamp(finite(zoomed, settings.distance), settings.distance_min, settings.distance_max);
        let left = left_after(seconds, ZOOM_HALF_LIFE);
        self.distance = self.distance_wanted + (self.distance - self.distance_wanted) * left;
        if self.is_fresh {
            self.distance = self.distance_wanted;
        }
    }

    fn first_person(&mut self, target: &CameraTarget, up: Vec3, seconds: f32) -> CameraView {
        self.follow_target(target, up, seconds);
        // Its own tilt of the head is what the player turned, not the pitch of the settings.
        let head = rotation(wrapped(self.yaw - self.settings.yaw), self.pitch - self.settings.pitch);
        self.view(self.focus, self.follow * head)
    }

    fn chase(&mut self, target: &CameraTarget, up: Vec3, scene: &CameraScene<'_>, seconds: f32) -> CameraView {
        self.follow_target(target, up, seconds);
        if self.idle >= RETURN_DELAY {
            let left = left_after(seconds, RETURN_HALF_LIFE);
            self.yaw = self.settings.yaw + wrapped(self.yaw - self.settings.yaw) * left;
            self.pitch = self.settings.pitch + (self.pitch - self.settings.pitch) * left;
        }
        let orientation = (self.follow * rotation(self.yaw, self.pitch)).normal();
        self.behind(orientation, scene, seconds)
    }

    fn orbit(&mut self, target: &CameraTarget, up: Vec3, scene: &CameraScene<'_>, seconds: f32) -> CameraView {
        self.follow_target(target, up, seconds);
        let orientation = (level(up) * rotation(self.yaw, self.pitch)).normal();
        self.behind(orientation, scene, seconds)
    }

    fn death(&mut self, target: Option<CameraTarget>, up: Vec3, scene: &CameraScene<'_>, seconds: f32) -> CameraView {
        if let Some(target) = target.filter(|_| self.is_fresh) {
            self.focus = target.position;
        }
        self.yaw = wrapped(self.yaw + self.settings.circling * seconds);
        let orientation = (level(up) * rotation(self.yaw, max(self.pitch, 0.1))).normal();
        self.behind(orientation, scene, seconds)
    }

    fn strategy(&mut self, input: &CameraInput, target: Option<CameraTarget>, up: Vec3, seconds: f32) -> CameraView {
        let ground = level(up);
        if let Some(target) = target.filter(|_| self.is_fresh) {
            self.focus = target.position;
        }
        let push = input.push + at_edge(input.pointer, self.settings.edge);
        let push = Vec3::new(clamp(push.x, -1.0, 1.0), clamp(push.y, -1.0, 1.0), 0.0);
        let hurry = if input.is_hurried { self.settings.hurry } else { 1.0 };
        let speed = self.settings.pan_speed * self.distance * hurry;
        // The height of the view at the focus; the ground lies flat in it.
        let height = 2.0 * self.distance * number::tan(self.settings.fov * 0.5);
        let dragged = Vec3::new(input.drag.y / max(number::sin(self.pitch), DRAG_SLANT), input.drag.x, 0.0) * height;
        let moved = (ground * rotation(self.yaw, 0.0)).rotate(push * (speed * seconds) + dragged);
        self.focus += moved;
        if self.settings.range > 0.0 {
            let height = up * self.focus.dot(up);
            let away = self.focus - height;
            let length = away.length();
            if length > self.settings.range {
                self.focus = height + away * (self.settings.range / length);
            }
        }
        let orientation = (ground * rotation(self.yaw, self.pitch)).normal();
        self.view(self.focus - orientation.rotate(Vec3::X) * self.distance, orientation)
    }

    fn free(&mut self, input: &CameraInput, up: Vec3, seconds: f32) -> CameraView {
        let orientation = (level(up) * rotation(self.yaw, self.pitch)).normal();
        let hurry = if input.is_hurried { self.settings.hurry } else { 1.0 };
        self.position += orientation.rotate(input.push) * (self.settings.fly_speed * hurry * seconds);
        self.position = self.position.clamp(Vec3::splat(-FAR), Vec3::splat(FAR));
        self.focus = self.position;
        self.view(self.position, orientation)
    }

    /// Follows the point and the rotation of the object.
    fn follow_target(&mut self, target: &CameraTarget, up: Vec3, seconds: f32) {
        let wanted = if self.settings.rolls { target.orientation } else { upright(target.orientation, up) };
        let point = target.position + target.orientation.rotate(self.settings.offset);
        if self.is_fresh {
            (self.focus, self.follow) = (point, wanted);
            return;
        }
        // It moves along with the object, so that steady motion is followed without a lag.
        let along = self.focus + target.velocity * seconds;
        let near = (along - point).length() <= TELEPORT;
        let left = if near { left_after(seconds, self.settings.position_lag) } else { 0.0 };
        self.focus = point + (along - point) * left;
        self.follow = wanted.nlerp(self.follow, left_after(seconds, self.settings.rotation_lag));
    }

    /// Looks at the focus from behind, as far as the way is free.
    fn behind(&mut self, orientation: Quat, scene: &CameraScene<'_>, seconds: f32) -> CameraView {
        let back = -orientation.rotate(Vec3::X);
        let mut missing = 0.0;
        if let (Some(path), true) = (scene.path, self.settings.collides) {
            let found = path.free_distance(self.focus, back, self.distance, self.settings.collision_radius);
            missing = self.distance - clamp(finite(found, self.distance), 0.0, self.distance);
        }
        // It comes nearer at once and goes back slowly.
        let left = if self.is_fresh { 0.0 } else { left_after(seconds, CLEAR_HALF_LIFE) };
        self.missing = min(max(missing, self.missing * left), self.distance);
        self.view(self.focus + back * (self.distance - self.missing), orientation)
    }

    fn view(&self, position: Vec3, orientation: Quat) -> CameraView {
        let (fov, near) = (self.settings.fov, self.settings.near);
        CameraView { position, orientation: orientation.normal(), fov, near, ..self.last }
    }

    /// Goes over from the view that is left.
    fn faded(&mut self, view: CameraView, seconds: f32) -> CameraView {
        let Some((from, part)) = self.leaving else { return view };
        let part = part + seconds / max(self.settings.transition, 0.001);
        if part >= 1.0 {
            self.leaving = None;
            return view;
        }
        self.leaving = Some((from, part));
        let eased = part * part * (3.0 - 2.0 * part);
        CameraView {
            position: from.position.lerp(view.position, eased),
            orientation: from.orientation.slerp(view.orientation, eased),
            fov: from.fov + (view.fov - from.fov) * eased,
            ..view
        }
    }
}

/// A jump of the object above this, in metres, is followed at once.
const TELEPORT: f32 = 20.0;

/// A rotation by an angle counter-clockwise about z, then down.
fn rotation(yaw: f32, pitch: f32) -> Quat {
    Quat::from_axis_angle(Vec3::Z, yaw) * Quat::from_axis_angle(Vec3::Y, pitch)
}

/// The frame in which the level's up direction is z.
fn level(up: Vec3) -> Quat {
    Quat::between(Vec3::Z, up)
}

/// A rotation without roll and pitch.
fn upright(orientation: Quat, up: Vec3) -> Quat {
    let ground = level(up);
    let forward = ground.rotate_back(orientation.rotate(Vec3::X));
    // An object that looks straight up or down keeps the direction of its upper side.
    let forward = if forward.x * forward.x + forward.y * forward.y > 1e-6 {
        forward
    } else {
        ground.rotate_back(orientation.rotate(Vec3::Z)) * -number::sign(forward.z)
    };
    (ground * Quat::from_axis_angle(Vec3::Z, number::atan2(forward.y, forward.x))).normal()
}

/// An angle from −π to π.
fn wrapped(angle: f32) -> f32 {
    use core::f32::consts::{PI, TAU};
    if angle.is_finite() { angle - number::floor((angle + PI) / TAU) * TAU } else { 0.0 }
}

/// How a pointer at the edge of the view moves a camera.
fn at_edge(pointer: Option<Vec2>, edge: f32) -> Vec3 {
    let Some(pointer) = pointer.filter(|_| edge > 0.0) else { return Vec3::ZERO };
    let push = |at: f32| f32::from(u8::from(at <= edge)) - f32::from(u8::from(at >= 1.0 - edge));
    Vec3::new(push(pointer.y), push(pointer.x), 0.0)
}

/// An input with numbers within their limits.
fn sane(input: &CameraInput) -> CameraInput {
    let within = |number: f32, most: f32| clamp(finite(number, 0.0), -most, most);
    CameraInput {
        look: Vec2::new(within(input.look.x, 10.0), within(input.look.y, 10.0)),
        drag: Vec2::new(within(input.drag.x, 10.0), within(input.drag.y, 10.0)),
        pinch: within(input.pinch, 20.0),
        turn: Vec2::new(within(input.turn.x, 1.0), within(input.turn.y, 1.0)),
        push: Vec3::new(within(input.push.x, 1.0), within(input.push.y, 1.0), within(input.push.z, 1.0)),
        zoom: within(input.zoom, 100.0),
        pointer: input.pointer.filter(|pointer| pointer.x.is_finite() && pointer.y.is_finite()),
        is_hurried: input.is_hurried,
    }
}

/// A target with finite numbers; none if it has others.
fn sane_target(target: CameraTarget) -> Option<CameraTarget> {
    let CameraTarget { position, orientation, velocity } = target;
    let is_sound = position.is_finite() && orientation.is_finite() && orientation.dot(orientation) > 1e-6;
    let velocity = if velocity.is_finite() { velocity } else { Vec3::ZERO };
    is_sound.then(|| CameraTarget { position, orientation: orientation.normal(), velocity })
}

fn is_sound(view: &CameraView) -> bool {
    let is_unit = number::abs(view.orientation.dot(view.orientation) - 1.0) < 0.01;
    view.position.is_finite() && view.position.abs().max_component() <= FAR * 10.0 && is_unit && view.fov.is_finite()
}
