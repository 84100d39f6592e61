//! The numbers of the battle, as rules.md has them, and who is there when it begins.

/// How long a cycle is, in milliseconds.
pub const CYCLE: f32 = 10.0;

/// How long a cycle is, in seconds.
pub const CYCLE_SECONDS: f32 = 0.01;

/// The side of the square that each place has, in metres.
pub const SPACING: f32 = 70.0;

/// How whole a ship can be.
pub const HULL: f32 = 120.0;

/// How much a shield can take.
pub const SHIELD: f32 = 60.0;

/// The calm of a ship that comes.
pub const CALM: f32 = 5000.0;

/// How often a ship looks for a target, in milliseconds.
pub const LOOK_PERIOD: f32 = 500.0;

/// How many milliseconds each weapon needs between two shots.
pub const PERIODS: [f32; 3] = [300.0, 900.0, 600.0];

/// A ship at the start of the battle, and its place.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Where it is at home.
    pub home: [f32; 2],
    /// 1 or 2.
    pub team: u8,
    /// Laser, mine, emp: 0, 1, 2.
    pub weapon: u8,
    /// How whole it is.
    pub hull: f32,
    /// What its shield can take.
    pub shield: f32,
    /// How hot it is.
    pub heat: f32,
    /// Milliseconds since it was hit.
    pub calm: f32,
    /// Milliseconds until it may fire.
    pub cooldown: f32,
    /// Milliseconds until it looks for a target.
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

/// Where the buoys are.
pub fn buoys(places: u32, count: u32) -> Vec<[f32; 2]> {
    let side = field_side(places);
    let mut chance = Chance::new(u64::from(count) + 1_000_000);
    (0..count).map(|_| [chance.below(side), chance.below(side)]).collect()
}

/// The side of the field, in metres.
pub fn field_side(places: u32) -> f32 {
    SPACING * (places as f32).sqrt()
}

/// Numbers by chance (SplitMix64).
#[derive(Clone, Copy, Debug)]
pub struct Chance(u64);

impl Chance {
    /// From a seed.
    pub fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// A number from 0 to a limit.
    pub fn below(&mut self, limit: f32) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 40) as f32 / (1u64 << 24) as f32 * limit
    }
}
