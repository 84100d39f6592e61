//! Locating a desync between two machines by descending a Merkle tree, in a few exchanges.
//!
//! One machine asks, the other answers from its [`HashTree`] and its block: first the hashes of the systems, then the
//! page hashes of the systems that differ, then the differing pages themselves. The asker copies those over a copy of
//! its own block and reads the difference in field names. For one wrong field this takes three exchanges and a few
//! kilobytes.
//!
//! Laws
//! 1. An answer is accepted only if it has the size that the open question asks for: any bytes may arrive.
//! 2. At most [`PAGES_MAX`] pages are requested; if more differ, the first ones are reported.
//!
//! Never: sends anything. `poll_question` returns the next question, `handle_answer` takes the reply.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, ReadError};
use base::plain;

use crate::block::Block;
use crate::difference::{Difference, differences};
use crate::limits::PAGE_BYTES;
use crate::memory::MemorySource;
use crate::tree::HashTree;

/// The most differing pages that are requested.
pub const PAGES_MAX: usize = 16;

/// A question to the other machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The hashes of all systems.
    Systems,
    /// The hashes of all pages of a system.
    Pages {
        /// The system's number.
        system: u16,
    },
    /// The bytes of a page.
    Page {
        /// The page's number.
        page: u32,
    },
}

impl Question {
    /// Its bytes.
    pub fn encode(self) -> Vec<u8> {
        let mut out = Vec::new();
        let (kind, number) = match self {
            Question::Systems => (0, 0),
            Question::Pages { system } => (1, u32::from(system)),
            Question::Page { page } => (2, page),
        };
        out.write_u8(kind);
        out.write_u32(number);
        out
    }

    /// Decodes a question.
    pub fn decode(bytes: &[u8]) -> Result<Option<Question>, ReadError> {
        let mut reader = ByteReader::new(bytes);
        let (kind, number) = (reader.read_u8()?, reader.read_u32()?);
        reader.finish()?;
        Ok(match kind {
            0 => Some(Question::Systems),
            1 => u16::try_from(number).ok().map(|system| Question::Pages { system }),
            2 => Some(Question::Page { page: number }),
            _ => None,
        })
    }

    /// The answer from this block. `None` if it has no such system or page.
    pub fn answer(self, block: &Block, tree: &HashTree) -> Option<Vec<u8>> {
        Some(match self {
            Question::Systems => plain::cast_slice(&tree.systems).to_vec(),
            Question::Pages { system } => {
                let system = block.plan().systems().get(usize::from(system))?;
                plain::cast_slice(&tree.pages[system.pages.clone()]).to_vec()
            }
            Question::Page { page } => block.bytes().chunks_exact(PAGE_BYTES).nth(page as usize)?.to_vec(),
        })
    }
}

/// One side's search for the difference.
pub struct Inquiry<'a> {
    own: &'a Block,
    tree: HashTree,
    other: Block,
    questions: VecDeque<Question>,
    pages_asked: usize,
    exchanges: u32,
}

/// An answer that does not fit the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongAnswer {
    /// The expected number of bytes.
    pub expected: usize,
    /// The number of bytes received.
    pub found: usize,
}

impl<'a> Inquiry<'a> {
    /// Starts a search against a block that should be equal to this one. Allocates one block.
    pub fn new(own: &'a Block, source: &dyn MemorySource) -> Inquiry<'a> {
        let mut other = Block::new(own.plan(), source);
        other.bytes_mut().copy_from_slice(own.bytes());
        let questions = VecDeque::from([Question::Systems]);
        Inquiry { own, tree: HashTree::of(own), other, questions, pages_asked: 0, exchanges: 0 }
    }

    /// The next question. `None` when the search is done.
    pub fn poll_question(&self) -> Option<Question> {
        self.questions.front().copied()
    }

    /// Handles the answer to the last question.
    pub fn handle_answer(&mut self, answer: &[u8]) -> Result<(), WrongAnswer> {
        let Some(question) = self.questions.front().copied() else {
            return Err(WrongAnswer { expected: 0, found: answer.len() });
        };
        let expected = match question {
            Question::Systems => self.tree.systems.len() * 8,
            Question::Pages { system } => self.own.plan().systems()[usize::from(system)].pages.len() * 8,
            Question::Page { .. } => PAGE_BYTES,
        };
        if answer.len() != expected {
            return Err(WrongAnswer { expected, found: answer.len() });
        }
        self.questions.pop_front();
        self.exchanges += 1;
        match question {
            Question::Systems => {
                let differing = differing(&self.tree.systems, answer);
                self.questions.extend(differing.map(|system| Question::Pages { system: system as u16 }));
            }
            Question::Pages { system } => {
                let pages = self.own.plan().systems()[usize::from(system)].pages.clone();
                let left = PAGES_MAX - self.pages_asked;
                let differing: Vec<usize> = differing(&self.tree.pages[pages.clone()], answer).take(left).collect();
                self.pages_asked += differing.len();
                let ask = |page: &usize| Question::Page { page: (pages.start + page) as u32 };
                self.questions.extend(differing.iter().map(ask));
            }
            Question::Page { page } => {
                let start = page as usize * PAGE_BYTES;
                self.other.bytes_mut()[start..start + PAGE_BYTES].copy_from_slice(answer);
            }
        }
        Ok(())
    }

    /// The number of answered questions.
    pub fn exchanges(&self) -> u32 {
        self.exchanges
    }

    /// The differences found so far.
    pub fn findings(&self, max: usize) -> Vec<Difference> {
        differences(self.own, &self.other, max)
    }
}

/// The indices at which hashes differ from those in an answer.
fn differing<'a>(own: &'a [u64], answer: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let others = answer.chunks_exact(8);
    own.iter().zip(others).enumerate().filter(|(_, (own, other))| own.to_le_bytes() != **other).map(|(index, _)| index)
}
