//! Named kinds of connections, from a local network to a mountain cabin.

/// One direction of a machine's connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkProfile {
    /// The delay of every packet.
    pub delay_us: u64,
    /// The most additional delay of a packet, uniformly distributed. Packets keep their order unless they are reordered.
    pub jitter_us: u64,
    /// Random loss, in millionths.
    pub loss: u32,
    /// How often a burst of loss begins, per million packets.
    pub burst_begin: u32,
    /// How often it ends, per million packets. In a burst, four of five packets are lost.
    pub burst_end: u32,
    /// How many packets per million are overtaken by later ones.
    pub reorder: u32,
    /// How many packets per million arrive twice.
    pub duplicate: u32,
    /// The bottleneck in bytes per second, IP and UDP headers included; zero is none.
    pub rate: u64,
    /// The longest queue before the bottleneck, in time; beyond it packets are dropped.
    pub queue_us: u64,
}

/// The connection of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// From the machine.
    pub up: LinkProfile,
    /// To the machine.
    pub down: LinkProfile,
}

/// A link without faults or a bottleneck.
const CLEAN: LinkProfile = LinkProfile {
    delay_us: 0,
    jitter_us: 0,
    loss: 0,
    burst_begin: 0,
    burst_end: 250_000,
    reorder: 0,
    duplicate: 0,
    rate: 0,
    queue_us: 200_000,
};

impl LinkProfile {
    /// A link with a delay and nothing else.
    pub const fn with_delay(delay_us: u64) -> LinkProfile {
        LinkProfile { delay_us, ..CLEAN }
    }

    /// The same link with a bottleneck and a queue before it.
    #[must_use]
    pub const fn with_rate(self, rate: u64, queue_us: u64) -> LinkProfile {
        LinkProfile { rate, queue_us, ..self }
    }
}

impl Profile {
    /// Both directions alike.
    pub const fn symmetric(name: &'static str, link: LinkProfile) -> Profile {
        Profile { name, up: link, down: link }
    }

    /// The profile with this name.
    pub fn named(name: &str) -> Option<Profile> {
        ALL.into_iter().find(|profile| profile.name == name)
    }
}

/// All named profiles.
pub const ALL: [Profile; 8] = [LAN, FIBRE, DSL, WIFI, MOBILE, SATELLITE, BUSY_HOUSE, MOUNTAIN_CABIN];

/// A cable between machines of one house.
pub const LAN: Profile =
    Profile::symmetric("lan", LinkProfile { jitter_us: 200, rate: 12_500_000, ..LinkProfile::with_delay(150) });

/// Glass fibre to the house: 20 ms between two of them.
pub const FIBRE: Profile = Profile::symmetric(
    "fibre",
    LinkProfile { jitter_us: 1_000, loss: 200, rate: 6_000_000, ..LinkProfile::with_delay(5_000) },
);

/// A telephone line: 60 ms one way between two of them, and a slow way up.
pub const DSL: Profile = Profile {
    name: "dsl",
    up: LinkProfile { jitter_us: 3_000, loss: 2_000, rate: 125_000, ..LinkProfile::with_delay(30_000) },
    down: LinkProfile { jitter_us: 3_000, loss: 2_000, rate: 2_000_000, ..LinkProfile::with_delay(30_000) },
};

/// Wireless in the next room: short bursts of loss, and packets that arrive twice.
pub const WIFI: Profile = Profile::symmetric(
    "wifi",
    LinkProfile {
        jitter_us: 12_000,
        loss: 5_000,
        burst_begin: 4_000,
        reorder: 2_000,
        duplicate: 2_000,
        rate: 2_500_000,
        ..LinkProfile::with_delay(8_000)
    },
);

/// A telephone network in a train.
pub const MOBILE: Profile = Profile {
    name: "mobile",
    up: LinkProfile {
        jitter_us: 40_000,
        loss: 10_000,
        burst_begin: 6_000,
        reorder: 5_000,
        rate: 150_000,
        queue_us: 800_000,
        ..LinkProfile::with_delay(35_000)
    },
    down: LinkProfile {
        jitter_us: 40_000,
        loss: 10_000,
        burst_begin: 6_000,
        reorder: 5_000,
        rate: 1_000_000,
        queue_us: 800_000,
        ..LinkProfile::with_delay(35_000)
    },
};

/// By a geostationary satellite.
pub const SATELLITE: Profile = Profile::symmetric(
    "satellite",
    LinkProfile { jitter_us: 10_000, loss: 3_000, rate: 250_000, ..LinkProfile::with_delay(280_000) },
);

/// A line that others fill: a long queue, and loss in bursts.
pub const BUSY_HOUSE: Profile = Profile {
    name: "busy_house",
    up: LinkProfile {
        jitter_us: 25_000,
        loss: 20_000,
        burst_begin: 10_000,
        duplicate: 10_000,
        rate: 24_000,
        ..LinkProfile::with_delay(30_000)
    },
    down: LinkProfile { jitter_us: 25_000, loss: 20_000, rate: 120_000, ..LinkProfile::with_delay(30_000) },
};

/// A mountain cabin: the delay varies by 700 ms, one packet in thirty is lost, and the way up is slow.
pub const MOUNTAIN_CABIN: Profile = Profile {
    name: "mountain_cabin",
    up: LinkProfile {
        jitter_us: 350_000,
        loss: 30_000,
        burst_begin: 5_000,
        reorder: 20_000,
        duplicate: 5_000,
        rate: 30_000,
        queue_us: 1_000_000,
        ..LinkProfile::with_delay(60_000)
    },
    down: LinkProfile {
        jitter_us: 350_000,
        loss: 30_000,
        burst_begin: 5_000,
        reorder: 20_000,
        duplicate: 5_000,
        rate: 120_000,
        queue_us: 1_000_000,
        ..LinkProfile::with_delay(60_000)
    },
};
