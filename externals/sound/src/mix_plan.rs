//! The plan of a mix: the buses of a mix tag, or the usual ones.

use base::{StringId, number};
use tags::Library;
use view::classes::Mix;
use view::classes::mix::{BusTime, MixBus};

use crate::dsp::compressor::CompressorSettings;
use crate::dsp::reverb::ReverbSettings;
use crate::dsp::{amplitude, finite, low_pass};
use crate::limits::BUSES_MAX;
use crate::reports::Reports;

/// What the engine does to a bus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusSettings {
    /// The factor on its volume.
    pub volume: f32,
    /// The coefficient of its low-pass filter; 1: none.
    pub low_pass: f32,
    /// Its compressor.
    pub compressor: CompressorSettings,
    /// The bus that ducks it.
    pub duck_by: Option<u8>,
    /// The factor while it is ducked.
    pub duck: f32,
    /// The level of the other bus from which on it is ducked.
    pub duck_threshold: f32,
}

impl BusSettings {
    /// Passes everything on.
    pub const PLAIN: BusSettings = BusSettings {
        volume: 1.0,
        low_pass: 1.0,
        compressor: CompressorSettings::OFF,
        duck_by: None,
        duck: 1.0,
        duck_threshold: 1.0,
    };
}

/// A bus of a mix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BusPlan {
    /// Its name.
    pub name: StringId,
    /// What the engine does to it.
    pub settings: BusSettings,
    /// The part of its sounds that the reverb gets.
    pub reverb_send: f32,
    /// What the time of the world does to it.
    pub time: BusTime,
}

/// A mix.
#[derive(Clone, Debug, PartialEq)]
pub struct MixPlan {
    /// Its buses, at least one.
    pub buses: Vec<BusPlan>,
    /// Its reverb.
    pub reverb: ReverbSettings,
    /// The level that is never exceeded.
    pub ceiling: f32,
}

/// The name of the volume of everything.
pub const MASTER: StringId = StringId::new("master");

impl Default for MixPlan {
    /// The usual buses: speech makes music and ambience softer.
    fn default() -> MixPlan {
        let bus = |name: &str, reverb_send: f32, time: BusTime| BusPlan {
            name: StringId::new(name),
            settings: BusSettings::PLAIN,
            reverb_send,
            time,
        };
        let mut buses = vec![
            bus("effects", 0.12, BusTime::World),
            bus("ambience", 0.05, BusTime::World),
            bus("speech", 0.04, BusTime::Steady),
            bus("music", 0.0, BusTime::Steady),
            bus("interface", 0.0, BusTime::Real),
        ];
        for ducked in [1, 3] {
            let settings = &mut buses[ducked].settings;
            (settings.duck_by, settings.duck, settings.duck_threshold) = (Some(2), amplitude(-9.0), amplitude(-40.0));
        }
        let reverb = ReverbSettings { volume: amplitude(-6.0), decay: 1.6, damping: 0.4, delay: 0.012 };
        MixPlan { buses, reverb, ceiling: amplitude(-0.3) }
    }
}

impl MixPlan {
    /// Reads a mix tag; the usual mix if it is none or missing.
    pub fn read(tag: StringId, content: &Library, reports: &mut Reports) -> MixPlan {
        if tag.is_none() {
            return MixPlan::default();
        }
        let Some(mix) = content.get_as::<Mix>(tag) else {
            reports.tell(content, tag, "there is no such mix tag: the usual buses are used", "");
            return MixPlan::default();
        };
        let rows = mix.each(&mix.buses);
        if rows.len() > BUSES_MAX {
            let found = format!("{BUSES_MAX}, found {}", rows.len());
            reports.tell(content, tag, "it has too many buses: expected at most ", &found);
        }
        let rows = &rows[..rows.len().min(BUSES_MAX)];
        let index = |name: StringId| rows.iter().position(|row| row.name == name).map(|index| index as u8);
        for row in rows.iter().filter(|row| !row.duck_by.is_none() && index(row.duck_by).is_none()) {
            let found = format!("{} by {}", row.name, row.duck_by);
            reports.tell(content, tag, "a bus is ducked by one that is not listed: ", &found);
        }
        let buses: Vec<BusPlan> = rows.iter().map(|row| bus(row, index(row.duck_by))).collect();
        let reverb = ReverbSettings {
            volume: amplitude(finite(mix.reverb.volume, -6.0, -60.0, 20.0)),
            decay: finite(mix.reverb.decay, 1.6, 0.1, 20.0),
            damping: finite(mix.reverb.damping, 0.4, 0.0, 1.0),
            delay: finite(mix.reverb.delay, 12.0, 0.0, 200.0) / 1000.0,
        };
        let buses = if buses.is_empty() { MixPlan::default().buses } else { buses };
        MixPlan { buses, reverb, ceiling: amplitude(finite(mix.ceiling, -0.3, -40.0, 0.0)) }
    }

    /// The index of a bus; the first if it is not listed.
    #[must_use]
    pub fn bus(&self, name: StringId) -> u8 {
        self.buses.iter().position(|bus| bus.name == name).unwrap_or(0) as u8
    }
}

fn bus(row: &MixBus, duck_by: Option<u8>) -> BusPlan {
    let compressor = &row.compressor;
    let low = finite(row.low_pass, 0.0, 0.0, 20_000.0);
    let settings = BusSettings {
        volume: amplitude(finite(row.volume, 0.0, -60.0, 20.0)),
        low_pass: if low > 0.0 { low_pass(number::max(low, 20.0)) } else { 1.0 },
        compressor: CompressorSettings::new(
            finite(compressor.threshold, -18.0, -60.0, 0.0),
            finite(compressor.ratio, 1.0, 1.0, 100.0),
            finite(compressor.attack, 10.0, 0.1, 1000.0),
            finite(compressor.release, 150.0, 1.0, 5000.0),
            finite(compressor.gain, 0.0, -20.0, 40.0),
        ),
        duck_by,
        duck: amplitude(finite(row.duck, -9.0, -60.0, 0.0)),
        duck_threshold: amplitude(finite(row.duck_threshold, -40.0, -80.0, 0.0)),
    };
    BusPlan { name: row.name, settings, reverb_send: finite(row.reverb_send, 0.0, 0.0, 4.0), time: row.time.get() }
}
