//! Compression of clips, and its stated errors.

use base::Quat;

use super::*;
use crate::scene::SceneCurve;

const EXACT: AnimationOptions =
    AnimationOptions { rate: 0.0, position_error: 0.0005, rotation_error: 0.0005, scale_error: 0.0005 };

fn curve(target: ChannelTarget, rate: f32, frames: u32, value: impl Fn(f32) -> [f32; 4]) -> SceneCurve {
    let times: Vec<f32> = (0..frames).map(|frame| frame as f32 / rate).collect();
    let values = times.iter().map(|time| value(*time)).collect();
    SceneCurve { node: 0, target, interpolation: Interpolation::Linear, times, values }
}

fn walk(node: usize) -> Vec<SceneCurve> {
    let phase = node as f32 * 0.3;
    let position = move |time: f32| [base::number::sin(time + phase), 0.1 * base::number::cos(2.0 * time), 0.0, 0.0];
    let rotation = move |time: f32| {
        let angle = 0.7 * base::number::sin(2.0 * time + phase);
        Quat::from_axis_angle(Vec3::new(1.0, phase, 0.3), angle).to_vector().to_array()
    };
    let mut curves = vec![
        curve(ChannelTarget::Position, 30.0, 120, position),
        curve(ChannelTarget::Rotation, 30.0, 120, rotation),
        curve(ChannelTarget::Scale, 30.0, 120, |_| [1.0, 1.0, 1.0, 0.0]),
    ];
    curves.iter_mut().for_each(|curve| curve.node = node);
    curves
}

#[test]
fn a_walk_of_many_joints_is_small_and_within_its_tolerance() {
    let clip = SceneClip { name: "walk".into(), curves: (0..40).flat_map(walk).collect() };
    let made = compress(&clip, &EXACT).unwrap();
    println!(
        "{} bytes of {}: ratio {:.1}, errors {} m, {} rad, {}",
        made.bytes.len(),
        made.source_bytes,
        made.source_bytes as f32 / made.bytes.len() as f32,
        made.errors[0],
        made.errors[1],
        made.errors[2]
    );
    assert_eq!((made.rate, made.channels.len()), (30.0, 120));
    assert!(made.bytes.len() * 4 < made.source_bytes);
    assert!(made.errors[0] <= 0.0006 && made.errors[1] <= 0.0006 && made.errors[2] == 0.0, "{:?}", made.errors);
    assert_eq!(made.channels.iter().filter(|channel| channel.keys == 1).count(), 40, "scales are constant");
    assert!(made.errors[0] > 0.0, "it is measured");
}

#[test]
fn steps_and_splines_keep_their_form() {
    let mut step = curve(ChannelTarget::Position, 30.0, 4, |time| [if time > 0.05 { 1.0 } else { 0.0 }, 0.0, 0.0, 0.0]);
    step.interpolation = Interpolation::Step;
    let clip = SceneClip { name: String::new(), curves: vec![step] };
    let made = compress(&clip, &EXACT).unwrap();
    assert!(made.channels[0].is_stepped && made.errors[0] == 0.0);
    let spline = SceneCurve {
        node: 0,
        target: ChannelTarget::Position,
        interpolation: Interpolation::Cubic,
        times: vec![0.0, 1.0],
        values: vec![[0.0; 4], [0.0; 4], [0.0; 4], [0.0; 4], [1.0, 0.0, 0.0, 0.0], [0.0; 4]],
    };
    let made = compress(&SceneClip { name: String::new(), curves: vec![spline] }, &EXACT).unwrap();
    let channel = made.channels[0];
    assert!((5..=25).contains(&channel.keys), "a smooth step is not linear: {} keys", channel.keys);
    assert!(made.errors[0] <= 0.0006);
}

#[test]
fn the_rate_is_found_and_long_clips_are_sampled_more_coarsely() {
    for rate in [24.0, 25.0, 60.0] {
        let clip = SceneClip {
            name: String::new(),
            curves: vec![curve(ChannelTarget::Scale, rate, 50, |time| [time, 1.0, 1.0, 0.0])],
        };
        assert_eq!(compress(&clip, &EXACT).unwrap().rate, rate);
    }
    let mut long = curve(ChannelTarget::Position, 30.0, 2, |time| [time, 0.0, 0.0, 0.0]);
    long.times[1] = 86400.0;
    let made = compress(&SceneClip { name: String::new(), curves: vec![long.clone()] }, &EXACT).unwrap();
    assert!(made.rate < 1.0 && made.channels[0].keys == 2);
    long.interpolation = Interpolation::Cubic;
    long.values = vec![[0.0; 4]; 6];
    let many = SceneClip { name: String::new(), curves: vec![long; 100] };
    assert!(
        matches!(compress(&many, &EXACT), Err(ImportError::TooLarge { .. })),
        "few keys do not become many samples"
    );
}
