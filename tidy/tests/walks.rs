//! The walks lead through code that is there, sinking once and rising once.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::tree::{Text, Tree};
use tidy::walks::{check, check_page};

#[test]
fn the_walks_of_the_repository_can_be_walked() {
    expect_none(&check(&Tree::here()));
}

#[test]
fn no_walks_are_fine() {
    expect_none(&check(&Tree::of(&[("README.md", "1. not a walk")])));
}

fn check_walk(page: &str) -> Vec<Complaint> {
    let tree = Tree::of(&[
        ("externals/host/src/clock.rs", "pub struct Clock;\nimpl Clock {\n    pub fn now(&self) {}\n}"),
        ("externals/host/src/screen.rs", "pub fn show() {}"),
        ("astrarium/src/run.rs", "pub fn run() {} // fn walk()"),
        ("core/relay/src/seal.rs", "pub fn seal() {}"),
        ("core/state/src/step.rs", "pub fn step() {}"),
        ("foundation/net/src/channel.rs", "pub fn handle_packet() {}"),
        ("foundation/view/src/frame.rs", "pub fn frame() {}"),
        ("tidy/src/tree.rs", "pub fn here() {}"),
    ]);
    check_page(&Text::new("docs/walks/key.md", page), &tree)
}

const CLOCK: &str = "1. `externals/host/src/clock.rs` · `Clock::now`: a key is read\n";
const RUN: &str = "2. `astrarium/src/run.rs` · `run`: and handed on\n";
const CHANNEL: &str = "3. `foundation/net/src/channel.rs` · `handle_packet`: or comes from far\n";
const SEAL: &str = "4. `core/relay/src/seal.rs` · `seal`: is sealed\n";
const STEP: &str = "5. `core/state/src/step.rs` · `step`: moves a unit\n   over there\n";
const FRAME: &str = "6. `foundation/view/src/frame.rs` · `frame`: which is shown\n";
const SCREEN: &str = "7. `externals/host/src/screen.rs` · `show`: at last\n";

#[test]
fn a_good_walk_sinks_once_and_rises_once() {
    expect_none(&check_walk(&[CLOCK, RUN, SEAL, STEP, FRAME, SCREEN].concat()));
    expect_none(&check_walk(&[CLOCK, CHANNEL, SEAL, FRAME, SCREEN].concat()));
    expect_none(&check_walk(
        &["# A key\n\nwords\n\n## Here\n", CLOCK, SEAL, SCREEN, "## There\n", CLOCK, STEP, RUN].concat(),
    ));
}

#[test]
fn a_walk_that_goes_back_and_forth_is_refused() {
    expect_one(
        &check_walk(&[CLOCK, SEAL, FRAME, STEP, SCREEN].concat()),
        "docs/walks/key.md:4: core/state/src/step.rs: sinks again",
    );
    expect_one(&check_walk(&[CLOCK, SEAL, RUN, STEP, SCREEN].concat()), "sinks again");
    expect_one(&check_walk(&[CLOCK, CHANNEL, RUN, FRAME, SCREEN].concat()), "sinks again");
}

#[test]
fn a_section_begins_and_ends_in_externals() {
    expect_one(&check_walk(&[SEAL, STEP, FRAME, SCREEN].concat()), "core/relay/src/seal.rs: a section begins and ends");
    expect_one(&check_walk(&[CLOCK, SEAL].concat()), "a section begins and ends in externals");
}

#[test]
fn no_file_comes_twice_in_a_section() {
    expect_one(
        &check_walk(&[CLOCK, SEAL, SEAL, SCREEN].concat()),
        "docs/walks/key.md:3: core/relay/src/seal.rs comes twice",
    );
}

#[test]
fn a_step_leads_to_a_function_that_is_there() {
    let step = |step: &str| check_walk(&[CLOCK, step, SCREEN].concat());
    expect_one(&step("2. `core/relay/src/gone.rs` · `seal`: x\n"), "there is no file core/relay/src/gone.rs");
    expect_one(&step("2. `core/relay/src/seal.rs` · `open`: x\n"), "has no function open");
    expect_one(&step("2. `core/relay/src/seal.rs` · `Batch::seal`: x\n"), "has no function Batch::seal");
    expect_one(&step("2. `astrarium/src/run.rs` · `walk`: x\n"), "has no function walk");
    expect_one(&step("2. `tidy/src/tree.rs` · `here`: x\n"), "a step is in core, foundation");
}

#[test]
fn a_step_has_one_form() {
    for line in
        ["2. core/relay/src/seal.rs seal", "2. `core/relay/src/seal.rs`: x", "2. `core/relay/src/seal.rs` · `seal`"]
    {
        expect_one(&check_walk(&[CLOCK, line, "\n", SCREEN].concat()), "docs/walks/key.md:2: a step is:");
    }
    expect_one(&check_walk("# A walk\n"), "a walk without steps");
}
