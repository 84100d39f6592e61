//! Vectors, rotations, matrices and transforms.

use base::matrix::Mat3;
use base::quaternion::Quat;
use base::random::{Pcg, Random};
use base::vector::{Vec2, Vec4};

use super::record::{Found, float, rotation, vector};

fn matrix(i: &mut Pcg) -> Mat3 {
    Mat3::from_columns(vector(i), vector(i), vector(i))
}

macro_rules! vectors {
    ($found:ident, $make:expr, $($name:literal)*) => {{
        let make = $make;
        let [operators, lengths, limits, mixing] = [$($name),*];
        $found.run(operators, |i| {
            let (a, b, c) = (make(i), make(i), float(i));
            let mut d = a;
            d += b;
            d -= a * c;
            d *= c;
            d /= c;
            [a + b, a - b, a * c, c * a, a / c, -a, d, a.times(b)]
        });
        $found.run(lengths, |i| {
            let (a, b) = (make(i), make(i));
            let numbers = [a.dot(b), a.length(), a.length_squared(), a.distance(b), a.distance_squared(b)];
            (numbers, [a.normal(), b.normal_or(a)])
        });
        $found.run(limits, |i| {
            let (a, b, c) = (make(i), make(i), make(i));
            ([a.min(b), a.max(b), a.clamp(b, c), a.abs(), a.canonical()], [a.min_component(), a.max_component()])
        });
        $found.run(mixing, |i| {
            let (a, b, part) = (make(i), make(i), float(i));
            let moved = [a.lerp(b, part), a.limit_length(part), a.move_towards(b, part)];
            (moved, ([a.project_on(b), a.reflect(b)], a.is_finite()))
        });
    }};
}

#[test]
fn vectors_are_as_on_the_first_machine() {
    let mut found = Found::default();
    let vector2 = |i: &mut Pcg| Vec2::new(float(i), float(i));
    let vector4 = |i: &mut Pcg| Vec4::new(float(i), float(i), float(i), float(i));
    vectors!(found, vector2, "Vec2 operators" "Vec2 lengths" "Vec2 limits" "Vec2 mixing");
    vectors!(found, vector, "Vec3 operators" "Vec3 lengths" "Vec3 limits" "Vec3 mixing");
    vectors!(found, vector4, "Vec4 operators" "Vec4 lengths" "Vec4 limits" "Vec4 mixing");
    found.run("Vec2 angles", |i| {
        let (a, b) = (vector(i).xy(), vector(i).xy());
        ([Vec2::from_angle(a.x), a.turned_left()], [a.angle(), a.cross(b)])
    });
    found.run("Vec3 angles", |i| {
        let (a, b) = (vector(i), vector(i));
        ([a.cross(b), a.perpendicular()], a.angle_to(b))
    });
    found.compare(VECTORS);
}

#[test]
fn rotations_are_as_on_the_first_machine() {
    let mut found = Found::default();
    found.run("Quat products", |i| {
        let (a, b) = (rotation(i), rotation(i));
        let mut c = a;
        c *= b;
        [a * b, a.conjugate(), a.normal(), -a, c, a.canonical()]
    });
    found.run("Quat rotate", |i| {
        let (a, v) = (rotation(i), vector(i));
        [a.rotate(v), a.rotate_back(v), a * v]
    });
    found.run("Quat from_axis_angle", |i| Quat::from_axis_angle(vector(i), float(i)));
    found.run("Quat rotation_vector", |i| (Quat::from_rotation_vector(vector(i)), rotation(i).rotation_vector()));
    found.run("Quat between", |i| Quat::between(vector(i), vector(i)));
    found.run("Quat euler", |i| (Quat::from_euler(vector(i)), rotation(i).euler()));
    found.run("Quat matrix", |i| (Quat::from_matrix(matrix(i)), rotation(i).matrix()));
    found.run("Quat angles", |i| {
        let (a, b) = (rotation(i), rotation(i));
        ([a.dot(b), a.angle_to(b)], a.is_finite())
    });
    found.run("Quat slerp", |i| {
        let (a, b, part) = (rotation(i), rotation(i), i.unit());
        [a.slerp(b, part), a.nlerp(b, part)]
    });
    found.run("Quat turned", |i| {
        let (a, speed, seconds) = (rotation(i), vector(i), i.unit());
        [a.turned(speed, seconds), a.integrate(speed, seconds)]
    });
    found.compare(ROTATIONS);
}

#[test]
fn matrices_are_as_on_the_first_machine() {
    let mut found = Found::default();
    found.run("Mat3 products", |i| {
        let (a, b, v) = (matrix(i), matrix(i), vector(i));
        ([a * b, a * v.x, a + b, a - b, a.transpose()], a * v)
    });
    found.run("Mat3 inverse", |i| {
        let a = matrix(i);
        (a.determinant(), a.inverse())
    });
    found.run("Mat3 made", |i| {
        let (a, b) = (vector(i), vector(i));
        [Mat3::cross_with(a), Mat3::outer(a, b), Mat3::from_diagonal(a)]
    });
    found.compare(MATRICES);
}

const VECTORS: &[(&str, u64)] = &[
    ("Vec2 operators", 0x61a5_c80f_9e95_2d5a),
    ("Vec2 lengths", 0x9f14_1b7d_1c83_8d5c),
    ("Vec2 limits", 0x6f05_0c30_8aa3_5ea2),
    ("Vec2 mixing", 0x71dd_4d76_f3d4_53ad),
    ("Vec3 operators", 0x050d_6fb1_0651_f5f9),
    ("Vec3 lengths", 0xd5ab_dcae_35bf_5bc2),
    ("Vec3 limits", 0xfa4d_70f6_b8b4_1170),
    ("Vec3 mixing", 0xb155_e1db_f91b_6371),
    ("Vec4 operators", 0xc289_6d97_c16f_1183),
    ("Vec4 lengths", 0x05fe_8fd4_dd33_f676),
    ("Vec4 limits", 0x81ab_ea93_8623_f650),
    ("Vec4 mixing", 0x96c4_ff2d_9c43_7bf0),
    ("Vec2 angles", 0xccc3_98ae_7575_ba1a),
    ("Vec3 angles", 0xaa4e_2cbd_badd_f616),
];

const ROTATIONS: &[(&str, u64)] = &[
    ("Quat products", 0xc195_351a_8ded_9066),
    ("Quat rotate", 0xd106_5d6c_5ea8_db35),
    ("Quat from_axis_angle", 0xcd4d_9de6_383b_61b4),
    ("Quat rotation_vector", 0xcfba_30e9_953b_f096),
    ("Quat between", 0x0959_19a3_fc26_8596),
    ("Quat euler", 0x3d6e_cc50_c324_bc5c),
    ("Quat matrix", 0x5621_8877_a377_cd60),
    ("Quat angles", 0xa471_24d9_bdf7_8c1c),
    ("Quat slerp", 0x006c_65d8_e3c2_ca12),
    ("Quat turned", 0xd1e9_44ae_3d53_501d),
];

const MATRICES: &[(&str, u64)] = &[
    ("Mat3 products", 0x6984_cb3c_cdce_a339),
    ("Mat3 inverse", 0x9627_fb9e_90dd_3b73),
    ("Mat3 made", 0xbe42_9468_b560_1435),
];
