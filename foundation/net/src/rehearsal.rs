//! A whole lockstep session in one process: machines, channels and a simulated network, from a seed, faster than real time.
//!
//! Each machine has a world that is only a chain of hashes over its records, and a player who acts at random.

use alloc::vec::Vec;

mod faults;

pub use faults::{SeedFault, SeedOutcome, faulty, try_seed};

use base::bytes::ByteWriter;
use base::hash::{Hasher, mix};
use base::{Pcg, Random, StringId};
use relay::Event;

use crate::channel::{Channel, ChannelEvent, Delivery, StreamSettings};
use crate::limits::HEADER_BYTES;
use crate::lockstep::{LockstepReport, LockstepSettings, Peer, Record};
use crate::simulation::{Network, Profile};

/// The event that players send: a unit is ordered to a place.
pub const ORDER: StringId = StringId::new("order");

/// The length of a safe cycle.
const CYCLE_US: u64 = 50_000;

/// Play is urgent; the second stream is for joining and films.
pub const STREAMS: [StreamSettings; 2] = [
    StreamSettings { delivery: Delivery::Unreliable, share: 8, is_urgent: true },
    StreamSettings { delivery: Delivery::Reliable, share: 1, is_urgent: false },
];

/// A session in one process. Player n is machine n.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// The time.
    pub now_us: u64,
    /// The network, for cuts, stalls and deaths.
    pub network: Network,
    /// The machines.
    pub machines: Vec<Participant>,
    /// The actions of each player per minute.
    pub actions_per_minute: u32,
    step_us: u64,
    random: Pcg,
}

/// A machine of a rehearsal.
#[derive(Clone, Debug)]
pub struct Participant {
    /// Its part in the session.
    pub peer: Peer,
    /// Everything it reported, with the time.
    pub reports: Vec<(u64, LockstepReport)>,
    /// The chain after each applied cycle, and when it was applied.
    pub chains: Vec<(u64, u64)>,
    /// What it sent.
    pub sent: Traffic,
    /// What arrived.
    pub received: Traffic,
    /// How long its own actions took until they were applied here, and their number.
    pub delays_us: (u64, u64),
    /// The longest of them.
    pub delay_us_max: u64,
    /// The cycles that its processor can apply per second; zero is as many as are due.
    pub cycles_per_second_max: u64,
    channels: Vec<Channel>,
    acted_us: Vec<u64>,
    busy_until_us: u64,
}

/// Datagrams and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Datagrams.
    pub packets: u64,
    /// Their bytes, without IP and UDP headers.
    pub bytes: u64,
}

impl Traffic {
    /// Their bytes with headers of IP version 4 and UDP.
    pub fn bytes_with_headers(&self) -> u64 {
        self.bytes + self.packets * HEADER_BYTES as u64
    }

    fn count(&mut self, bytes: usize) {
        self.packets += 1;
        self.bytes += bytes as u64;
    }
}

/// Two machines of one term whose chains differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The machines.
    pub machines: (usize, usize),
    /// A cycle that both applied and at which they differ.
    pub cycle: u64,
}

impl Rehearsal {
    /// A session of machines with these connections; machine 0 is the host. Time moves in steps of `step_us`.
    pub fn new(seed: u64, profiles: &[Profile], step_us: u64) -> Rehearsal {
        let players: Vec<u8> = (0..profiles.len() as u8).collect();
        let settings =
            LockstepSettings { players: players.clone(), host: 0, kinds: [ORDER].to_vec(), cycle_us: CYCLE_US };
        let machine = |player: &u8| Participant {
            peer: Peer::new(*player, &settings, 0),
            reports: Vec::new(),
            chains: Vec::new(),
            sent: Traffic::default(),
            received: Traffic::default(),
            delays_us: (0, 0),
            delay_us_max: 0,
            cycles_per_second_max: 0,
            channels: players.iter().map(|_| Channel::new(&STREAMS, 0)).collect(),
            acted_us: Vec::new(),
            busy_until_us: 0,
        };
        let network = Network::new(seed, profiles);
        let machines = players.iter().map(machine).collect();
        Rehearsal { now_us: 0, network, machines, actions_per_minute: 0, step_us, random: Pcg::new(seed, 1 << 40) }
    }

    /// Runs until a time.
    pub fn run_until(&mut self, until_us: u64) {
        while self.now_us < until_us {
            self.now_us += self.step_us;
            while let Some(arrival) = self.network.poll_arrival(self.now_us) {
                let machine = &mut self.machines[arrival.to];
                machine.received.count(arrival.bytes.len());
                // Refused datagrams are duplicates; their channel counts them.
                let _ = machine.channels[arrival.from].handle_datagram(self.now_us, &arrival.bytes);
            }
            for place in 0..self.machines.len() {
                // One draw per machine and step, whatever happens.
                let draw = u64::from(self.random.next_u32());
                let (x, y) = (self.random.next_u32(), self.random.next_u32());
                if self.network.is_dead(place) || self.network.is_stalled(place, self.now_us) {
                    continue;
                }
                let acts = draw * 60_000_000 / u64::from(self.actions_per_minute).max(1) < self.step_us << 32;
                if acts && self.actions_per_minute > 0 {
                    let order = Event::new(ORDER, &[x, (y as f32).to_bits(), (x as f32).to_bits()]);
                    self.machines[place].act(self.now_us, order);
                }
                self.machines[place].step(self.now_us, place, &mut self.network);
            }
        }
    }

    /// Lets a machine whose player has left join again, with the world of the host and new channels. False if it cannot.
    pub fn join(&mut self, place: usize) -> bool {
        let Some(host) = self.living().into_iter().find(|place| self.machines[*place].peer.is_host()) else {
            return false;
        };
        let now_us = self.now_us;
        let (first, chains) = (self.machines[host].peer.next(), self.machines[host].chains.clone());
        if host == place || !self.machines[host].peer.admit(place as u8, first) {
            return false;
        }
        let point = self.machines[host].peer.join_point(first, chains.last().map_or(0, |(chain, _)| *chain));
        for (other, machine) in self.machines.iter_mut().enumerate() {
            let ends = if other == place { 0..machine.channels.len() } else { place..place + 1 };
            machine.channels[ends].iter_mut().for_each(|channel| *channel = Channel::new(&STREAMS, now_us));
        }
        let machine = &mut self.machines[place];
        machine.peer = Peer::join(place as u8, &[ORDER], CYCLE_US, &point, now_us);
        machine.chains = chains;
        machine.acted_us.clear();
        true
    }

    /// The machines that are neither dead nor out of the session.
    pub fn living(&self) -> Vec<usize> {
        let is_living = |place: &usize| !self.network.is_dead(*place) && self.machines[*place].peer.ending().is_none();
        (0..self.machines.len()).filter(is_living).collect()
    }

    /// Whether all machines of the same term, dead and ended ones included, agree on all cycles that they share.
    pub fn check(&self) -> Result<(), Disagreement> {
        for (place, one) in self.machines.iter().enumerate() {
            for (other_place, other) in self.machines.iter().enumerate().skip(place + 1) {
                let shared = one.chains.len().min(other.chains.len());
                let differ = shared > 0 && one.chains[shared - 1].0 != other.chains[shared - 1].0;
                if differ && one.peer.term() == other.peer.term() {
                    return Err(Disagreement { machines: (place, other_place), cycle: shared as u64 - 1 });
                }
            }
        }
        Ok(())
    }
}

impl Participant {
    fn act(&mut self, now_us: u64, order: Event) {
        if self.peer.add_event(order) {
            self.acted_us.push(now_us);
        }
    }

    fn step(&mut self, now_us: u64, own: usize, network: &mut Network) {
        for (from, channel) in self.channels.iter_mut().enumerate() {
            while let Some(event) = channel.poll_event() {
                if let ChannelEvent::Message { stream: 0, bytes } = event {
                    // A message that cannot be read changes nothing.
                    let _ = self.peer.handle_message(now_us, from as u8, &bytes);
                }
            }
        }
        while let Some((to, bytes)) = self.peer.poll_message(now_us) {
            // The longest message fits; a full queue drops its oldest.
            let _ = self.channels[usize::from(to)].send(0, &bytes);
        }
        while self.busy_until_us <= now_us {
            let Some((_, record)) = self.peer.poll_cycle() else { break };
            self.apply(now_us, &record);
        }
        while let Some(report) = self.peer.poll_report() {
            self.reports.push((now_us, report));
        }
        let mut bytes = Vec::new();
        for (to, channel) in self.channels.iter_mut().enumerate() {
            while channel.poll_datagram(now_us, &mut bytes).is_some() {
                self.sent.count(bytes.len());
                network.send(now_us, own, to, &bytes);
            }
        }
    }

    fn apply(&mut self, now_us: u64, record: &Record) {
        if let Some(busy_us) = 1_000_000_u64.checked_div(self.cycles_per_second_max) {
            self.busy_until_us = now_us + busy_us;
        }
        let hash = hash_record(record);
        let before = self.chains.last().map_or(0, |(chain, _)| *chain);
        self.chains.push((mix(before, hash), now_us));
        self.peer.handle_hash(hash);
        let own = record.batches.iter().find(|batch| batch.player == self.peer.player());
        let count = own.map_or(0, |batch| batch.events.len()).min(self.acted_us.len());
        for acted_us in self.acted_us.drain(..count) {
            self.delays_us.0 += now_us - acted_us;
            self.delays_us.1 += 1;
            self.delay_us_max = self.delay_us_max.max(now_us - acted_us);
        }
    }
}

/// A hash of everything that a record says.
fn hash_record(record: &Record) -> u64 {
    let mut hasher = Hasher::new();
    for batch in &record.batches {
        hasher.write_u8(batch.player);
        hasher.write_u64(batch.number);
        for event in &batch.events {
            hasher.write_u64(event.kind.number());
            event.words.iter().for_each(|word| hasher.write_u32(*word));
        }
    }
    record.left.iter().for_each(|player| hasher.write_u8(100 + player));
    record.uses.iter().for_each(|used| hasher.write_u8(200 + used.right as u8));
    hasher.finish()
}
