extern crate std;

use alloc::vec::Vec;

use super::*;

#[test]
fn pcg_gives_the_published_numbers() {
    let mut pcg = Pcg::new(42, 54);
    let numbers = [(); 6].map(|()| pcg.next_u32());
    assert_eq!(numbers, [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e]);
}

#[test]
fn philox_gives_the_published_numbers() {
    assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    assert_eq!(philox([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    assert_eq!(
        philox([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
    );
}

#[test]
fn the_first_numbers_of_a_draw_are_philox_of_its_key() {
    let mut draw = Draw::new(0x0000_0002_0000_0001, 0x0000_0004_0000_0003, 5, 6);
    let numbers = [(); 4].map(|()| draw.next_u32());
    assert_eq!(numbers, philox([3, 4, 5, 6], [1, 2]));
    assert_eq!(draw.taken(), 4);
    let key = crate::hash::mix(0x0000_0002_0000_0001, 1);
    assert_eq!(draw.next_u32(), philox([3, 4, 5, 6], [key as u32, (key >> 32) as u32])[0]);
}

#[test]
fn draws_with_different_keys_are_different() {
    let name = |seed, cycle, domain, slot| {
        let mut draw = Draw::new(seed, cycle, domain, slot);
        [(); 8].map(|()| draw.next_u32())
    };
    let names = [
        name(1, 1, 1, 1),
        name(2, 1, 1, 1),
        name(1, 2, 1, 1),
        name(1, 1 << 32, 1, 1),
        name(1, 1, 2, 1),
        name(1, 1, 1, 2),
        name(1 << 32, 1, 1, 1),
    ];
    let mut numbers: Vec<u32> = names.concat();
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), count);
}

#[test]
fn below_gives_every_number_equally_often() {
    let mut pcg = Pcg::new(1, 7);
    for count in [1, 2, 3, 7, 10] {
        let mut seen = [0; 10];
        for _ in 0..10_000 * count {
            seen[pcg.below(count) as usize] += 1;
        }
        assert!(seen[..count as usize].iter().all(|&times| (9_600..10_400).contains(&times)), "{seen:?}");
        assert!(seen[count as usize..].iter().all(|&times| times == 0));
    }
    assert!((0..1_000).all(|_| pcg.below(3_000_000_000) < 3_000_000_000));
}

#[test]
fn a_range_reaches_both_ends() {
    let mut pcg = Pcg::new(2, 7);
    let seen: Vec<i32> = (0..1_000).map(|_| pcg.range(-2, 2)).collect();
    assert!((-2..=2).all(|number| seen.contains(&number)));
    assert!(seen.iter().all(|number| (-2..=2).contains(number)));
    assert_eq!(pcg.range(5, 5), 5);
    let mut same = pcg;
    assert_eq!(pcg.range(i32::MIN, i32::MAX), i32::MIN.wrapping_add(same.next_u32().cast_signed()));
}

struct Fixed(u32);

impl Random for Fixed {
    fn next_u32(&mut self) -> u32 {
        self.0
    }
}

#[test]
fn units_reach_zero_and_not_one() {
    assert_eq!(Fixed(0).unit(), 0.0);
    assert_eq!(Fixed(u32::MAX).unit(), 1.0 - f32::EPSILON / 2.0);
    assert_eq!(Fixed(0).unit_f64(), 0.0);
    assert_eq!(Fixed(u32::MAX).unit_f64(), 1.0 - f64::EPSILON / 2.0);
    assert!(!Fixed(0).chance(0.0) && Fixed(u32::MAX).chance(1.0) && !Fixed(0).chance(f32::NAN));
    assert!(Fixed(0).normal(0.0, 1.0).abs() < 6.0 && Fixed(u32::MAX).normal(0.0, 1.0).abs() < 6.0);
    for bits in [0, u32::MAX] {
        assert!((Fixed(bits).on_sphere().length() - 1.0).abs() < 1e-6);
        assert!(Fixed(bits).in_sphere().length() < 1.000_001);
    }
}

#[test]
fn a_generator_that_always_rejects_does_not_hang() {
    assert_eq!(Fixed(0).below(3), 0);
}

#[test]
fn directions_and_points_are_uniformly_distributed() {
    let mut pcg = Pcg::new(3, 7);
    let count = 20_000;
    let (mut direction, mut point, mut inside) = (Vec3::ZERO, Vec3::ZERO, 0);
    for _ in 0..count {
        let on = pcg.on_sphere();
        assert!((on.length() - 1.0).abs() < 1e-6);
        direction += on;
        let within = pcg.in_sphere();
        inside += u32::from(within.length() < 0.5);
        point += within;
        assert!((pcg.on_circle().length() - 1.0).abs() < 1e-6);
        assert!(pcg.in_circle().length() < 1.000_001);
    }
    assert!(direction.length() / (count as f32) < 0.02 && point.length() / (count as f32) < 0.02);
    let part = f64::from(inside) / f64::from(count);
    assert!((part - 0.125).abs() < 0.01, "an eighth of a ball lies within half its radius, not {part}");
}

#[test]
fn the_normal_distribution_has_its_mean_and_deviation() {
    let mut pcg = Pcg::new(4, 7);
    let values: Vec<f64> = (0..50_000).map(|_| f64::from(pcg.normal(3.0, 2.0))).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / values.len() as f64;
    assert!((mean - 3.0).abs() < 0.05 && (variance - 4.0).abs() < 0.1, "{mean} {variance}");
}

#[test]
fn a_shuffle_keeps_every_item_and_reaches_every_order() {
    let mut pcg = Pcg::new(5, 7);
    let mut orders = std::collections::BTreeMap::new();
    for _ in 0..6_000 {
        let mut items = [1, 2, 3];
        pcg.shuffle(&mut items);
        *orders.entry(items).or_insert(0) += 1;
    }
    assert_eq!(orders.len(), 6);
    assert!(orders.values().all(|&times| (850..1_150).contains(&times)), "{orders:?}");
    pcg.shuffle::<u8>(&mut []);
    assert_eq!(pcg.pick::<u8>(&[]), None);
    assert_eq!(pcg.pick(&[9]), Some(&9));
}

#[test]
#[should_panic(expected = "nothing is below zero")]
fn drawing_below_zero_panics() {
    Pcg::default().below(0);
}
