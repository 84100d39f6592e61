//! Ship AI in Rust: the cost without scripts.

use std::cell::Cell;

use bevy_math::Vec3;

use crate::mind::{Around, Mind, Ship};
use crate::rules::{Chance, HULL, PERIODS, SHIELD};

/// Ship AI in Rust. Its only state is the random generator.
pub struct Native(Cell<Chance>);

const RANGES: [f32; 3] = [120.0, 90.0, 110.0];
const DAMAGES: [f32; 3] = [5.0, 16.0, 8.0];
const HEATS: [f32; 3] = [0.18, 0.3, 0.25];

/// The layers of armour: a fraction against lasers, an amount against mines, a fraction against EMPs.
const ARMOUR: [[f32; 3]; 3] = [[0.05, 1.0, 0.0], [0.1, 0.5, 0.1], [0.15, 0.25, 0.2]];

thread_local! {
    static MIND: Native = Native(Cell::new(Chance::new(7)));
}

impl Mind for Native {
    fn with<R>(work: impl FnOnce(&Self) -> R) -> R {
        MIND.with(work)
    }

    fn look(&self, _: &Ship) -> f32 {
        200.0
    }

    fn update(&self, ship: &mut Ship, velocity: &mut Vec3, around: &Around) -> Option<f32> {
        ship.heat = (ship.heat - 0.005).max(0.0);
        ship.calm += 10.0;
        ship.cooldown = (ship.cooldown - 10.0).max(0.0);
        if ship.calm >= 3000.0 {
            ship.shield = (ship.shield + 0.08).min(SHIELD);
            ship.hull = (ship.hull + 0.02).min(HULL);
        }
        ship.is_fleeing = if ship.is_fleeing { ship.hull <= 72.0 } else { ship.hull < 36.0 };

        let mut hit = None;
        let mut wanted = Vec3::ZERO;
        if let Some(target) = around.target {
            let way = target - around.position;
            let distance = way.length();
            let weapon = usize::from(ship.weapon);
            if distance < RANGES[weapon] && ship.cooldown <= 0.0 && ship.heat < 1.0 {
                ship.cooldown = PERIODS[weapon];
                ship.heat += HEATS[weapon];
                if self.luck() < 0.95 - 0.7 * distance / RANGES[weapon] {
                    hit = Some(DAMAGES[weapon] * (0.8 + 0.4 * self.luck()));
                }
            }
            if ship.is_fleeing || distance < 40.0 {
                wanted = way * (-60.0 / distance.max(0.001));
            } else if distance > 70.0 {
                wanted = way * (60.0 / distance);
            }
        }
        let home = around.home - around.position;
        let far = home.length();
        if far > 250.0 || (far > 20.0 && around.target.is_none()) {
            wanted = home * (60.0 / far);
        }
        *velocity += (wanted - *velocity) * 0.04;
        hit
    }

    fn damage(&self, ship: &mut Ship, amount: f32, weapon: u8) -> Option<f32> {
        ship.calm = 0.0;
        let is_emp = weapon == 2;
        if is_emp {
            ship.heat += 0.1;
        }
        let against_shield = if is_emp { amount * 2.0 } else { amount };
        let taken = ship.shield.min(against_shield);
        ship.shield -= taken;
        let rest = (against_shield - taken) * if is_emp { 0.125 } else { 1.0 };
        ship.hull -= mitigate(rest, weapon);
        (ship.hull <= 0.0).then_some(1500.0)
    }
}

impl Native {
    fn luck(&self) -> f32 {
        let mut chance = self.0.get();
        let luck = chance.below(1.0);
        self.0.set(chance);
        luck
    }
}

/// The damage that passes the armour.
fn mitigate(damage: f32, weapon: u8) -> f32 {
    ARMOUR.iter().fold(damage, |left, layer| match weapon {
        1 => (left - layer[1]).max(0.0),
        kind => left * (1.0 - layer[usize::from(kind)]),
    })
}
