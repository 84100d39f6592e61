//! Connection quality records: what a channel measured, for choosing hosts and for people.

/// The quality of a connection so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quality {
    /// The smoothed round trip; zero before the first.
    pub round_trip_us: u64,
    /// The shortest round trip.
    pub round_trip_min_us: u64,
    /// The mean change of the one-way delay from packet to packet, outwards.
    pub jitter_out_us: u64,
    /// The same inwards.
    pub jitter_in_us: u64,
    /// How late the latest of the recent packets arrived here, compared with the fastest.
    pub spread_in_us: u64,
    /// The standing queue outwards.
    pub queue_us: u64,
    /// The rate that the path is believed to carry, in bytes per second. A lower bound unless the program sends more.
    pub rate: u64,
    /// Packets and bytes sent, without IP and UDP headers.
    pub sent: u64,
    /// Bytes of them.
    pub sent_bytes: u64,
    /// Packets that arrived there.
    pub delivered: u64,
    /// Packets that were lost.
    pub lost: u64,
    /// Packets that arrived here.
    pub received: u64,
    /// Bytes of them.
    pub received_bytes: u64,
    /// Datagrams that were refused: malformed, duplicate or forged.
    pub refused: u64,
    /// Messages of unreliable streams that were dropped unsent.
    pub dropped: u64,
    /// Recent loss in thousandths.
    pub loss_thousandths: u64,
}

impl Quality {
    /// How bad the connection is for lockstep, in microseconds: half a round trip, the jitter of both directions, and
    /// the time that loss costs. Hosts are chosen by its sum over all peers.
    pub fn cost_us(&self) -> u64 {
        let loss_us = self.loss_thousandths * self.round_trip_us / 250;
        self.round_trip_us / 2 + 2 * (self.jitter_in_us + self.jitter_out_us) + loss_us
    }
}
