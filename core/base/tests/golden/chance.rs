//! Both random number generators, and all distributions.

use base::random::{Draw, Pcg, Random, philox};

use super::record::{Found, Record};

fn everything<Source: Random>(random: &mut Source) -> impl Record + use<Source> {
    let mut order = [0_u32, 1, 2, 3, 4, 5, 6, 7];
    let numbers = ((random.next_u32(), random.next_u64()), (random.below(1_000_003), random.range(-70, 900)));
    let floats = ((random.unit(), random.unit_f64()), (random.between(-3.0, 8.0), random.normal(1.0, 2.0)));
    let places = ((random.on_circle(), random.in_circle()), (random.on_sphere(), random.in_sphere()));
    let picked = (random.chance(0.3), random.pick(&[3_u32, 1, 4, 1, 5]).copied());
    random.shuffle(&mut order);
    (((numbers, floats), (places, picked)), order)
}

#[test]
fn chance_is_as_on_the_first_machine() {
    let mut found = Found::default();
    found.run("Pcg", |i| everything(&mut Pcg::new(i.next_u64(), i.next_u64())));
    found.run("Draw", |i| everything(&mut Draw::new(i.next_u64(), i.next_u64(), i.next_u32(), i.next_u32())));
    found.run("philox", |i| philox([(); 4].map(|()| i.next_u32()), [(); 2].map(|()| i.next_u32())));
    found.compare(CHANCE);
}

const CHANCE: &[(&str, u64)] =
    &[("Pcg", 0xd077_9566_020d_f84a), ("Draw", 0x5169_d8dd_5bb8_e7a2), ("philox", 0xe6a3_40a2_0689_8669)];
