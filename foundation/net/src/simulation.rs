//! A network in one process, from a seed: loss, bursts, delay, jitter, reordering, duplication, bottlenecks with queues,
//! cuts, and machines that stall or die.
//!
//! Every machine has a connection of its own: what it sends goes up through it, over the core, and down through the
//! connection of the receiver. So the machine's bottleneck is shared by all its peers, and routes are asymmetric.
//!
//! Laws
//! 1. The same seed and the same calls give the same arrivals, at the same microseconds.
//! 2. Time never goes back: a call with an earlier time counts as the time of the latest.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;

mod link;
pub mod profile;

pub use profile::{LinkProfile, Profile};

use link::Link;

/// A simulated network.
#[derive(Clone, Debug)]
pub struct Network {
    now_us: u64,
    machines: Vec<Machine>,
    /// Packets under way, by time, then by the order in which they were scheduled.
    moving: BinaryHeap<Reverse<Moving>>,
    scheduled: u64,
}

#[derive(Clone, Debug)]
struct Machine {
    up: Link,
    down: Link,
    stalled_until_us: u64,
    is_dead: bool,
    extra_us: Vec<(usize, u64)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moving {
    at_us: u64,
    order: u64,
    is_down: bool,
    from: usize,
    to: usize,
    bytes: Vec<u8>,
}

/// A datagram that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub at_us: u64,
    /// From which machine.
    pub from: usize,
    /// At which machine.
    pub to: usize,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Network {
    /// A network of machines with these connections.
    pub fn new(seed: u64, profiles: &[Profile]) -> Network {
        let machine = |(number, profile): (usize, &Profile)| Machine {
            up: Link::new(profile.up, seed, 2 * number as u64),
            down: Link::new(profile.down, seed, 2 * number as u64 + 1),
            stalled_until_us: 0,
            is_dead: false,
            extra_us: Vec::new(),
        };
        let machines = profiles.iter().enumerate().map(machine).collect();
        Network { now_us: 0, machines, moving: BinaryHeap::new(), scheduled: 0 }
    }

    /// Sends a datagram.
    pub fn send(&mut self, now_us: u64, from: usize, to: usize, bytes: &[u8]) {
        self.now_us = self.now_us.max(now_us);
        if self.machines[from].is_dead {
            return;
        }
        let extra_us = self.machines[from].extra_us.iter().find(|(other, _)| *other == to).map_or(0, |(_, us)| *us);
        for at_us in self.machines[from].up.enter(self.now_us, bytes.len()).into_iter().flatten() {
            self.schedule(Moving {
                at_us: at_us + extra_us,
                order: 0,
                is_down: false,
                from,
                to,
                bytes: bytes.to_vec(),
            });
        }
    }

    /// The next datagram that arrives until `now_us`.
    pub fn poll_arrival(&mut self, now_us: u64) -> Option<Arrival> {
        self.now_us = self.now_us.max(now_us);
        while self.moving.peek().is_some_and(|Reverse(moving)| moving.at_us <= self.now_us) {
            let Reverse(moving) = self.moving.pop()?;
            let machine = &mut self.machines[moving.to];
            if machine.is_dead {
                continue;
            }
            if !moving.is_down {
                for at_us in machine.down.enter(moving.at_us, moving.bytes.len()).into_iter().flatten() {
                    self.schedule(Moving { at_us, is_down: true, ..moving.clone() });
                }
                continue;
            }
            if machine.stalled_until_us > moving.at_us {
                // Its operating system keeps what arrives.
                let at_us = machine.stalled_until_us;
                self.schedule(Moving { at_us, ..moving });
                continue;
            }
            let Moving { at_us, from, to, bytes, .. } = moving;
            return Some(Arrival { at_us, from, to, bytes });
        }
        None
    }

    /// When the next datagram moves.
    pub fn wake_us(&self) -> Option<u64> {
        self.moving.peek().map(|Reverse(moving)| moving.at_us)
    }

    /// Changes the connection of a machine.
    pub fn set_profile(&mut self, machine: usize, profile: Profile) {
        self.machines[machine].up.set_profile(profile.up);
        self.machines[machine].down.set_profile(profile.down);
    }

    /// Lets what one machine sends to another take longer.
    pub fn set_detour(&mut self, from: usize, to: usize, extra_us: u64) {
        self.machines[from].extra_us.retain(|(other, _)| *other != to);
        self.machines[from].extra_us.push((to, extra_us));
    }

    /// Cuts a machine off until a time.
    pub fn cut(&mut self, machine: usize, until_us: u64) {
        self.machines[machine].up.cut(until_us);
        self.machines[machine].down.cut(until_us);
    }

    /// Lets a machine receive nothing until a time; then it receives everything at once. The program must not call for
    /// it in the meantime: see [`Network::is_stalled`].
    pub fn stall(&mut self, machine: usize, until_us: u64) {
        let own = &mut self.machines[machine];
        own.stalled_until_us = own.stalled_until_us.max(until_us);
    }

    /// Whether a machine stalls at a time.
    pub fn is_stalled(&self, machine: usize, now_us: u64) -> bool {
        self.machines[machine].stalled_until_us > now_us
    }

    /// Lets a machine vanish.
    pub fn kill(&mut self, machine: usize) {
        self.machines[machine].is_dead = true;
    }

    /// Whether a machine has vanished.
    pub fn is_dead(&self, machine: usize) -> bool {
        self.machines[machine].is_dead
    }

    /// The longest time that a packet needed to pass the machine's bottleneck upwards since the last call.
    pub fn take_queue_us_max(&mut self, machine: usize) -> u64 {
        self.machines[machine].up.take_queue_us_max()
    }

    /// The packets that the machine's connection lost.
    pub fn dropped(&self, machine: usize) -> u64 {
        self.machines[machine].up.dropped + self.machines[machine].down.dropped
    }

    fn schedule(&mut self, moving: Moving) {
        self.scheduled += 1;
        self.moving.push(Reverse(Moving { order: self.scheduled, ..moving }));
    }
}
