//! The traffic of a lockstep session of eight players, beside the table of Telesto's thesis.
//!
//! `cargo run --release -p astrarium-net --example traffic`

use net::Rehearsal;
use net::rehearsal::Traffic;
use net::simulation::profile;

const SECONDS: u64 = 60;
const WARM_UP_SECONDS: u64 = 10;

/// What encryption and authentication add to a datagram: `host::gate::OVERHEAD_BYTES`.
const SEAL_BYTES: u64 = 25;

/// Actions per minute, upload and download per client in the thesis, in its "kb/s".
const THESIS: [(u32, f64, f64); 4] = [(0, 1.10, 1.12), (100, 1.42, 1.76), (250, 1.98, 2.04), (500, 3.22, 3.38)];

fn main() {
    println!("8 machines on a local network, safe cycles of 50 ms, {SECONDS} s from a seed.");
    println!("An action is one event: a unit (4 bytes) and a place (two floats). Bytes per second per machine;");
    println!(
        "headers are 28 bytes of IP version 4 and UDP per datagram; sealing, which a session of machines adds, is {SEAL_BYTES}.\n"
    );
    println!(
        "  APM | who     | upload payload | with headers | and sealed | download payload | with headers | and sealed | packets up/s"
    );
    for (actions, upload, download) in THESIS {
        let (before, after) = measure(actions);
        let span = |place: usize, pick: fn(&(Traffic, Traffic)) -> u64| {
            (pick(&after[place]) - pick(&before[place])) as f64 / SECONDS as f64
        };
        let row = |who: &str, places: &[usize]| {
            let mean = |pick: fn(&(Traffic, Traffic)) -> u64| {
                places.iter().map(|place| span(*place, pick)).sum::<f64>() / places.len() as f64
            };
            println!(
                "{actions:5} | {who:7} | {:14.0} | {:12.0} | {:10.0} | {:16.0} | {:12.0} | {:10.0} | {:.1}",
                mean(|(sent, _)| sent.bytes),
                mean(|(sent, _)| sent.bytes_with_headers()),
                mean(|(sent, _)| sealed(sent)),
                mean(|(_, received)| received.bytes),
                mean(|(_, received)| received.bytes_with_headers()),
                mean(|(_, received)| sealed(received)),
                mean(|(sent, _)| sent.packets),
            );
        };
        row("guest", &[1, 2, 3, 4, 5, 6, 7]);
        row("host", &[0]);
        row("average", &[0, 1, 2, 3, 4, 5, 6, 7]);
        let (upload, download) = (upload * 1000.0, download * 1000.0);
        println!(
            "      | thesis  | {upload:.0} up, {download:.0} down read as bytes; {:.0} up, {:.0} down read as bits",
            upload / 8.0,
            download / 8.0
        );
    }
}

/// The bytes on the wire when every datagram is sealed.
fn sealed(traffic: &Traffic) -> u64 {
    traffic.bytes_with_headers() + SEAL_BYTES * traffic.packets
}

/// What each machine sent and received.
type Counts = Vec<(Traffic, Traffic)>;

/// The counts before and after the measured time.
fn measure(actions: u32) -> (Counts, Counts) {
    let mut session = Rehearsal::new(1, &[profile::LAN; 8], 1_000);
    session.actions_per_minute = actions;
    let count = |session: &Rehearsal| session.machines.iter().map(|machine| (machine.sent, machine.received)).collect();
    session.run_until(WARM_UP_SECONDS * 1_000_000);
    let before = count(&session);
    session.run_until((WARM_UP_SECONDS + SECONDS) * 1_000_000);
    session.check().expect("all machines agree");
    (before, count(&session))
}
