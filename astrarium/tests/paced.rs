//! However the frames come, what happens is the same.

use astrarium::Content;
use astrarium::base::{Pcg, Random};
use astrarium::paced;
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Heap, Settings};
use astrarium::tags::Library;

const CYCLES: u64 = 120;

fn session() -> Session {
    let start = Start { level: "tiny".into(), seed: 5, players: 2, settings: Settings::default() };
    Session::new((sandbox::ENTRY.make)(&sandbox::ENTRY, "tiny", &Library::new()), Content::none(), &start, &Heap)
}

/// Runs with a clock that goes on by `tick` each time it is read.
fn chain_with_clock(speed: u32, mut tick: impl FnMut() -> i64) -> u64 {
    let mut session = session();
    let mut time = 1_000_000_000_i64;
    let mut now = || {
        time += tick();
        time.unsigned_abs()
    };
    let mut step = |session: &mut Session| {
        session.step(&Alone);
        Ok(())
    };
    paced::run(&mut session, CYCLES, speed, &mut now, &mut step).expect("stepping does not fail");
    assert_eq!(session.world().cycle(), CYCLES);
    session.chain()
}

#[test]
fn any_frame_rate_any_speed_and_any_clock_give_the_same_world() {
    let mut plain = session();
    for _ in 0..CYCLES {
        plain.step(&Alone);
    }
    let expected = plain.chain();
    for frames_per_second in [24, 30, 60, 144, 5000] {
        let found = chain_with_clock(1000, || 1_000_000_000 / frames_per_second);
        assert_eq!(found, expected, "{frames_per_second} frames per second");
    }
    for speed in [100, 500, 3000, 100_000] {
        assert_eq!(chain_with_clock(speed, || 7_000_000), expected, "speed {speed}");
    }
    let mut random = Pcg::new(7, 7);
    let mut wild = || match random.below(20) {
        0 => 5_000_000_000,
        1 => -30_000_000,
        2..6 => 0,
        _ => i64::from(random.below(40_000_000)),
    };
    assert_eq!(chain_with_clock(1000, &mut wild), expected, "stalls, jumps and a clock that stands still");
}
