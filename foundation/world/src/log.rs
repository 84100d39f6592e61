//! What is told to people: conditions with their objects and lines, and what scripts log. No part of the world.
//!
//! Laws
//! 1. Nothing here can change what happens. Whoever does not read it misses what is older than the last few.
//! 2. Nothing here takes memory while a world is stepped.

use alloc::string::String;
use alloc::vec::Vec;

use base::Handle;
use script::value::Value;
use state::{Desks, Item};

use crate::condition::Told;
use crate::limits::TROUBLES_MAX;
use crate::mould::Moulds;
use crate::object::Object;

/// How many values of a line are kept.
const VALUES_MAX: usize = 12;

/// What is told to people.
pub struct Log {
    lines: Desks<Vec<Line>>,
}

#[derive(Clone, Copy)]
struct Line {
    cycle: u64,
    object: Handle<Object>,
    mould: u32,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Told(Told),
    Logged([Value; VALUES_MAX], usize),
}

impl Log {
    /// Nothing told yet.
    pub fn new() -> Log {
        Log { lines: Desks::new(1, || Vec::with_capacity(TROUBLES_MAX)) }
    }

    /// A script logs values. Those with parts are shown as what they are.
    pub fn note(&self, item: &Item<'_, Object>, arguments: &[Value]) {
        let mut values = [Value::NOTHING; VALUES_MAX];
        values.iter_mut().zip(arguments).for_each(|(place, value)| *place = *value);
        let what = What::Logged(values, arguments.len().min(VALUES_MAX));
        self.push(Line { cycle: item.cycle(), object: item.handle, mould: item.next.mind.program, what });
    }

    /// A condition came up.
    pub(crate) fn tell(&self, cycle: u64, object: Handle<Object>, mould: u32, told: Told) {
        self.push(Line { cycle, object, mould, what: What::Told(told) });
    }

    fn push(&self, line: Line) {
        self.lines.with(0, |lines| {
            if lines.len() == TROUBLES_MAX {
                lines.remove(0);
            }
            lines.push(line);
        });
    }

    /// What was told since the last call, a line each: by cycle, then by object.
    pub fn take(&self, moulds: &Moulds) -> Vec<String> {
        let mut lines = self.lines.with(0, |lines| {
            let told = lines.to_vec();
            // It keeps its memory: a step takes none.
            lines.clear();
            told
        });
        lines.sort_by_key(|line| (line.cycle, line.object.slot()));
        lines.iter().map(|line| line.text(moulds)).collect()
    }
}

impl Default for Log {
    fn default() -> Log {
        Log::new()
    }
}

impl Line {
    fn text(&self, moulds: &Moulds) -> String {
        let mould = moulds.get(self.mould);
        let mut text = alloc::format!("cycle {}: ", self.cycle);
        let program = moulds.programs().get(self.mould);
        let line = match (&self.what, program) {
            (What::Told(told), Some(program)) if told.end > 0 => program.line(told.start),
            _ => 0,
        };
        if let Some(mould) = mould.filter(|_| !self.object.is_none()) {
            text.push_str(&mould.path);
            if line > 0 {
                text.push_str(&alloc::format!(":{line}"));
            }
            text.push_str(&alloc::format!(" #{:08x}: ", self.object.raw()));
        }
        match &self.what {
            What::Told(told) => {
                text.push_str(told.condition().map_or("something is wrong", |condition| condition.text()));
                if let Some(about) = moulds.text(told.about).filter(|about| !about.is_empty()) {
                    text.push_str(&alloc::format!(" ({about})"));
                }
                if told.player > 0 {
                    text.push_str(&alloc::format!(", player {}", told.player - 1));
                }
                if told.count > 1 {
                    text.push_str(&alloc::format!(", {} times", told.count));
                }
            }
            What::Logged(values, count) => {
                for value in &values[..*count] {
                    text.push_str(&moulds.written(*value));
                    text.push(' ');
                }
            }
        }
        String::from(text.trim_end())
    }
}
