//! The reference implementation in Rust, called but never inlined.

use std::marker::PhantomData;
use std::time::Duration;

use super::contender::{Contender, timed};
use super::load::{Scene, Source};

/// A scene in Rust.
pub struct Native<S> {
    units: Vec<Unit>,
    scene: PhantomData<S>,
}

impl<S: Scene> Native<S> {
    /// A scene at its start.
    pub fn new() -> Native<S> {
        let unit = |object| {
            let [hull, mass, shield, heat, energy] = [0, 1, 2, 3, 4].map(|variable| S::first(object, variable));
            Unit { hull, mass, shield, heat, energy }
        };
        let units = if S::SOURCE == Source::Unit { (0..S::OBJECTS).map(unit).collect() } else { Vec::new() };
        Native { units, scene: PhantomData }
    }
}

impl<S: Scene> Contender for Native<S> {
    fn name(&self) -> String {
        "Rust".to_owned()
    }

    fn run(&mut self, start: u64, count: u64) -> (Duration, f64) {
        timed(|| {
            let mut sum = 0.0;
            for index in start..start + count {
                let call = S::call(index);
                let [d, t, m] = call.arguments;
                sum += match S::SOURCE {
                    Source::Damage => damage(d, t, m),
                    Source::Unit | Source::Object => self.units[call.object].update(),
                };
            }
            sum
        })
    }
}

#[inline(never)]
fn damage(d: f64, t: f64, m: f64) -> f64 {
    let base = d * 1.25 + 3.0;
    let met = if t == 0.0 {
        base - m
    } else if t == 1.0 {
        base * (1.0 - m / (m + 100.0))
    } else if t == 2.0 {
        base * 0.5 - m * 0.25
    } else {
        base
    };
    let raised = if met > 50.0 { met * 1.5 } else { met };
    raised.clamp(1.0, 999.0) * 0.9 + t * 0.1
}

struct Unit {
    hull: f64,
    mass: f64,
    shield: f64,
    heat: f64,
    energy: f64,
}

impl Unit {
    #[inline(never)]
    fn update(&mut self) -> f64 {
        self.shield = regenerate(self.shield, self.energy);
        self.heat = cool(self.heat, self.mass) + self.hull * 0.001;
        self.energy = if self.energy < 1.0 { 100.0 + self.heat } else { self.energy - 0.25 };
        self.energy
    }
}

fn regenerate(charge: f64, power: f64) -> f64 {
    if charge < 100.0 { charge + power * 0.01 } else { charge - 90.0 }
}

fn cool(warmth: f64, bulk: f64) -> f64 {
    warmth - warmth * 40.0 / (bulk + 100.0)
}
