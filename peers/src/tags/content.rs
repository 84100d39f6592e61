//! The loaded content: assets generated from a seed, the same for all contenders.
//!
//! Laws
//! 1. The asset with a number is always the same.
//! 2. References lead from lower to higher numbers, so that there are no cycles; every asset can be reached from the asset
//!    with number 0.

/// The size of the content.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The number of assets.
    pub assets: u32,
    /// The number of folders.
    pub folders: u32,
    /// The minimum number of elements of an asset, and the exclusive maximum.
    pub elements: (u32, u32),
    /// The maximum bytes of bulk data of an asset. One asset in five has none.
    pub bulk_bytes_max: u32,
}

/// A level: 8,000 assets with some 52 MB of bulk data.
pub const LEVEL: Shape = Shape { assets: 8_000, folders: 800, elements: (8, 64), bulk_bytes_max: 16 * 1024 };

/// The assets of a whole game, small and without bulk data.
pub const GAME: Shape = Shape { assets: 39_000, folders: 3_900, elements: (8, 32), bulk_bytes_max: 0 };

/// An asset.
#[derive(Clone, Debug, PartialEq)]
pub struct Asset {
    /// Its number, which determines its path.
    pub number: u32,
    /// Its name for players.
    pub name: String,
    /// Its mass, cost and lifetime.
    pub numbers: [f32; 3],
    /// Its elements.
    pub elements: Vec<Element>,
    /// The numbers of the assets it needs.
    pub references: Vec<u32>,
    /// Its bulk data.
    pub bulk: Vec<u8>,
}

/// A part of an asset.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Its name, unique in its asset.
    pub name: String,
    /// Its position and size.
    pub numbers: [f32; 4],
}

/// All assets of a content of this size.
pub struct Content {
    /// The size of the content.
    pub shape: Shape,
    seed: u64,
    references: Vec<Vec<u32>>,
}

impl Content {
    /// Generates the references.
    pub fn new(shape: Shape, seed: u64) -> Content {
        let mut random = Random(seed);
        let mut references = vec![Vec::new(); shape.assets as usize];
        for number in 1..shape.assets {
            // So every asset is reached from the first; with 0 to 5 more references the mean is three and a half.
            references[random.below(number) as usize].push(number);
        }
        for (number, references) in (0..shape.assets).zip(&mut references) {
            let rest = shape.assets - number - 1;
            for _ in 0..random.below(6).min(rest) {
                references.push(number + 1 + random.below(rest));
            }
            references.sort_unstable();
            references.dedup();
        }
        Content { shape, seed, references }
    }

    /// The asset with a number.
    pub fn asset(&self, number: u32) -> Asset {
        let mut random = Random(self.seed ^ u64::from(number) << 32);
        let (least, end) = self.shape.elements;
        let elements = (0..least + random.below(end - least))
            .map(|index| Element {
                name: format!("{}_{index}", WORDS[random.below(WORDS.len() as u32) as usize]),
                numbers: [random.number(), random.number(), random.number(), random.number()],
            })
            .collect();
        let bulk_bytes = if random.below(5) == 0 { 0 } else { random.below(self.shape.bulk_bytes_max + 1) };
        Asset {
            number,
            name: format!("the {} {number}", WORDS[random.below(WORDS.len() as u32) as usize]),
            numbers: [random.number(), random.number(), random.number()],
            elements,
            references: self.references[number as usize].clone(),
            bulk: (0..bulk_bytes.div_ceil(8))
                .flat_map(|_| random.next().to_le_bytes())
                .take(bulk_bytes as usize)
                .collect(),
        }
    }

    /// The folder of an asset.
    pub fn folder(&self, number: u32) -> String {
        format!("folder_{:04}", number % self.shape.folders)
    }

    /// The path of an asset: its folder and its name, without an extension.
    pub fn path(&self, number: u32) -> String {
        format!("{}/asset_{number:05}", self.folder(number))
    }

    /// The sums that every contender must reach.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for number in 0..self.shape.assets {
            let asset = self.asset(number);
            tally.asset(asset.number, &asset.name, asset.numbers);
            asset.elements.iter().for_each(|element| tally.element(&element.name, element.numbers));
            asset.references.iter().for_each(|reference| tally.reference(number, *reference));
            tally.bulk(&asset.bulk);
        }
        tally
    }
}

/// The sums over loaded assets, independent of their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    assets: u64,
    elements: u64,
    references: u64,
    bulk_bytes: u64,
    sum: u64,
}

impl Tally {
    /// Adds an asset.
    pub fn asset(&mut self, number: u32, name: &str, numbers: [f32; 3]) {
        self.assets += 1;
        self.add(u64::from(number), name, &numbers);
    }

    /// Adds an element of any asset.
    pub fn element(&mut self, name: &str, numbers: [f32; 4]) {
        self.elements += 1;
        self.add(0, name, &numbers);
    }

    /// Adds a reference between two assets, by the numbers found in the assets themselves.
    pub fn reference(&mut self, from: u32, to: u32) {
        self.references += 1;
        self.sum = self.sum.wrapping_add(mixed(u64::from(from) << 32 | u64::from(to)));
    }

    /// Adds the bulk data of any asset, if it has any.
    pub fn bulk(&mut self, bytes: &[u8]) {
        self.bulk_bytes += bytes.len() as u64;
        let (words, rest) = bytes.as_chunks::<8>();
        let sum = words.iter().fold(0, |sum: u64, word| sum.wrapping_add(u64::from_le_bytes(*word)));
        let rest = rest.iter().fold(sum, |sum, byte| sum.wrapping_mul(257).wrapping_add(u64::from(*byte)));
        self.sum = self.sum.wrapping_add(rest);
    }

    fn add(&mut self, first: u64, name: &str, numbers: &[f32]) {
        let named = name.bytes().fold(first, |sum, byte| sum.wrapping_mul(257).wrapping_add(u64::from(byte)));
        let sum = numbers.iter().fold(named, |sum, number| sum.wrapping_mul(65_537) ^ u64::from(number.to_bits()));
        self.sum = self.sum.wrapping_add(mixed(sum));
    }
}

const WORDS: [&str; 12] = [
    "nose",
    "tail",
    "left_wing",
    "right_wing",
    "turret",
    "engine",
    "hatch",
    "antenna",
    "keel",
    "lamp",
    "hold",
    "bridge",
];

/// Stafford's mixer over a counter.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    fn below(&mut self, limit: u32) -> u32 {
        (self.next() % u64::from(limit.max(1))) as u32
    }

    /// From -1,000 to 1,000, with at most two decimals: the same number in text and in binary.
    fn number(&mut self) -> f32 {
        ((f64::from(self.below(200_001)) - 100_000.0) / 100.0) as f32
    }
}

fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
