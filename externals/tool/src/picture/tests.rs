//! The order of drawing, and the contents of pictures.

use base::Vec3;
use view::Line;

use super::*;
use crate::camera::Wish;

const SIZE: [f32; 2] = [200.0, 100.0];

/// A box of a kind around a point, as twelve lines.
fn cuboid(drawing: &mut Drawing, kind: Kind, at: Vec3, half: f32) {
    for axis in 0..3 {
        let unit = |index: usize| [Vec3::X, Vec3::Y, Vec3::Z][index % 3] * half;
        let (along, one, other) = (unit(axis), unit(axis + 1), unit(axis + 2));
        for side in [one + other, one - other, -one - other, other - one] {
            drawing.push(Line::new(kind, 1, at + side - along, at + side + along));
        }
    }
}

fn camera() -> Camera {
    Camera::new(Vec3::new(2.0, -10.0, 3.0), Vec3::ZERO, Vec3::Z, SIZE).unwrap()
}

#[test]
fn a_solid_in_front_is_drawn_after_the_lines_it_hides() {
    let mut drawing = Drawing::new(100);
    drawing.push_solid(None, |drawing| cuboid(drawing, Kind::Awake, Vec3::ZERO, 0.5));
    drawing.push_solid(None, |drawing| cuboid(drawing, Kind::Asleep, Vec3::new(0.0, 5.0, 0.0), 0.5));
    let text = draw(&drawing, &camera(), "two");
    // The nearer one has its full colour; the farther is drawn before it, paler.
    let near = text.find("stroke=\"#f2a541\"").expect("it is drawn");
    let fills: Vec<usize> = text.match_indices("fill-opacity").map(|(at, _)| at).collect();
    assert_eq!(fills.len(), 2);
    assert!(fills[0] < fills[1] && fills[1] < near);
    assert!(text[near..].matches('L').count() >= 9, "nine of twelve edges face the eye: {}", &text[near..]);
}

#[test]
fn annotations_are_drawn_over_bodies() {
    let mut drawing = Drawing::new(100);
    drawing.push(Line::new(Kind::Velocity, 1, Vec3::ZERO, Vec3::Z));
    drawing.push_solid(None, |drawing| cuboid(drawing, Kind::Awake, Vec3::new(0.0, -3.0, 0.0), 0.5));
    let text = draw(&drawing, &camera(), "");
    assert!(text.find("#8be04e") > text.find("fill-opacity"), "{text}");
}

#[test]
fn a_picture_has_a_caption_and_a_legend() {
    let mut drawing = Drawing::new(100);
    drawing.push(Line::new(Kind::Fixed, 1, Vec3::ZERO, Vec3::Z));
    let text = draw(&drawing, &camera(), "a & <b>");
    assert!(text.contains("<title>a &amp; &lt;b&gt;</title>"), "{text}");
    assert!(text.contains(">fixed</text>") && !text.contains(">awake</text>"), "{text}");
    assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
}

#[test]
fn the_same_view_gives_the_same_picture_and_its_size_is_bounded_by_its_lines() {
    let mut drawing = Drawing::new(5000);
    for index in 0..5000_u32 {
        let at = |salt: u32| Vec3::from_array([1, 2, 3].map(|axis| (index * 7919 * axis + salt) as f32 % 97.0 - 48.0));
        let kind = Kind::ALL[index as usize % Kind::ALL.len()];
        drawing.push(Line::new(kind, index, at(0), at(50) * 1.0e6));
    }
    for wish in [Wish::default(), Wish { eye: Some(Vec3::X), at: None }, Wish { eye: None, at: Some(Vec3::X) }] {
        let camera = Camera::of(&drawing, wish, SIZE).unwrap();
        let text = draw(&drawing, &camera, "");
        assert_eq!(text, draw(&drawing, &camera, ""));
        assert!(text.len() < 3000 + 5000 * 90, "{}", text.len());
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }
}

#[test]
fn a_solid_around_the_camera_is_drawn_by_its_lines() {
    let mut drawing = Drawing::new(100);
    drawing.push_solid(None, |drawing| cuboid(drawing, Kind::Awake, Vec3::ZERO, 20.0));
    let text = draw(&drawing, &camera(), "");
    assert!(!text.contains("fill-opacity") && text.contains("#f2a541"), "{text}");
}

#[test]
fn a_ball_is_round_from_everywhere() {
    for at in [Vec3::ZERO, Vec3::new(1.0, 3.0, -0.5)] {
        let mut drawing = Drawing::new(100);
        let round = view::Round { ends: [at; 2], radius: 1.0 };
        drawing.push_solid(Some(round), |drawing| cuboid(drawing, Kind::Awake, at, 0.5));
        let (bodies, _) = arrange(&drawing, &camera());
        let What::Solid(_, rim) = &bodies[0].what else { panic!("a solid") };
        assert_eq!(rim.len(), 32);
        let (middle, _) = camera().spot_of(at).unwrap();
        let widths: Vec<f32> =
            rim.iter().map(|spot| base::number::hypot(spot[0] - middle[0], spot[1] - middle[1])).collect();
        assert!(widths.iter().all(|width| (width - widths[0]).abs() < 0.15 * widths[0]), "{widths:?}");
    }
}

#[test]
fn the_outline_of_points_is_convex() {
    let spots = vec![[0.0, 0.0], [4.0, 0.0], [2.0, 1.0], [4.0, 4.0], [0.0, 4.0], [2.0, 0.0], [2.0, 2.0], [4.0, 4.0]];
    let mut found = rim(spots);
    found.sort_by(|one, other| one.partial_cmp(other).unwrap());
    assert_eq!(found, [[0.0, 0.0], [0.0, 4.0], [4.0, 0.0], [4.0, 4.0]]);
    assert_eq!(rim(vec![[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]), [] as [Spot; 0]);
    assert_eq!(rim(Vec::new()), [] as [Spot; 0]);
}
