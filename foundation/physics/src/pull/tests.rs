use super::*;
use crate::mass::{Mass, Weight};
use crate::shape::Shape;

fn ball(place: Vec3, velocity: Vec3) -> Body {
    let shape = Shape::Sphere(0.5);
    let mass = Mass::of(&shape, Weight::Total(1.0)).expect("a ball");
    Body { velocity, ..Body::new((0, &shape), &mass, place, Quat::IDENTITY) }
}

fn felt(pulls: &[Pull], place: [f32; 3]) -> Vec3 {
    let settings = Settings { gravity: Vec3::new(0.0, 0.0, -10.0), ..Settings::default() };
    felt_by(&ball(Vec3::from_array(place), Vec3::ZERO), &settings, pulls).acceleration
}

fn check(pulls: &[Pull], place: [f32; 3], expected: [f32; 3]) {
    let (found, expected) = (felt(pulls, place), Vec3::from_array(expected));
    assert!((found - expected).length() < 1e-4, "{place:?}: {found:?} instead of {expected:?}");
}

fn of(kind: PullKind) -> Pull {
    Pull { kind: kind as u32, replaces: 1, ..Pull::planet(Vec3::ZERO, 10.0, 8.0) }
}

#[test]
fn each_kind_pulls_by_its_formula() {
    check(&[of(PullKind::Planet)], [10.0, 0.0, 0.0], [-8.0, 0.0, 0.0]);
    check(&[of(PullKind::Planet)], [0.0, 20.0, 0.0], [0.0, -2.0, 0.0]);
    check(&[of(PullKind::Planet)], [0.0, 0.0, 5.0], [0.0, 0.0, -4.0]);
    check(&[of(PullKind::Planet)], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]);
    check(&[of(PullKind::Centre)], [0.0, 0.0, 500.0], [0.0, 0.0, -8.0]);
    check(&[of(PullKind::Centre)], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]);
    check(&[of(PullKind::Linear)], [0.0, 0.0, 30.0], [0.0, 0.0, -24.0]);
    check(&[Pull::zone(Vec3::X).replacing()], [0.0, 0.0, 30.0], [1.0, 0.0, 0.0]);
    // What pushes.
    check(&[Pull { strength: -8.0, ..of(PullKind::Planet) }], [10.0, 0.0, 0.0], [8.0, 0.0, 0.0]);
}

#[test]
fn what_is_felt_adds_up_or_counts_instead() {
    let up = Pull::zone(Vec3::new(0.0, 0.0, 3.0));
    let side = Pull::zone(Vec3::X);
    check(&[], [0.0; 3], [0.0, 0.0, -10.0]);
    check(&[up], [0.0; 3], [0.0, 0.0, -7.0]);
    check(&[up, side], [0.0; 3], [1.0, 0.0, -7.0]);
    check(&[up, side.replacing()], [0.0; 3], [1.0, 0.0, 0.0]);
    check(&[side.replacing(), up], [0.0; 3], [1.0, 0.0, 0.0]);
    check(&[side.replacing(), up, up.replacing()], [0.0; 3], [1.0, 0.0, 3.0]);
}

#[test]
fn zones_end_where_they_say() {
    let ball = Pull::zone(Vec3::X).replacing().in_ball(Vec3::new(5.0, 0.0, 0.0), 2.0);
    check(&[ball], [6.9, 0.0, 0.0], [1.0, 0.0, 0.0]);
    check(&[ball], [7.1, 0.0, 0.0], [0.0, 0.0, -10.0]);
    let half = Vec3::new(1.0, 2.0, 3.0);
    let cell = Pull::zone(Vec3::X).replacing().in_box(Vec3::ZERO, half, Quat::IDENTITY);
    check(&[cell], [0.9, -1.9, 2.9], [1.0, 0.0, 0.0]);
    check(&[cell], [1.1, 0.0, 0.0], [0.0, 0.0, -10.0]);
    let turned = cell.in_box(Vec3::ZERO, half, Quat::between(Vec3::X, Vec3::Y));
    check(&[turned], [1.9, 0.0, 0.0], [1.0, 0.0, 0.0]);
    check(&[turned], [0.0, 1.9, 0.0], [0.0, 0.0, -10.0]);
}

#[test]
fn a_medium_drags_towards_its_flow_and_gravity_does_not_scale_it() {
    let wind = Pull::zone(Vec3::ZERO).with_medium(2.0, Vec3::X * 5.0);
    let settings = Settings { gravity: -Vec3::Z, ..Settings::default() };
    let body = Body { gravity: 0.5, ..ball(Vec3::ZERO, Vec3::ZERO) };
    let found = felt_by(&body, &settings, &[wind, wind]);
    assert_eq!((found.acceleration, found.drag), (Vec3::new(20.0, 0.0, -0.5), 4.0));
}

#[test]
fn nobody_feels_its_own_and_what_has_no_mass_feels_nothing() {
    let settings = Settings { gravity: -Vec3::Z, ..Settings::default() };
    let pull = Pull { owner: 7, ..Pull::zone(Vec3::X).with_medium(1.0, Vec3::ZERO) };
    let own = Body { owner: 7, ..ball(Vec3::ZERO, Vec3::ZERO) };
    assert_eq!(felt_by(&own, &settings, &[pull]), Felt { acceleration: -Vec3::Z, drag: 0.0 });
    let heavy = Body { inverse_mass: 0.0, owner: 8, ..own };
    assert_eq!(felt_by(&heavy, &settings, &[pull]), Felt { acceleration: Vec3::ZERO, drag: 0.0 });
}

#[test]
fn no_numbers_make_it_other_than_finite_and_bounded() {
    let odd = [0.0, -1.0, 1.0, 1e-30, 1e30, f32::MAX, f32::MIN, f32::NAN, f32::INFINITY];
    let settings = Settings::default();
    for (number, kind) in odd.iter().flat_map(|number| (0..5).map(move |kind| (*number, kind))) {
        let vector = Vec3::splat(number);
        let base = Pull { kind, ..Pull::planet(Vec3::X, 1.0, 10.0) };
        let turn = Quat { x: number, ..Quat::IDENTITY };
        for pull in [
            Pull { centre: vector, ..base },
            Pull { radius: number, ..base },
            Pull { velocity: vector, ..base },
            Pull { strength: number, ..base },
            Pull { strength: number, radius: 0.0, ..base },
            Pull { vector, ..base },
            Pull { reach: number, ..base },
            Pull { half: vector, ..base },
            Pull { drag: number, flow: vector, ..base },
            Pull { turn, half: Vec3::ONE, ..base },
        ] {
            for place in [Vec3::ZERO, Vec3::X, Vec3::splat(FAR)] {
                let found = felt_by(&ball(place, Vec3::ZERO), &settings, &[pull.sound(); 64]);
                assert!(found.acceleration.is_finite() && found.drag.is_finite(), "{pull:?} {found:?}");
                let most = PULL_MOST + 64.0 * PULL_DRAG_MOST * PULL_FLOW_MOST * 2.0;
                assert!(found.acceleration.length() <= most, "{pull:?} {found:?}");
            }
        }
    }
}
