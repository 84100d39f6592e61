//! The float functions, single and double.

use base::number;
use base::random::Random;

use super::record::{Found, double, float};

macro_rules! numbers {
    ($module:path, $input:ident) => {{
        use $module as module;
        let mut found = Found::default();
        macro_rules! one {
            ($function:ident) => {
                found.run(stringify!($function), |i| module::$function($input(i)));
            };
        }
        macro_rules! two {
            ($function:ident) => {
                found.run(stringify!($function), |i| module::$function($input(i), $input(i)));
            };
        }
        macro_rules! three {
            ($function:ident) => {
                found.run(stringify!($function), |i| module::$function($input(i), $input(i), $input(i)));
            };
        }
        one!(sqrt);
        one!(cbrt);
        one!(floor);
        one!(ceil);
        one!(trunc);
        one!(round);
        one!(round_even);
        one!(floor_to_integer);
        one!(sin);
        one!(cos);
        one!(sin_cos);
        one!(tan);
        one!(asin);
        one!(acos);
        one!(atan);
        one!(exp);
        one!(exp2);
        one!(ln);
        one!(log2);
        one!(log10);
        one!(sinh);
        one!(cosh);
        one!(tanh);
        one!(abs);
        one!(sign);
        one!(canonical);
        one!(is_canonical);
        one!(wrap_angle);
        two!(min);
        two!(max);
        two!(hypot);
        two!(atan2);
        two!(pow);
        two!(remainder);
        two!(angle_between);
        three!(clamp);
        three!(lerp);
        three!(inverse_lerp);
        found.run("pow_whole", |i| module::pow_whole($input(i), i.range(-20, 20)));
        found.run("constants", |_| {
            [
                module::PI,
                module::TAU,
                module::HALF_PI,
                module::E,
                module::SQRT_2,
                module::SQRT_HALF,
                module::RADIANS_PER_DEGREE,
                module::DEGREES_PER_RADIAN,
            ]
        });
        found
    }};
}

#[test]
fn single_numbers_are_as_on_the_first_machine() {
    numbers!(number, float).compare(SINGLE);
}

#[test]
fn double_numbers_are_as_on_the_first_machine() {
    numbers!(number::double, double).compare(DOUBLE);
}

const SINGLE: &[(&str, u64)] = &[
    ("sqrt", 0x89af_8cd4_817d_537d),
    ("cbrt", 0x41e8_808d_891b_f7a0),
    ("floor", 0x7fd7_0660_ad27_b5da),
    ("ceil", 0x93cd_9030_edd6_a031),
    ("trunc", 0x1874_fb70_3008_e41c),
    ("round", 0x0cf5_1d25_4739_d4f8),
    ("round_even", 0x4ce9_2790_2825_756d),
    ("floor_to_integer", 0x4d7b_1632_78ee_5bac),
    ("sin", 0x04fa_93ca_7472_d34c),
    ("cos", 0x9f81_7be9_e190_0a7b),
    ("sin_cos", 0xb410_8e64_c515_ed1c),
    ("tan", 0x959d_d8eb_7609_84f9),
    ("asin", 0xfeeb_f0d2_e109_b54c),
    ("acos", 0x0202_bda0_5bae_ace8),
    ("atan", 0xa440_cfdd_f24c_1e1e),
    ("exp", 0x8b39_dae8_4536_0642),
    ("exp2", 0x878e_1ab9_dec1_564c),
    ("ln", 0xe643_f0c8_0586_e0d5),
    ("log2", 0xd624_b9e9_4b82_8160),
    ("log10", 0x883c_1762_dc9b_bf40),
    ("sinh", 0x181c_565c_e048_3541),
    ("cosh", 0x5b56_dadc_37c0_0f46),
    ("tanh", 0xc1ff_e95e_ee2e_f828),
    ("abs", 0x0aca_490f_fd6f_7ba3),
    ("sign", 0xa5d4_9dd7_3bae_f3e0),
    ("canonical", 0x4a88_842b_392d_b4ee),
    ("is_canonical", 0x9e7d_ce5f_4c74_e2f0),
    ("wrap_angle", 0x8a99_1d52_d3a6_2069),
    ("min", 0xf19d_73d5_ee4a_a6d1),
    ("max", 0x9685_a502_9e55_c133),
    ("hypot", 0x0933_732c_7605_fcaf),
    ("atan2", 0x6c5f_fc28_42c8_436c),
    ("pow", 0x619c_ea19_6d7d_f82f),
    ("remainder", 0x0389_5a9a_be62_aa1c),
    ("angle_between", 0x6dea_53a1_b057_bb63),
    ("clamp", 0xbfab_2e92_8ed0_4d39),
    ("lerp", 0x28b8_4bb8_0072_761e),
    ("inverse_lerp", 0x8eb8_8ea1_5cc2_477b),
    ("pow_whole", 0xfb79_b4ed_e9d8_6502),
    ("constants", 0x38b9_6277_0ba6_5f5f),
];

const DOUBLE: &[(&str, u64)] = &[
    ("sqrt", 0x2661_eb88_1b26_8375),
    ("cbrt", 0x83ed_235d_ebb5_fa1a),
    ("floor", 0x53ac_2055_23a4_8f8e),
    ("ceil", 0x2f17_17ae_9074_998c),
    ("trunc", 0x5fa2_704a_3a57_5ef4),
    ("round", 0x7e7e_5303_42b9_43ac),
    ("round_even", 0xdfa6_1e88_4cbe_6b25),
    ("floor_to_integer", 0x2ddc_7ec9_02c3_d28f),
    ("sin", 0x34b8_bf3c_5012_03a0),
    ("cos", 0x3c81_1585_8fe9_bbb0),
    ("sin_cos", 0x1292_d41a_67b8_5628),
    ("tan", 0x4058_0a41_3fe0_1531),
    ("asin", 0xd3e7_fbb3_d429_5f2a),
    ("acos", 0x5bc6_7dea_3c3e_7dc5),
    ("atan", 0xb5c9_1c65_939e_d57f),
    ("exp", 0x8667_c340_40f9_7168),
    ("exp2", 0xa1e9_27f2_94db_f878),
    ("ln", 0x9d95_ef83_3929_d2a1),
    ("log2", 0x5de8_ebf3_1b11_17ab),
    ("log10", 0x1c02_17ce_bbfc_2d94),
    ("sinh", 0xa7bd_68ac_f2c4_7cf4),
    ("cosh", 0xe2c8_db36_16c6_df5e),
    ("tanh", 0x3a56_8fc8_1ef9_4bb5),
    ("abs", 0x2707_7ea5_e746_dca5),
    ("sign", 0xf827_5a42_6d86_454c),
    ("canonical", 0x1f0a_cbc1_63e8_e966),
    ("is_canonical", 0x02a9_54f3_8308_029a),
    ("wrap_angle", 0xe21f_6589_d1b9_e5f3),
    ("min", 0x0685_b508_b45e_1331),
    ("max", 0x551e_d0ef_1d8e_29c7),
    ("hypot", 0x231c_a9bd_57e1_0753),
    ("atan2", 0xe087_a077_4de1_0344),
    ("pow", 0x4a38_9cad_bd6e_a1d9),
    ("remainder", 0x4e51_e173_3b7e_17af),
    ("angle_between", 0xee56_875a_e653_3776),
    ("clamp", 0x4baf_c367_ac17_ba9d),
    ("lerp", 0x6ceb_8256_0239_97aa),
    ("inverse_lerp", 0x0a21_47a1_fb3c_90a5),
    ("pow_whole", 0x97ef_da04_106f_b911),
    ("constants", 0x0e7d_17f9_5210_c54b),
];
