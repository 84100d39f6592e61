use super::*;
use crate::mass::{Mass, Weight};
use crate::shape::Shape;

fn ball(place: Vec3, velocity: Vec3) -> Body {
    let shape = Shape::Sphere(0.5);
    let mass = Mass::of(&shape, Weight::Total(1.0)).expect("a ball");
    Body { velocity, ..Body::new((0, &shape), &mass, place, Quat::IDENTITY) }
}

fn acceleration_at(force_fields: &[ForceField], place: [f32; 3]) -> Vec3 {
    let settings = Settings { gravity: Vec3::new(0.0, 0.0, -10.0), ..Settings::default() };
    external_acceleration_of(&ball(Vec3::from_array(place), Vec3::ZERO), &settings, force_fields).acceleration
}

fn check(force_fields: &[ForceField], place: [f32; 3], expected: [f32; 3]) {
    let (found, expected) = (acceleration_at(force_fields, place), Vec3::from_array(expected));
    assert!((found - expected).length() < 1e-4, "{place:?}: {found:?} instead of {expected:?}");
}

fn of(kind: ForceFieldKind) -> ForceField {
    ForceField { kind: kind as u32, replaces: 1, ..ForceField::planet(Vec3::ZERO, 10.0, 8.0) }
}

#[test]
fn each_kind_has_its_formula() {
    check(&[of(ForceFieldKind::Planet)], [10.0, 0.0, 0.0], [-8.0, 0.0, 0.0]);
    check(&[of(ForceFieldKind::Planet)], [0.0, 20.0, 0.0], [0.0, -2.0, 0.0]);
    check(&[of(ForceFieldKind::Planet)], [0.0, 0.0, 5.0], [0.0, 0.0, -4.0]);
    check(&[of(ForceFieldKind::Planet)], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]);
    check(&[of(ForceFieldKind::Center)], [0.0, 0.0, 500.0], [0.0, 0.0, -8.0]);
    check(&[of(ForceFieldKind::Center)], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]);
    check(&[of(ForceFieldKind::Linear)], [0.0, 0.0, 30.0], [0.0, 0.0, -24.0]);
    check(&[ForceField::zone(Vec3::X).replacing()], [0.0, 0.0, 30.0], [1.0, 0.0, 0.0]);
    // Repulsion.
    check(&[ForceField { strength: -8.0, ..of(ForceFieldKind::Planet) }], [10.0, 0.0, 0.0], [8.0, 0.0, 0.0]);
}

#[test]
fn fields_add_up_or_replace() {
    let up = ForceField::zone(Vec3::new(0.0, 0.0, 3.0));
    let side = ForceField::zone(Vec3::X);
    check(&[], [0.0; 3], [0.0, 0.0, -10.0]);
    check(&[up], [0.0; 3], [0.0, 0.0, -7.0]);
    check(&[up, side], [0.0; 3], [1.0, 0.0, -7.0]);
    check(&[up, side.replacing()], [0.0; 3], [1.0, 0.0, 0.0]);
    check(&[side.replacing(), up], [0.0; 3], [1.0, 0.0, 0.0]);
    check(&[side.replacing(), up, up.replacing()], [0.0; 3], [1.0, 0.0, 3.0]);
}

#[test]
fn zones_end_at_their_bounds() {
    let ball = ForceField::zone(Vec3::X).replacing().in_sphere(Vec3::new(5.0, 0.0, 0.0), 2.0);
    check(&[ball], [6.9, 0.0, 0.0], [1.0, 0.0, 0.0]);
    check(&[ball], [7.1, 0.0, 0.0], [0.0, 0.0, -10.0]);
    let half = Vec3::new(1.0, 2.0, 3.0);
    let cell = ForceField::zone(Vec3::X).replacing().in_box(Vec3::ZERO, half, Quat::IDENTITY);
    check(&[cell], [0.9, -1.9, 2.9], [1.0, 0.0, 0.0]);
    check(&[cell], [1.1, 0.0, 0.0], [0.0, 0.0, -10.0]);
    let turned = cell.in_box(Vec3::ZERO, half, Quat::between(Vec3::X, Vec3::Y));
    check(&[turned], [1.9, 0.0, 0.0], [1.0, 0.0, 0.0]);
    check(&[turned], [0.0, 1.9, 0.0], [0.0, 0.0, -10.0]);
}

#[test]
fn a_medium_drags_towards_its_flow_and_gravity_does_not_scale_it() {
    let wind = ForceField::zone(Vec3::ZERO).with_medium(2.0, Vec3::X * 5.0);
    let settings = Settings { gravity: -Vec3::Z, ..Settings::default() };
    let body = Body { gravity_scale: 0.5, ..ball(Vec3::ZERO, Vec3::ZERO) };
    let found = external_acceleration_of(&body, &settings, &[wind, wind]);
    assert_eq!((found.acceleration, found.drag), (Vec3::new(20.0, 0.0, -0.5), 4.0));
}

#[test]
fn owners_and_immovable_bodies_are_not_affected() {
    let settings = Settings { gravity: -Vec3::Z, ..Settings::default() };
    let field = ForceField { owner: 7, ..ForceField::zone(Vec3::X).with_medium(1.0, Vec3::ZERO) };
    let own = Body { owner: 7, ..ball(Vec3::ZERO, Vec3::ZERO) };
    assert_eq!(
        external_acceleration_of(&own, &settings, &[field]),
        ExternalAcceleration { acceleration: -Vec3::Z, drag: 0.0 }
    );
    let heavy = Body { inverse_mass: 0.0, owner: 8, ..own };
    assert_eq!(
        external_acceleration_of(&heavy, &settings, &[field]),
        ExternalAcceleration { acceleration: Vec3::ZERO, drag: 0.0 }
    );
}

#[test]
fn accelerations_are_finite_and_bounded_for_any_field() {
    let odd = [0.0, -1.0, 1.0, 1e-30, 1e30, f32::MAX, f32::MIN, f32::NAN, f32::INFINITY];
    let settings = Settings::default();
    for (number, kind) in odd.iter().flat_map(|number| (0..5).map(move |kind| (*number, kind))) {
        let vector = Vec3::splat(number);
        let base = ForceField { kind, ..ForceField::planet(Vec3::X, 1.0, 10.0) };
        let turn = Quat { x: number, ..Quat::IDENTITY };
        for field in [
            ForceField { center: vector, ..base },
            ForceField { radius: number, ..base },
            ForceField { velocity: vector, ..base },
            ForceField { strength: number, ..base },
            ForceField { strength: number, radius: 0.0, ..base },
            ForceField { acceleration: vector, ..base },
            ForceField { range: number, ..base },
            ForceField { half_extents: vector, ..base },
            ForceField { drag: number, flow: vector, ..base },
            ForceField { rotation: turn, half_extents: Vec3::ONE, ..base },
        ] {
            for place in [Vec3::ZERO, Vec3::X, Vec3::splat(POSITION_MAX)] {
                let found = external_acceleration_of(&ball(place, Vec3::ZERO), &settings, &[field.sanitized(); 64]);
                assert!(found.acceleration.is_finite() && found.drag.is_finite(), "{field:?} {found:?}");
                let most = ACCELERATION_MAX + 64.0 * DRAG_MAX * FLOW_SPEED_MAX * 2.0;
                assert!(found.acceleration.length() <= most, "{field:?} {found:?}");
            }
        }
    }
}
