//! The constants of the battle, as in rules.md, and its initial ships.

/// The length of a cycle, in milliseconds.
pub const CYCLE: f32 = 10.0;

/// The length of a cycle, in seconds.
pub const CYCLE_SECONDS: f32 = 0.01;

/// The side of the square of each place, in metres.
pub const SPACING: f32 = 70.0;

/// The maximum hull points.
pub const HULL: f32 = 120.0;

/// The maximum shield points.
pub const SHIELD: f32 = 60.0;

/// The initial time since the last hit.
pub const CALM: f32 = 5000.0;

/// The interval of a ship's target searches, in milliseconds.
pub const LOOK_PERIOD: f32 = 500.0;

/// The firing interval of each weapon, in milliseconds.
pub const PERIODS: [f32; 3] = [300.0, 900.0, 600.0];

/// A ship at the start of the battle.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Its home position.
    pub home: [f32; 2],
    /// Its team: 1 or 2.
    pub team: u8,
    /// Its weapon: 0 laser, 1 mine, 2 EMP.
    pub weapon: u8,
    /// Its hull points.
    pub hull: f32,
    /// Its shield points.
    pub shield: f32,
    /// Its heat.
    pub heat: f32,
    /// Milliseconds since it was hit.
    pub calm: f32,
    /// Milliseconds until it can fire.
    pub cooldown: f32,
    /// Milliseconds until it searches for a target.
    pub look: f32,
}

/// All ships at the start.
pub fn starts(places: u32) -> Vec<Start> {
    let side = field_side(places);
    let mut chance = Chance::new(u64::from(places));
    (0..places)
        .map(|place| {
            let weapon = (place / 2 % 3) as u8;
            Start {
                home: [chance.below(side), chance.below(side)],
                team: (place % 2) as u8 + 1,
                weapon,
                hull: 24.0 + chance.below(HULL - 24.0),
                shield: chance.below(SHIELD),
                heat: chance.below(1.0),
                calm: chance.below(5000.0),
                cooldown: chance.below(PERIODS[usize::from(weapon)]),
                look: 10.0 + (chance.below(50.0)).floor() * CYCLE,
            }
        })
        .collect()
}

/// The positions of the buoys.
pub fn buoys(places: u32, count: u32) -> Vec<[f32; 2]> {
    let side = field_side(places);
    let mut chance = Chance::new(u64::from(count) + 1_000_000);
    (0..count).map(|_| [chance.below(side), chance.below(side)]).collect()
}

/// The side of the field, in metres.
pub fn field_side(places: u32) -> f32 {
    SPACING * (places as f32).sqrt()
}

/// A random generator (SplitMix64).
#[derive(Clone, Copy, Debug)]
pub struct Chance(u64);

impl Chance {
    /// A generator with a seed.
    pub fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// A random number from 0 to a limit.
    pub fn below(&mut self, limit: f32) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 40) as f32 / (1u64 << 24) as f32 * limit
    }
}
