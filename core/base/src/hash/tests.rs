use alloc::vec::Vec;

use super::*;

/// The input of the published test vectors: `xsum_fillTestBuffer` of the reference implementation.
fn published_input() -> Vec<u8> {
    let mut generator: u64 = 2_654_435_761;
    (0..2_367)
        .map(|_| {
            let byte = (generator >> 56) as u8;
            generator = generator.wrapping_mul(11_400_714_785_074_694_797);
            byte
        })
        .collect()
}

const PUBLISHED_SEED: u64 = 11_400_714_785_074_694_797;

/// Length of the input, hash with seed 0, hash with the seed above.
const PUBLISHED: [(usize, u64, u64); 13] = [
    (0, 0x2d06_8005_38d3_94c2, 0xa8a6_b918_b2f0_364a),
    (1, 0xc44b_dff4_074e_ecdb, 0x032b_e332_dd76_6ef8),
    (6, 0x27b5_6a84_cd2d_7325, 0x8458_9c11_6ab5_9ab9),
    (12, 0xa713_daf0_dfbb_77e7, 0xe730_3e1b_2336_de0e),
    (24, 0xa3fe_70bf_9d35_10eb, 0x850e_80fc_35bd_d690),
    (48, 0x397d_a259_ecba_1f11, 0xadc2_cbaa_44ac_c616),
    (80, 0xbcde_fbbb_2c47_c90a, 0xc6dd_0cb6_9953_2e73),
    (195, 0xcd94_217e_e362_ec3a, 0xba68_003d_370c_b3d9),
    (403, 0xcdeb_804d_65c6_dea4, 0x6259_f6ec_fd64_43fd),
    (512, 0x617e_4959_9013_cb6b, 0x3ce4_57de_14c2_7708),
    (2048, 0xdd59_e2c3_a5f0_38e0, 0x66f8_1670_669a_babc),
    (2240, 0x6e73_a905_39cf_2948, 0x757b_a848_7d1b_5247),
    (2367, 0xcb37_aeb9_e5d3_61ed, 0xd2db_3415_b942_b42a),
];

#[test]
fn the_published_numbers_come_out() {
    let input = published_input();
    for (length, plain, seeded) in PUBLISHED {
        let bytes = &input[..length];
        assert_eq!(hash(bytes), plain, "{length} bytes");
        assert_eq!(hash_with_seed(bytes, PUBLISHED_SEED), seeded, "{length} bytes");
        assert_eq!(hash_with_seed(bytes, 0), plain, "{length} bytes");
        assert_eq!(hash_const(bytes), plain, "{length} bytes");
    }
}

#[test]
fn parts_hash_as_the_whole() {
    let input = published_input();
    for (length, plain, seeded) in PUBLISHED {
        for part in [1, 7, 64, 256, 1000] {
            let mut hasher = Hasher::new();
            let mut hasher_with_seed = Hasher::with_seed(PUBLISHED_SEED);
            for chunk in input[..length].chunks(part) {
                hasher.put(chunk);
                hasher_with_seed.put(chunk);
            }
            assert_eq!(hasher.finish(), plain, "{length} bytes by {part}");
            assert_eq!(hasher_with_seed.finish(), seeded, "{length} bytes by {part}");
        }
    }
}

#[test]
fn the_compiler_hashes_as_the_program_does() {
    const NOSE: u64 = hash_const(b"nose");
    assert_eq!(NOSE, hash(b"nose"));
    let input = published_input();
    for length in 0..600 {
        assert_eq!(hash_const(&input[..length]), hash(&input[..length]), "{length} bytes");
    }
}

#[test]
fn a_mix_depends_on_the_order() {
    assert_ne!(mix(1, 2), mix(2, 1));
    assert_ne!(mix(0, 0), 0);
    assert_eq!(mix(1, 2), hash(&[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]));
}

#[test]
fn a_hasher_takes_typed_values_as_their_bytes() {
    let mut hasher = Hasher::new();
    hasher.write_u32(0x0403_0201);
    hasher.write_text("abc", 3);
    assert_eq!(hasher.finish(), hash(&[1, 2, 3, 4, 3, b'a', b'b', b'c']));
}
