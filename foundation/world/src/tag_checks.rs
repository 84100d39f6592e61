//! The mistakes in tags that only the world can see: bodies and geometries that cannot be built, lists beyond a limit, lengths of cycles
//! that do not fit each other.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use base::StringId;
use base::number::double;
use state::pacer::Lengths;
use tags::mistake::{FindTag, Mistake};
use tags::packed::Packed;

use crate::body::{BodyError, body_of, geometry_of, shape_of};
use crate::classes::{GLOBALS, Geometry, Globals, ObjectTag, PERIOD_BY_DEFAULT, Scenario, ShapeName};
use crate::level::lengths;
use crate::limits::{BUDGETS_MAX, FLAGS_MAX, TRIGGERS_MAX};
use crate::way_settings::WaySettings;

/// Checks the body of an object, and the order of its lists.
pub fn check_object<'a>(packed: &'a Packed, find: &FindTag<'a>) -> Vec<Mistake> {
    let Some(view) = packed.view::<ObjectTag>() else { return Vec::new() };
    let mut mistakes = Vec::new();
    let settling = &view.get().body.settling;
    let curve = view.each(&settling.curve);
    if !curve.is_sorted_by(|one, next| one.seconds < next.seconds) {
        mistakes.push(Mistake::new(
            "body",
            "the times of a `settling` curve must rise from point to point",
            "sort the points by `seconds`",
        ));
    }
    if settling.slope > 0.0 && curve.is_empty() {
        mistakes.push(Mistake::new(
            "body",
            "`settling` without a `curve` does nothing",
            "add a curve: `curve [{ seconds 0, friction 0.02 }, { seconds 3, friction 1 }]`",
        ));
    }
    let far = view.each(&view.get().far_updates);
    if !far.is_sorted_by(|one, next| one.distance < next.distance) {
        mistakes.push(Mistake::new(
            "far_updates",
            "the distances of `far_updates` must rise from row to row",
            "sort the rows by `distance`",
        ));
    }
    let brush = find(GLOBALS.id()).and_then(|globals| globals.view::<Globals>());
    let brush = brush.map_or_else(Lengths::default, |globals| lengths(globals.get())).brush_nanos as f64 / 1e6;
    // The default is meant as "in every cycle", and no text states it.
    let period = Some(view.get().update_period).filter(|period| *period != PERIOD_BY_DEFAULT);
    mistakes.extend(period.and_then(|period| uneven_period("update_period", period, brush)));
    mistakes.extend(far.iter().find_map(|row| uneven_period("far_updates", row.period, brush)));
    mistakes.extend(body_mistake(packed, find));
    mistakes
}

/// The mistake of a period that is longer than a brush cycle, and no whole number of them.
fn uneven_period(field: &'static str, period: f32, brush: f64) -> Option<Mistake> {
    let cycles = f64::from(period) / brush;
    let is_uneven = cycles > 1.0 && double::abs(cycles - double::round(cycles)) > 1e-3;
    is_uneven.then(|| {
        let (used, next) = (double::floor(cycles) * brush, double::ceil(cycles) * brush);
        let message =
            format!("a period of {period} ms is no whole number of brush cycles of {brush} ms: {used} ms is used");
        Mistake::new(field, message, format!("write {used} or {next}"))
    })
}

fn body_mistake<'a>(packed: &'a Packed, find: &FindTag<'a>) -> Option<Mistake> {
    let view = packed.view::<ObjectTag>()?;
    let body = &view.get().body;
    let id = body.geometry.id();
    let is_geometry = matches!(body.shape.get(), ShapeName::Geometry);
    let found = find(id).filter(|_| !id.is_none());
    // A missing tag is reported as such.
    if is_geometry && !id.is_none() && found.is_none() {
        return None;
    }
    let geometry = found.and_then(|found| found.view::<Geometry>());
    let path: String = packed.links().find(|link| StringId::from(link.path) == id).map_or("", |link| link.path).into();
    let made = shape_of(view, geometry, &path)
        .and_then(|shape| shape.map_or(Ok(()), |shape| body_of(view, &shape, (0, &path)).map(drop)));
    let help = match made.err()? {
        // Reported where it is.
        BodyError::Geometry(..) => return None,
        error @ BodyError::NoGeometry => (error, "name the tag of a geometry: `geometry \"….geometry\"`"),
        error @ BodyError::Open(_) => {
            (error, "close the mesh, make it a hull or a compound, or make the body `fixed` or `kinematic`")
        }
        error => (error, "give it a size and a mass that are within the limits"),
    };
    Some(Mistake::new("body", format!("the body cannot be built: {}", help.0), help.1))
}

/// Checks that a geometry can be built.
pub fn check_geometry<'a>(packed: &'a Packed, _: &FindTag<'a>) -> Vec<Mistake> {
    let Some(error) = packed.view::<Geometry>().and_then(|view| geometry_of(view, true).err()) else {
        return Vec::new();
    };
    let message = format!("the geometry cannot be built: {error}");
    vec![Mistake::new(error.field(), message, "objects with this geometry have no body")]
}

/// Checks the limits of a level.
pub fn check_scenario<'a>(packed: &'a Packed, _: &FindTag<'a>) -> Vec<Mistake> {
    let Some(view) = packed.view::<Scenario>() else { return Vec::new() };
    let triggers = view.each(&view.get().triggers).len();
    let map = WaySettings::of(&view.get().navigation).err().map(|error| {
        Mistake::new("navigation", format!("there is no map: {error}"), "correct `least`, `most` and `cell_size`")
    });
    beyond("triggers", "triggers", triggers, TRIGGERS_MAX).into_iter().chain(map).collect()
}

/// Checks the limits of the globals, and that their lengths fit each other.
pub fn check_globals<'a>(packed: &'a Packed, _: &FindTag<'a>) -> Vec<Mistake> {
    let Some(view) = packed.view::<Globals>() else { return Vec::new() };
    let globals = view.get();
    let flags = beyond("flags", "flags", view.each(&globals.flags).len(), FLAGS_MAX);
    let budgets = beyond("budgets", "budgets", view.each(&globals.budgets).len(), BUDGETS_MAX);
    let cycles = f64::from(globals.safe_cycle) / f64::from(globals.brush_cycle);
    let whole = double::round(cycles);
    let length = (whole < 1.0 || double::abs(cycles - whole) > 1e-3).then(|| {
        let message = format!(
            "a safe cycle of {} ms is no whole number of brush cycles of {} ms",
            globals.safe_cycle, globals.brush_cycle
        );
        Mistake::new(
            "safe_cycle",
            message,
            format!("the nearest is {} ms", globals.brush_cycle as f64 * double::max(whole, 1.0)),
        )
    });
    flags.into_iter().chain(budgets).chain(length).collect()
}

/// The mistake of a list with more elements than are used.
fn beyond(field: &'static str, what: &str, count: usize, most: usize) -> Option<Mistake> {
    let message = || format!("expected at most {most} {what}, found {count}: those after the {most}th are never used");
    (count > most).then(|| Mistake::new(field, message(), format!("remove {} of them", count - most)))
}
