//! What lies in the world, and where.

use alloc::sync::Arc;

use astrarium::base::{Handle, Plain, Vec2};
use astrarium::script::message::Message;
use astrarium::script::row::Row64;
use astrarium::state::{Brush, Datums, Layout, One, Plan};

use crate::level::Level;

/// A ship.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Ship {
    /// Its mind.
    pub mind: Row64,
    /// Where it is.
    pub position: Vec2,
    /// How it moves, in units per second.
    pub velocity: Vec2,
    /// Whom it was shown last.
    pub target: Handle<Ship>,
    /// 0, 1 or 2.
    pub team: u32,
    /// How often its scripts were stopped.
    pub stopped: u32,
    /// How often they found a wrong kind of value.
    pub complaints: u32,
}

/// A ship that is to be built.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Order {
    /// Where.
    pub position: Vec2,
    /// For whom, who wants to be called back.
    pub owner: Handle<Ship>,
    /// Under which number.
    pub callback: i32,
    /// Of which team.
    pub team: u32,
    /// Of which program.
    pub program: u32,
}

/// What has happened so far.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Tally {
    /// Messages that reached somebody.
    pub messages: u64,
    /// Ships built after the start.
    pub built: u64,
    /// Ships that were destroyed.
    pub lost: u64,
    /// How often scripts of ships that are no more were stopped.
    pub stopped: u64,
    /// How often they complained.
    pub complaints: u64,
}

/// The keys into the world.
pub struct Parts {
    /// Its plan.
    pub plan: Arc<Plan>,
    /// All ships.
    pub ships: Datums<Ship>,
    /// What has happened.
    pub tally: One<Tally>,
    /// Messages under way.
    pub messages: Brush<Message>,
    /// Ships to be built.
    pub orders: Brush<Order>,
    /// Ships to be destroyed.
    pub losses: Brush<u32>,
}

impl Parts {
    /// Lays the world out.
    pub fn new(level: &Level) -> Parts {
        let mut layout = Layout::of_world("skirmish");
        layout.system("ships");
        let ships = layout.datums::<Ship>("ships", level.ships_max);
        let tally = layout.one::<Tally>("tally");
        layout.system("brushes");
        let messages = layout.brush::<Message>("messages", level.ships_max);
        let orders = layout.brush::<Order>("orders", 64);
        let losses = layout.brush::<u32>("losses", level.ships_max);
        Parts { plan: layout.finish(), ships, tally, messages, orders, losses }
    }
}
