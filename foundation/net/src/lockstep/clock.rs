//! Local time of a session: which cycle is due here, how fast time runs, and how far ahead inputs are aimed.

/// The position in the session's time, in microseconds of it.
#[derive(Clone, Debug)]
pub(super) struct SessionClock {
    position_us: u64,
    at_us: u64,
    speed: u64,
    /// The last moments: how far the known cycles reached beyond real time just before new ones arrived.
    reaches: [i64; REACHES],
    count: usize,
    /// The time that the session stood still because cycles were missing.
    pub stalled_us: u64,
}

const REACHES: usize = 48;
/// A reserve for what has not been measured.
const MARGIN_US: i64 = 8_000;

impl SessionClock {
    pub fn new(now_us: u64) -> SessionClock {
        SessionClock { position_us: 0, at_us: now_us, speed: 1000, reaches: [0; REACHES], count: 0, stalled_us: 0 }
    }

    pub fn position_us(&self) -> u64 {
        self.position_us
    }

    /// Goes to a position at once.
    pub fn jump(&mut self, position_us: u64) {
        self.position_us = position_us;
    }

    /// The speed in thousandths.
    pub fn speed(&self) -> u64 {
        self.speed
    }

    /// Sets the speed, for a host.
    pub fn set_speed(&mut self, speed: u64) {
        self.speed = speed;
    }

    /// Moves on, not beyond `limit_us`.
    pub fn advance(&mut self, now_us: u64, limit_us: u64) {
        let elapsed_us = now_us.saturating_sub(self.at_us);
        self.at_us = self.at_us.max(now_us);
        let wanted_us = self.position_us + elapsed_us * self.speed / 1000;
        let reached_us = wanted_us.min(limit_us.max(self.position_us));
        self.stalled_us += wanted_us - reached_us;
        self.position_us = reached_us;
    }

    /// Time passes, and the session stands still because it is paused.
    pub fn stand(&mut self, now_us: u64) {
        self.at_us = self.at_us.max(now_us);
    }

    /// New cycles arrived; the known ones reached until `reach_us`.
    pub fn sample(&mut self, now_us: u64, reach_us: u64) {
        self.reaches[self.count % REACHES] = reach_us.cast_signed() - now_us.cast_signed();
        self.count += 1;
    }

    /// Forgets the measurements: another host has other delays.
    pub fn forget(&mut self) {
        self.count = 0;
    }

    /// Follows the host: slightly faster or slower, so that the latest of the recent arrivals would have been in time.
    pub fn follow(&mut self, now_us: u64) {
        let known = &self.reaches[..self.count.min(REACHES)];
        let Some(least) = known.iter().min() else { return };
        let error_us = now_us.cast_signed() + least - MARGIN_US - self.position_us.cast_signed();
        self.speed = match error_us {
            CATCH_UP_US.. => 2000,
            _ => (1000 + (error_us / 1000 * 2).clamp(-100, 100)).cast_unsigned(),
        };
    }
}

/// Farther behind than this, time runs twice as fast.
const CATCH_UP_US: i64 = 400_000;

/// How far ahead of the local position inputs are aimed, so that they reach the host in time.
#[derive(Clone, Debug)]
pub(super) struct InputWindow {
    /// The lead of each recent report, by its mark.
    leads_us: [i64; 256],
    /// What would have been enough, for the last answers.
    needed_us: [i64; ANSWERS],
    count: usize,
    last_mark: Option<u8>,
}

const ANSWERS: usize = 32;
const LEAD_US_MAX: i64 = 2_500_000;

impl InputWindow {
    pub fn new() -> InputWindow {
        InputWindow { leads_us: [0; 256], needed_us: [0; ANSWERS], count: 0, last_mark: None }
    }

    /// The lead: the largest that was needed recently, and a little more.
    pub fn lead_us(&self) -> u64 {
        let known = &self.needed_us[..self.count.min(ANSWERS)];
        let most = known.iter().max().map_or(100_000, |most| most + 5_000);
        most.clamp(0, LEAD_US_MAX).cast_unsigned()
    }

    /// A report was sent with this lead.
    pub fn sent(&mut self, mark: u8, lead_us: i64) {
        self.leads_us[usize::from(mark)] = lead_us;
    }

    /// The host says how early the report with this mark was.
    pub fn handle_slack(&mut self, mark: u8, slack_us: i64) {
        if self.last_mark == Some(mark) {
            return;
        }
        self.last_mark = Some(mark);
        let needed_us = self.leads_us[usize::from(mark)].saturating_sub(slack_us);
        self.needed_us[self.count % ANSWERS] = needed_us.clamp(0, LEAD_US_MAX);
        self.count += 1;
    }
}
