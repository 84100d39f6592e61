//! Worlds drawn from seeds, whatever comes: nothing panics, nothing stops being a number, nobody gets out, and all crews and
//! all saves give the same.
//!
//! A few of them in every test; all ten thousand where `ASTRARIUM_PROOF` is `all`, a quarter of them, another with every state of the
//! tree, where it is anything else; one alone, with what became of it, where
//! `ASTRARIUM_SEED` is its number, and step by step if `ASTRARIUM_SHOW` is set.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::worlds::Drawn;
use host::crew::Crew;
use physics::{Body, Contact, Touch, flag};
use state::share::each_chunk;
use state::{Alone, Heap, Workers};

/// How many there are in all.
const WORLDS: u64 = 10_000;
/// How many are looked at in every test: those with the lowest numbers, and some of which nobody knows.
const KNOWN: u64 = 20;
const UNKNOWN: u64 = 8;
/// One of so many is played again by crews, among them all crowds.
const SHARED: u64 = 32;
/// How many look at worlds at the same time.
const THREADS: u32 = 2;
/// How much energy a world may gain, as a part of what it has: what pushes bodies apart that are in one another a little, and rounding.
const GAIN: f64 = 0.02;
/// The same where there are joints that hold. All of the ten thousand but four keep to the other; those four, with very unequal bodies
/// that touch others, gain up to 3.4 times what they had.
const JOINED_GAIN: f64 = 4.0;

#[test]
fn worlds_from_seeds_keep_the_laws() {
    let number = |name: &str| told(name).and_then(|text| text.parse::<u64>().ok());
    // Others with every state of the tree, as all tests on random values.
    let tree = number("PROPTEST_RNG_SEED").unwrap_or(0);
    let seeds: Vec<u64> = match (number("ASTRARIUM_SEED"), told("ASTRARIUM_PROOF")) {
        (Some(seed), _) => vec![seed],
        (None, Some(how)) if how == "all" => (0..WORLDS).collect(),
        (None, Some(_)) => (0..WORLDS).filter(|seed| seed % 4 == tree % 4).collect(),
        (None, None) => {
            let from = tree % (1 << 40);
            (0..KNOWN).chain([SHARED - 1]).chain((0..UNKNOWN).map(|index| (1 << 20) + from * UNKNOWN + index)).collect()
        }
    };
    let mut found: Vec<Result<(), String>> = vec![Ok(()); seeds.len()];
    each_chunk(&Crew::new(THREADS), &mut found, 1, |first, found| {
        for (found, seed) in found.iter_mut().zip(&seeds[first..]) {
            *found = watch_safely(*seed);
            if let Err(why) = found {
                println!("world {seed}: {why}");
            }
        }
    });
    let failed: Vec<u64> =
        seeds.iter().zip(&found).filter(|(_, found)| found.is_err()).map(|(seed, _)| *seed).collect();
    assert!(failed.is_empty(), "{} of {} worlds: ASTRARIUM_SEED={:?}", failed.len(), seeds.len(), failed);
}

/// A panic is one way to fail among others.
fn watch_safely(seed: u64) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| watch(seed))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or(panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(format!("panicked: {}", text.unwrap_or_default()))
    })
}

#[expect(clippy::disallowed_methods, reason = "which worlds are looked at is no part of a world")]
fn told(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Looks at one world from its beginning to its end.
fn watch(seed: u64) -> Result<(), String> {
    let mut drawn = Drawn::new(seed);
    let mut twin: Option<Drawn> = None;
    let before = drawn.energy();
    for step in 0..drawn.steps {
        drawn.meddle(step);
        if let Some(twin) = &mut twin {
            twin.meddle(step);
        }
        if seed % 4 == 1 && step == drawn.steps / 3 {
            twin = Some(twin_of(&mut drawn));
        }
        drawn.scene.step();
        if told("ASTRARIUM_SHOW").is_some() {
            show(&drawn, step);
        }
        check_numbers(&drawn).map_err(|why| format!("step {step}: {why}"))?;
        check_order(&drawn).map_err(|why| format!("step {step}: {why}"))?;
        check_escapes(&drawn).map_err(|why| format!("step {step}: {why}"))?;
        if drawn.is_closed && !drawn.is_odd {
            check_energy(&drawn, before).map_err(|why| format!("step {step}: {why}"))?;
        }
        if let Some(twin) = &mut twin {
            twin.scene.step();
            if twin.scene.world.hash() != drawn.scene.world.hash() {
                return Err(format!("step {step}: what was restored goes another way"));
            }
        }
    }
    let hash = drawn.scene.world.hash();
    if seed % SHARED == SHARED - 1 {
        for workers in [2, 4] {
            let other = play(seed, &Crew::new(workers).with_shuffle(u64::from(workers)));
            if other != hash {
                return Err(format!("{workers} workers give {other:x} instead of {hash:x}"));
            }
        }
    }
    Ok(())
}

fn play(seed: u64, workers: &dyn Workers) -> u64 {
    let mut drawn = Drawn::new(seed);
    for step in 0..drawn.steps {
        drawn.meddle(step);
        drawn.scene.step_with(workers);
    }
    drawn.scene.world.hash()
}

/// A world that has seen nothing, with the block of this one.
fn twin_of(drawn: &mut Drawn) -> Drawn {
    let copy = drawn.scene.world.snapshot(&Heap);
    let mut twin = Drawn::new(drawn.seed);
    twin.scene.step_with(&Alone);
    twin.scene.world.restore(&copy);
    (twin.bodies, twin.joints) = (drawn.bodies.clone(), drawn.joints.clone());
    twin.guarded = drawn.guarded.clone();
    twin
}

fn check_numbers(drawn: &Drawn) -> Result<(), String> {
    let (parts, world) = (&drawn.scene.physics.parts, &drawn.scene.world);
    for (handle, body) in parts.bodies.iterate(world) {
        let is_finite = body.is_sound() && body.last_position.is_finite() && body.last_orientation.is_finite();
        let is_turned = (body.orientation.dot(body.orientation) - 1.0).abs() < 0.01;
        // With odd settings, and where motors and springs tear at bodies of 10^12 times the mass, numbers may run away: that is what
        // quarantine is for.
        let may_run_away = drawn.is_odd || drawn.is_powered;
        if !is_finite || !is_turned || (body.is(flag::QUARANTINED) && !may_run_away) {
            return Err(format!("{handle:?} {body:?}"));
        }
    }
    let contact = |contact: &Contact| {
        let numbers = [contact.normal, contact.friction, contact.rolling];
        numbers.iter().all(|vector| vector.is_finite())
            && contact.impulses.iter().chain([&contact.twist]).all(|number| number.is_finite())
    };
    if let Some(bad) = parts.contacts.get(world).iter().find(|found| !contact(found)) {
        return Err(format!("{bad:?}"));
    }
    let touch = |touch: &Touch| {
        touch.point.is_finite() && touch.normal.is_finite() && touch.speed.is_finite() && touch.impulse.is_finite()
    };
    if let Some(bad) = parts.touches.get(world).iter().find(|found| !touch(found)) {
        return Err(format!("{bad:?}"));
    }
    match parts.joints.iterate(world).find(|(_, joint)| !joint.is_sound()) {
        Some((_, bad)) => Err(format!("{bad:?}")),
        None => Ok(()),
    }
}

fn check_order(drawn: &Drawn) -> Result<(), String> {
    let contacts = drawn.scene.physics.parts.contacts.get(&drawn.scene.world);
    match contacts.windows(2).find(|pair| pair[0].key() >= pair[1].key()) {
        Some(pair) => Err(format!("{:?} before {:?}", pair[0].key(), pair[1].key())),
        None => Ok(()),
    }
}

fn check_escapes(drawn: &Drawn) -> Result<(), String> {
    if drawn.is_odd {
        return Ok(());
    }
    match drawn.guarded.iter().map(|handle| drawn.scene.body(*handle)).find(|body| drawn.is_out(body)) {
        Some(body) => Err(format!("out of {:?}: {body:?}", drawn.room)),
        None => Ok(()),
    }
}

/// All that comes in is what pushes bodies apart that are in one another a little. Blows give nothing.
fn check_energy(drawn: &Drawn, before: f64) -> Result<(), String> {
    let (now, most) = (drawn.energy(), if drawn.joints.is_empty() { GAIN } else { JOINED_GAIN });
    if now > before + before.abs() * most + 1e-3 {
        return Err(format!("{now} J instead of {before} J"));
    }
    Ok(())
}

/// For whoever looks at one world alone.
fn show(drawn: &Drawn, step: u32) {
    println!("{step}: {} J", drawn.energy());
    for handle in &drawn.bodies {
        let body = drawn.scene.body(*handle);
        let Body { position, velocity, spin, .. } = body;
        println!("  {}: {} J at {position:?} goes {velocity:?} turns {spin:?}", handle.slot(), drawn.energy_of(body));
    }
    for (_, joint) in drawn.scene.physics.parts.joints.iterate(&drawn.scene.world) {
        println!("  {joint:?}");
    }
    for touch in drawn.scene.physics.parts.touches.get(&drawn.scene.world) {
        println!("  {touch:?}");
    }
    for contact in drawn.scene.physics.parts.contacts.get(&drawn.scene.world) {
        println!("  {contact:?}");
    }
}
