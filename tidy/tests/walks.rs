//! The walks follow calls, and name existing functions.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::tree::{Text, Tree};
use tidy::walks::{check, check_page};

#[test]
fn the_walks_of_the_repository_are_valid() {
    expect_none(&check(&Tree::here()));
}

#[test]
fn no_walks_are_fine() {
    expect_none(&check(&Tree::of(&[("README.md", "1. not a walk")])));
}

fn check_walk(page: &str) -> Vec<Complaint> {
    let tree = Tree::of(&[
        ("externals/host/src/clock.rs", "pub struct Clock;\nimpl Clock {\n    pub fn now(&self) {}\n}"),
        ("externals/host/src/pool.rs", "pub fn run() {}\npub trait Outside {}"),
        ("astrarium/src/run.rs", "pub fn run() {} // fn walk()"),
        ("core/state/src/step.rs", "pub trait Workers {}\npub fn step() {}"),
        ("foundation/world/src/update.rs", "pub trait Above {}\npub fn update() {}"),
        ("tidy/src/tree.rs", "pub fn here() {}"),
    ]);
    check_page(&Text::new("docs/walks/key.md", page), &tree)
}

const RUN: &str = "1. `astrarium/src/run.rs` · `run`: a cycle begins\n";
const CLOCK: &str = "   1. `externals/host/src/clock.rs` · `Clock::now`: the time\n";
const STEP: &str = "   2. `core/state/src/step.rs` · `step`: all items\n      of the world\n";
const POOL: &str = "      1. `externals/host/src/pool.rs` · `run` ↑ `Workers`: on all threads\n";
const UPDATE: &str = "         1. `foundation/world/src/update.rs` · `update`: for each item\n";

#[test]
fn a_walk_follows_calls_down_and_traits_up() {
    expect_none(&check_walk(&[RUN, CLOCK, STEP, POOL, UPDATE].concat()));
    expect_none(&check_walk(&["# A key\n\nwords\n\n## Here\n", RUN, STEP, "## There\n", RUN, CLOCK].concat()));
}

#[test]
fn a_call_that_goes_up_names_a_trait_of_a_lower_layer() {
    let step = |step: &str| check_walk(&[RUN, STEP, step].concat());
    let unnamed = "docs/walks/key.md:4: externals/host/src/pool.rs: calls go down";
    expect_one(&step("      1. `externals/host/src/pool.rs` · `run`: x\n"), unnamed);
    expect_one(&step("      1. `externals/host/src/pool.rs` · `run` ↑ `Outside`: x\n"), "declares the trait Outside");
    expect_one(&step("      1. `externals/host/src/pool.rs` · `run` ↑ `Nothing`: x\n"), "declares the trait Nothing");
    expect_one(
        &step("      1. `foundation/world/src/update.rs` · `update` ↑ `Above`: x\n"),
        "declares the trait Above",
    );
}

#[test]
fn a_section_has_one_first_step_in_externals() {
    expect_one(&check_walk("1. `core/state/src/step.rs` · `step`: x\n"), "a section begins in externals");
    expect_one(&check_walk(&[RUN, RUN].concat()), "a section has one first step");
    expect_one(&check_walk(&[RUN, POOL].concat()), "a section has one first step");
}

#[test]
fn a_step_names_an_existing_function() {
    let step = |step: &str| check_walk(&[RUN, step].concat());
    expect_one(&step("   1. `core/state/src/gone.rs` · `step`: x\n"), "there is no file core/state/src/gone.rs");
    expect_one(&step("   1. `core/state/src/step.rs` · `open`: x\n"), "has no function open");
    expect_one(&step("   1. `core/state/src/step.rs` · `Batch::step`: x\n"), "has no function Batch::step");
    expect_one(&step("   1. `astrarium/src/run.rs` · `walk`: x\n"), "has no function walk");
    expect_one(&step("   1. `tidy/src/tree.rs` · `here`: x\n"), "a step is in core, foundation");
}

#[test]
fn a_step_has_one_form() {
    for line in [
        "   1. core/state/src/step.rs step",
        "   1. `core/state/src/step.rs`: x",
        "   1. `core/state/src/step.rs` · `step`",
        "  1. `core/state/src/step.rs` · `step`: x",
    ] {
        expect_one(&check_walk(&[RUN, line, "\n"].concat()), "docs/walks/key.md:2: a step is:");
    }
    expect_one(&check_walk("# A walk\n"), "a walk without steps");
}
