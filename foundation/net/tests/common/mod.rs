//! Two channels over a simulated network.

use net::simulation::Network;
use net::{Channel, ChannelEvent, Delivery, Profile, StreamSettings};

/// Urgent play, reliable control, reliable bulk.
pub const STREAMS: [StreamSettings; 4] = [
    StreamSettings { delivery: Delivery::Unreliable, share: 8, is_urgent: true },
    StreamSettings { delivery: Delivery::Reliable, share: 4, is_urgent: false },
    StreamSettings { delivery: Delivery::Reliable, share: 1, is_urgent: false },
    StreamSettings { delivery: Delivery::Unreliable, share: 1, is_urgent: false },
];

/// Two machines and what arrived at each.
pub struct Pair {
    pub now_us: u64,
    pub network: Network,
    pub ends: [Channel; 2],
    pub events: [Vec<ChannelEvent>; 2],
}

impl Pair {
    pub fn new(seed: u64, profiles: [Profile; 2]) -> Pair {
        let end = || Channel::new(&STREAMS, 0);
        let network = Network::new(seed, &profiles);
        Pair { now_us: 0, network, ends: [end(), end()], events: [Vec::new(), Vec::new()] }
    }

    /// Runs until a time in steps of a millisecond.
    pub fn run_until(&mut self, until_us: u64) {
        let mut bytes = Vec::new();
        while self.now_us < until_us {
            self.now_us += 1_000;
            while let Some(arrival) = self.network.poll_arrival(self.now_us) {
                let end = &mut self.ends[arrival.to];
                match end.handle_datagram(self.now_us, &arrival.bytes) {
                    Ok(()) | Err(net::channel::PacketError::Twice) => {}
                    Err(error) => panic!("an honest datagram was refused: {error}"),
                }
            }
            for (machine, end) in self.ends.iter_mut().enumerate() {
                while end.poll_datagram(self.now_us, &mut bytes).is_some() {
                    self.network.send(self.now_us, machine, 1 - machine, &bytes);
                }
                while let Some(event) = end.poll_event() {
                    self.events[machine].push(event);
                }
            }
        }
    }

    /// The messages of a stream that arrived at a machine.
    pub fn messages(&self, machine: usize, of: u8) -> Vec<&[u8]> {
        let of_stream = |event: &'_ ChannelEvent| match event {
            ChannelEvent::Message { stream, .. } => *stream == of,
            _ => false,
        };
        let events = self.events[machine].iter().filter(|event| of_stream(event));
        events
            .filter_map(|event| match event {
                ChannelEvent::Message { bytes, .. } => Some(&bytes[..]),
                _ => None,
            })
            .collect()
    }
}
