//! Real pages, and the fault of a write to a protected one.

use super::*;
use crate::testing;

fn bytes(memory: &dyn Memory) -> &[u8] {
    // SAFETY: the memory is valid for reads of its length, and the tests write through `write` only.
    unsafe { core::slice::from_raw_parts(memory.start().as_ptr(), memory.len()) }
}

fn write(memory: &mut dyn Memory, at: usize, value: u8) {
    assert!(at < memory.len());
    // SAFETY: the offset lies within the memory.
    let place = unsafe { memory.start().add(at) };
    // SAFETY: the memory is borrowed mutably; where it is protected, the machine stops the program.
    unsafe { place.write_volatile(value) }
}

#[test]
fn reserved_memory_is_zero_aligned_and_of_the_requested_length() {
    for len in [1, 4095, 4096, 4097, 1 << 20, 2 << 20, (2 << 20) + 4096, 5 << 20] {
        let memory = Pages.reserve(len);
        assert_eq!(memory.len(), len);
        assert!(memory.can_protect());
        assert!(memory.start().addr().get().is_multiple_of(PAGE_BYTES));
        assert!(bytes(&*memory).iter().all(|byte| *byte == 0));
    }
}

#[test]
fn a_block_may_be_empty() {
    let mut memory = Pages.reserve(0);
    assert!(memory.is_empty());
    memory.protect(0..0, PageAccess::Read);
}

#[test]
fn protection_changes_no_bytes_and_can_be_removed() {
    let page = page_bytes();
    let mut memory = Pages.reserve(4 * page);
    (0..4 * page).for_each(|at| write(&mut *memory, at, (at % 251) as u8));
    memory.protect(0..4 * page, PageAccess::Read);
    assert!(bytes(&*memory).iter().enumerate().all(|(at, byte)| *byte == (at % 251) as u8));
    memory.protect(page..3 * page, PageAccess::Write);
    write(&mut *memory, page, 255);
    write(&mut *memory, 3 * page - 1, 255);
    assert_eq!(bytes(&*memory)[page], 255);
    memory.protect(0..4 * page, PageAccess::Write);
    write(&mut *memory, 0, 255);
    write(&mut *memory, 4 * page - 1, 255);
}

#[test]
fn a_range_without_a_whole_page_stays_writable() {
    let page = page_bytes();
    let mut memory = Pages.reserve(3 * page);
    memory.protect(1..page, PageAccess::Read);
    memory.protect(1..2 * page - 1, PageAccess::Read);
    memory.protect(page..page, PageAccess::Read);
    (0..3 * page).for_each(|at| write(&mut *memory, at, 1));
}

#[test]
fn only_whole_pages_are_protected() {
    let page = page_bytes();
    let mut memory = Pages.reserve(3 * page);
    memory.protect(1..3 * page - 1, PageAccess::Read);
    (0..page).chain(2 * page..3 * page).for_each(|at| write(&mut *memory, at, 1));
}

#[test]
fn larger_pages_protect_less_but_never_fault_on_an_allowed_write() {
    let check = |range: Range<usize>, access, expected: Range<usize>| {
        assert_eq!(whole_pages(&range, access, 16384), expected, "{range:?} {access:?}");
    };
    check(0..8192, PageAccess::Read, 0..0);
    check(4096..8192, PageAccess::Read, 16384..16384);
    check(0..20480, PageAccess::Read, 0..16384);
    check(4096..49152, PageAccess::Read, 16384..49152);
    check(4096..8192, PageAccess::Write, 0..16384);
    check(16384..16385, PageAccess::Write, 16384..32768);
    check(5..5, PageAccess::Write, 0..0);
}

#[test]
fn protected_memory_can_be_dropped() {
    let mut memory = Pages.reserve(page_bytes());
    memory.protect(0..page_bytes(), PageAccess::Read);
}

#[test]
#[should_panic(expected = "lies within 4096 bytes")]
fn a_range_beyond_the_memory_panics() {
    Pages.reserve(4096).protect(0..4097, PageAccess::Read);
}

#[test]
fn the_machine_says_that_protection_works() {
    assert!(protection_works());
}

#[test]
fn a_write_to_a_protected_page_stops_the_program() {
    if testing::is_child() {
        let mut memory = Pages.reserve(2 * page_bytes());
        memory.protect(page_bytes()..2 * page_bytes(), PageAccess::Read);
        write(&mut *memory, page_bytes() - 1, 1);
        println!("the page before can be written");
        write(&mut *memory, page_bytes(), 1);
        return;
    }
    let output = testing::again("pages::real::tests::a_write_to_a_protected_page_stops_the_program")
        .output()
        .expect("the test binary runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains("the page before can be written"));
    assert!(!output.status.success());
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        let (bus_linux, bus_mac, segmentation) = (7, 10, 11);
        let signal = output.status.signal().expect("it died by a signal");
        assert!([bus_linux, bus_mac, segmentation].contains(&signal), "{signal}");
    }
}
