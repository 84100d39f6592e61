//! The check of the float environment: it detects every other rounding mode, flush-to-zero and denormals-are-zero.
#![allow(unsafe_code, reason = "only assembly can change the float environment of the processor")]
#![cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]

use core::hint::black_box;

use base::number::float_environment_is_sound;

#[cfg(target_arch = "x86_64")]
mod control {
    //! MXCSR: bit 6 is denormals-are-zero, 13 and 14 the rounding, 15 flush-to-zero.

    use core::arch::asm;

    pub const CHANGES: [(&str, u64); 6] = [
        ("denormals-are-zero", 1 << 6),
        ("flush-to-zero", 1 << 15),
        ("both", 1 << 6 | 1 << 15),
        ("rounding down", 1 << 13),
        ("rounding up", 2 << 13),
        ("rounding to zero", 3 << 13),
    ];

    pub fn read() -> u64 {
        let mut word: u32 = 0;
        // SAFETY: stores four bytes at the address of a u32 that is ours.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack)) };
        u64::from(word)
    }

    pub fn write(word: u64) {
        let word = word as u32;
        // SAFETY: the word is one that was read, with bits changed that exist; the caller restores it.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod control {
    //! FPCR: bit 24 is flush-to-zero (of arguments too), 22 and 23 the rounding.

    use core::arch::asm;

    pub const CHANGES: [(&str, u64); 4] = [
        ("flush-to-zero", 1 << 24),
        ("rounding up", 1 << 22),
        ("rounding down", 2 << 22),
        ("rounding to zero", 3 << 22),
    ];

    pub fn read() -> u64 {
        let word;
        // SAFETY: reads a register that every program may read.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nostack)) };
        word
    }

    pub fn write(word: u64) {
        // SAFETY: the word is one that was read, with bits changed that exist; the caller restores it.
        unsafe { asm!("msr fpcr, {}", in(reg) word, options(nostack)) };
    }
}

/// Restores the control word, even if the test fails.
struct Restore(u64);

impl Drop for Restore {
    fn drop(&mut self) {
        control::write(self.0);
    }
}

#[test]
fn every_other_float_environment_is_detected() {
    for (name, change) in control::CHANGES {
        assert!(float_environment_is_sound(), "before {name}");
        let restore = Restore(control::read());
        control::write(restore.0 | change);
        let is_sound = black_box(float_environment_is_sound());
        drop(restore);
        assert!(!is_sound, "{name} went unnoticed");
        assert!(float_environment_is_sound(), "after {name}");
    }
}
