//! Inquiries: two machines locate the differences of their worlds, and any received bytes are handled.

use crate::common;

use common::fleet::Fleet;
use common::{CHECKED, cases};
use proptest::prelude::*;
use proptest::sample::Index;
use state::inquiry::{Inquiry, PAGES_MAX, Question};
use state::{Difference, HashTree, Heap, Layout, World, differences};

/// Runs an inquiry to its end; returns the differences, the number of exchanges and the bytes sent in both directions.
fn inquire(own: &World, other: &World, max: usize) -> (Vec<Difference>, u32, usize) {
    let tree = HashTree::of(other);
    let mut inquiry = Inquiry::new(own, &Heap);
    let mut bytes = 0;
    while let Some(question) = inquiry.poll_question() {
        let sent = question.encode();
        let received = Question::decode(&sent).expect("the question is complete").expect("it is a question");
        assert_eq!(received, question);
        let answer = received.answer(other, &tree).expect("the question fits this plan");
        bytes += sent.len() + answer.len();
        inquiry.handle_answer(&answer).expect("the answer has the expected size");
        assert!(inquiry.exchanges() < 100, "it ends");
    }
    (inquiry.findings(max), inquiry.exchanges(), bytes)
}

#[test]
fn one_wrong_field_is_found_in_three_exchanges_and_a_few_kilobytes() {
    let fleet = Fleet::new();
    let own = fleet.seasoned(CHECKED, 4, 6);
    for number in [0, 7, 60] {
        let mut other = fleet.seasoned(CHECKED, 4, 6);
        let ship = fleet.ships.iterate(&other).nth(number).expect("there are many").0;
        let fuel = fleet.ships.get(&other, ship).fuel;
        other.set_up(|world| fleet.ships.get_mut(world, ship).fuel = fuel ^ 1);
        let (found, exchanges, bytes) = inquire(&own, &other, 10);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].cycle, found[0].system.as_str(), found[0].region.as_str()), (6, "ships", "ships"));
        assert_eq!((found[0].slot, found[0].field.as_str()), (Some(ship.slot().into()), "fuel"));
        assert_eq!((found[0].left.clone(), found[0].right.clone()), (fuel.to_string(), (fuel ^ 1).to_string()));
        assert_eq!(exchanges, 3);
        assert!(bytes < 6000, "{bytes} bytes");
    }
}

#[test]
fn equal_worlds_need_one_exchange() {
    let fleet = Fleet::new();
    let own = fleet.seasoned(CHECKED, 4, 6);
    let other = fleet.seasoned(state::Settings { garbage: 3, ..CHECKED }, 4, 6);
    assert_eq!(inquire(&own, &other, 10), (vec![], 1, 5 + 5 * 8));
}

#[test]
fn worlds_that_differ_everywhere_are_compared_in_bounded_work() {
    let mut layout = Layout::of_world("large");
    let mut lists = Vec::new();
    for (system, list) in [("first", "one"), ("second", "two"), ("third", "three")] {
        layout.system(system);
        lists.push(layout.list::<u64>(list, 6000));
    }
    let plan = layout.finish();
    let build = |number: u64| {
        let mut world = World::new(&plan, &Heap, CHECKED, 1);
        lists.iter().for_each(|list| (0..6000).for_each(|index| assert!(list.push(&mut world, index * number))));
        world
    };
    let (own, other) = (build(1), build(2));
    let (found, exchanges, bytes) = inquire(&own, &other, 20);
    assert_eq!(found, differences(&own, &other, 20));
    // One for the systems, three for the pages of those that differ, and the limit of pages.
    assert_eq!(exchanges as usize, 1 + 3 + PAGES_MAX);
    assert!(bytes < (PAGES_MAX + 1) * 4096 + 1000, "{bytes} bytes");
    let named = inquire(&own, &other, 100_000).0;
    assert!(named.iter().all(|it| it.region == "one" || it.region == "two") && named.len() > 7000);
}

#[test]
fn an_inquiry_finds_the_same_as_a_full_comparison() {
    let fleet = Fleet::new();
    let own = fleet.seasoned(CHECKED, 4, 6);
    let mut other = fleet.seasoned(CHECKED, 4, 6);
    other.set_up(|world| {
        let ships: Vec<_> = fleet.ships.iterate(world).map(|(handle, _)| handle).collect();
        fleet.ships.delete(world, ships[20]);
        fleet.ships.get_mut(world, ships[90]).hull = 3;
        fleet.log.truncate(world, 2);
        let block = fleet.hold.iterate(world).next().expect("some are left");
        fleet.hold.delete(world, block);
    });
    let (found, ..) = inquire(&own, &other, 1000);
    assert_eq!(found, differences(&own, &other, 1000));
    assert!(found.len() > 4);
}

#[test]
fn answers_of_the_wrong_size_are_refused_and_the_question_stays_open() {
    let fleet = Fleet::new();
    let world = fleet.world(CHECKED, 4);
    let mut inquiry = Inquiry::new(&world, &Heap);
    for length in [0, 8, 39, 41, 4096] {
        let error = inquiry.handle_answer(&vec![0; length]).expect_err("it is of the wrong size");
        assert_eq!((error.expected, error.found), (40, length));
        assert_eq!(inquiry.poll_question(), Some(Question::Systems));
    }
    assert_eq!(inquiry.exchanges(), 0);
    let answer = Question::Systems.answer(&world, &HashTree::of(&world)).expect("it has systems");
    inquiry.handle_answer(&answer).expect("it fits");
    assert_eq!(inquiry.poll_question(), None);
    inquiry.handle_answer(&answer).expect_err("nothing was asked");
}

#[test]
fn a_question_out_of_range_has_no_answer() {
    let fleet = Fleet::new();
    let world = fleet.world(CHECKED, 4);
    let tree = HashTree::of(&world);
    let pages = fleet.plan.pages() as u32;
    assert!(Question::Page { page: pages - 1 }.answer(&world, &tree).is_some());
    for page in [pages, 1 << 20, u32::MAX] {
        assert_eq!(Question::Page { page }.answer(&world, &tree), None);
    }
    for system in [5, u16::MAX] {
        assert_eq!(Question::Pages { system }.answer(&world, &tree), None);
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn any_bytes_decode_to_a_question_or_none(bytes in prop::collection::vec(any::<u8>(), 0..8)) {
        let fleet = Fleet::new();
        let world = World::new(&fleet.plan, &Heap, CHECKED, 4);
        let tree = HashTree::of(&world);
        if let Ok(Some(question)) = Question::decode(&bytes) {
            prop_assert_eq!(question.encode().len(), bytes.len());
            question.answer(&world, &tree);
        }
    }
}

proptest! {
    #![proptest_config(cases(60))]

    /// A malicious peer: each answer has the right size, but some or all of its bytes are changed.
    #[test]
    fn any_answers_are_handled(
        lies in prop::collection::vec((any::<Index>(), any::<u8>()), 0..40),
        is_made_up: bool,
        made_up: u8,
    ) {
        let fleet = Fleet::new();
        let own = fleet.seasoned(CHECKED, 4, 4);
        let other = fleet.seasoned(CHECKED, 9, 4);
        let tree = HashTree::of(&other);
        let mut inquiry = Inquiry::new(&own, &Heap);
        while let Some(question) = inquiry.poll_question() {
            let mut answer = question.answer(&other, &tree).expect("the question fits this plan");
            if is_made_up {
                answer.fill(made_up);
            }
            for (place, byte) in &lies {
                let place = place.index(answer.len());
                answer[place] = *byte;
            }
            inquiry.handle_answer(&answer).expect("it is of the right size");
            inquiry.findings(50);
        }
        prop_assert!(inquiry.exchanges() as usize <= 1 + fleet.plan.systems().len() + PAGES_MAX);
        prop_assert!(inquiry.findings(7).len() <= 7);
    }
}
