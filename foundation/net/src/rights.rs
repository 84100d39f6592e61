//! Who may do what in a session: one table, and the uses that all machines see in the records.
//!
//! | right | host | player | observer |
//! |---|---|---|---|
//! | say something | yes | yes | yes |
//! | be ready, choose a player, ask for a pause | yes | yes | no |
//! | pause and go on alone, begin, remove a machine | yes | no | no |
//!
//! Law: the host decides by this table; a wish without the right changes nothing.

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};

use crate::limits::PLAYERS_MAX;

/// What a machine is in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It decides.
    Host,
    /// It plays a player.
    Player,
    /// It watches.
    Observer,
}

/// What a machine may be allowed to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// To say something to all.
    Say,
    /// To be ready, or not any more.
    Ready,
    /// To choose the player that it plays, before the first cycle.
    Choose,
    /// To ask for a pause: more than half of the players pause together.
    AskPause,
    /// To stop the time of the session.
    Pause,
    /// To let it run again.
    Resume,
    /// To begin before all are ready.
    Begin,
    /// To remove a machine.
    Kick,
}

/// The table: a right and whether host, player and observer have it.
pub const RIGHTS: [(Right, [bool; 3]); 8] = [
    (Right::Say, [true, true, true]),
    (Right::Ready, [true, true, false]),
    (Right::Choose, [true, true, false]),
    (Right::AskPause, [true, true, false]),
    (Right::Pause, [true, false, false]),
    (Right::Resume, [true, false, false]),
    (Right::Begin, [true, false, false]),
    (Right::Kick, [true, false, false]),
];

impl Standing {
    /// Whether one of this standing has a right.
    pub fn may(self, right: Right) -> bool {
        RIGHTS.iter().any(|(known, [host, player, observer])| {
            *known == right
                && match self {
                    Standing::Host => *host,
                    Standing::Player => *player,
                    Standing::Observer => *observer,
                }
        })
    }
}

impl Right {
    /// What was done, for people: after the name of who did it.
    pub fn verb(self) -> &'static str {
        match self {
            Right::Say => "says something",
            Right::Ready => "is ready",
            Right::Choose => "chooses",
            Right::AskPause => "asks for a pause",
            Right::Pause => "pauses",
            Right::Resume => "goes on",
            Right::Begin => "begins",
            Right::Kick => "removes",
        }
    }
}

/// A right that was used, in a record: all machines see it in the same cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RightUse {
    /// Who used it.
    pub by: u8,
    /// The right.
    pub right: Right,
    /// The machine that it was used on; otherwise the same as `by`.
    pub whom: u8,
}

/// The rights whose uses are in records, by their numbers there.
const RECORDED: [Right; 4] = [Right::Pause, Right::Resume, Right::Begin, Right::Kick];

/// Marks a use among the changes of a record.
pub(crate) const USED: u8 = 0x40;

impl RightUse {
    /// Whether records can hold it.
    pub(crate) fn is_recorded(&self) -> bool {
        let are_machines = [self.by, self.whom].iter().all(|machine| usize::from(*machine) < PLAYERS_MAX);
        are_machines && RECORDED.contains(&self.right)
    }

    pub(crate) fn write(&self, out: &mut alloc::vec::Vec<u8>) {
        out.write_u8(self.by | USED);
        let number = RECORDED.iter().position(|right| *right == self.right).unwrap_or(0);
        out.write_u8((number as u8) << 4 | self.whom);
    }

    /// Reads it behind its first byte, without the mark.
    pub(crate) fn read(by: u8, reader: &mut ByteReader<'_>) -> Result<RightUse, ReadError> {
        let offset = reader.offset();
        let code = reader.read_u8()?;
        let (right, whom) = (RECORDED.get(usize::from(code >> 4)), code & 0x0f);
        let are_machines = [by, whom].iter().all(|machine| usize::from(*machine) < PLAYERS_MAX);
        match right {
            Some(right) if are_machines => Ok(RightUse { by, right: *right, whom }),
            _ => {
                let found = Found::OutOfRange { number: code.into(), max: 0x3e };
                Err(ReadError { expected: "the use of a right", offset: Offset::Byte(offset as u64), found })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_host_removes_and_an_observer_only_says() {
        for (right, _) in RIGHTS {
            assert!(Standing::Host.may(right), "{right:?}");
            assert_eq!(Standing::Observer.may(right), right == Right::Say, "{right:?}");
        }
        assert!(Standing::Player.may(Right::AskPause) && !Standing::Player.may(Right::Pause));
        assert!(!Standing::Player.may(Right::Kick));
    }
}
