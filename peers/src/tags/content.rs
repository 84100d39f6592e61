//! What is loaded: assets made up from a seed, the same for everybody.
//!
//! Laws
//! 1. The asset with a number is always the same, whoever asks for it and when.
//! 2. References lead from lower to higher numbers, so that there is no way round; and from the asset with number 0 there
//!    is a way to every other.

/// How much there is.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How many assets there are.
    pub assets: u32,
    /// How many folders they lie in.
    pub folders: u32,
    /// How many elements an asset has at least, and one less than it may have at most.
    pub elements: (u32, u32),
    /// How many bytes of bulk an asset has at most. One in five has none.
    pub bulk_bytes_max: u32,
}

/// A level: 8,000 assets with some 52 MB of bulk.
pub const LEVEL: Shape = Shape { assets: 8_000, folders: 800, elements: (8, 64), bulk_bytes_max: 16 * 1024 };

/// A whole game's assets, small ones and without bulk.
pub const GAME: Shape = Shape { assets: 39_000, folders: 3_900, elements: (8, 32), bulk_bytes_max: 0 };

/// Something a level is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Asset {
    /// Its number, which is also where it is found.
    pub number: u32,
    /// What players call it.
    pub name: String,
    /// What it weighs, what it costs and how long it lives.
    pub numbers: [f32; 3],
    /// What it consists of.
    pub elements: Vec<Element>,
    /// The numbers of the assets it needs.
    pub references: Vec<u32>,
    /// What no text can say.
    pub bulk: Vec<u8>,
}

/// A part of an asset.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Its name, the only one of that name in its asset.
    pub name: String,
    /// Where it is, and how large.
    pub numbers: [f32; 4],
}

/// All assets of a shape.
pub struct Content {
    /// How much there is.
    pub shape: Shape,
    seed: u64,
    references: Vec<Vec<u32>>,
}

impl Content {
    /// Makes them up.
    pub fn new(shape: Shape, seed: u64) -> Content {
        let mut random = Random(seed);
        let mut references = vec![Vec::new(); shape.assets as usize];
        for number in 1..shape.assets {
            // So every asset is reached from the first; and with 0 to 5 more it is three and a half of each.
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

    /// Where an asset is: its folder and its name, without an extension.
    pub fn path(&self, number: u32) -> String {
        format!("{}/asset_{number:05}", self.folder(number))
    }

    /// What everybody must hold in the end.
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

/// What somebody holds: counted and summed, in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    assets: u64,
    elements: u64,
    references: u64,
    bulk_bytes: u64,
    sum: u64,
}

impl Tally {
    /// An asset is held.
    pub fn asset(&mut self, number: u32, name: &str, numbers: [f32; 3]) {
        self.assets += 1;
        self.add(u64::from(number), name, &numbers);
    }

    /// An element of any asset is held.
    pub fn element(&mut self, name: &str, numbers: [f32; 4]) {
        self.elements += 1;
        self.add(0, name, &numbers);
    }

    /// A reference from an asset to another, both by the number found in the asset itself.
    pub fn reference(&mut self, from: u32, to: u32) {
        self.references += 1;
        self.sum = self.sum.wrapping_add(mixed(u64::from(from) << 32 | u64::from(to)));
    }

    /// The bulk of any asset is held, if it has any.
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

    /// From -1,000 to 1,000, with at most two digits behind the point: the same number in text and in binary.
    fn number(&mut self) -> f32 {
        ((f64::from(self.below(200_001)) - 100_000.0) / 100.0) as f32
    }
}

fn mixed(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
