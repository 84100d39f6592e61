//! The fast path of the dispatch loop: numbers, truths and jumps.
//!
//! Its state is small enough for the registers of the processor. Any other operation, and any operand of another kind,
//! is left to [`Machine::run`](super::Machine), which executes it and returns here.

use core::slice::Iter;

use super::Registers;
use crate::program::{Instruction, Operation};
use crate::value::Value;

/// Executes instructions until one needs the slow path; `rest` then begins with it.
#[inline(never)]
pub(super) fn run_numbers<'c>(
    registers: &mut Registers,
    code: &'c [Instruction],
    rest: &mut Iter<'c, Instruction>,
    constants: &[Value],
    variables: &[Value],
) {
    use Operation::*;
    // A taken jump computes its target behind a `cold_path` hint: otherwise the compiler selects the target by a
    // conditional move, and the next instruction waits for the comparison.
    let mut left = rest.clone();
    while let Some(Instruction { operation, a, b, c, number: value }) = left.next().copied() {
        macro_rules! register {
            ($index:expr) => {
                registers[usize::from($index)]
            };
        }
        macro_rules! others {
            () => {{
                *rest = code.get(code.len() - left.len() - 1..).unwrap_or(&[]).iter();
                return;
            }};
        }
        macro_rules! jump {
            () => {
                match code.get(value as usize..) {
                    Some(there) => {
                        debug_assert!(there.len() <= left.len(), "jumps go forward");
                        left = there.iter();
                    }
                    None => others!(),
                }
            };
        }
        macro_rules! numbers {
            ($right:expr) => {
                match (register!(b).as_number(), $right.as_number()) {
                    (Some(left), Some(right)) => (left, right),
                    _ => others!(),
                }
            };
        }
        macro_rules! constant {
            ($index:expr) => {
                match constants.get($index as usize) {
                    Some(constant) => *constant,
                    None => others!(),
                }
            };
        }
        macro_rules! give {
            ($right:expr, $work:expr) => {{
                let (left, right) = numbers!($right);
                let work: fn(f64, f64) -> f64 = $work;
                register!(a) = Value::number(work(left, right));
            }};
        }
        macro_rules! holds {
            ($right:expr, $work:expr) => {{
                let (left, right) = numbers!($right);
                let work: fn(&f64, &f64) -> bool = $work;
                register!(a) = Value::truth(work(&left, &right));
            }};
        }
        macro_rules! unless {
            ($right:expr, $work:expr) => {{
                let (first, second) = numbers!($right);
                let work: fn(&f64, &f64) -> bool = $work;
                if !work(&first, &second) {
                    core::hint::cold_path();
                    jump!();
                }
            }};
        }
        match operation {
            Move => register!(a) = register!(b),
            Constant => register!(a) = constant!(value),
            Variable => register!(a) = variables.get(value as usize).copied().unwrap_or_default(),
            Add => give!(register!(c), |left, right| left + right),
            Subtract => give!(register!(c), |left, right| left - right),
            Multiply => give!(register!(c), |left, right| left * right),
            Divide | Remainder if register!(c).as_number().is_none_or(|by| by == 0.0) => others!(),
            Divide => give!(register!(c), |left, right| left / right),
            Remainder => give!(register!(c), |left, right| left % right),
            AddConstant => give!(constant!(value), |left, right| left + right),
            SubtractConstant => give!(constant!(value), |left, right| left - right),
            MultiplyConstant => give!(constant!(value), |left, right| left * right),
            DivideConstant => give!(constant!(value), |left, right| left / right),
            Equal => holds!(register!(c), |left, right| left == right),
            Unequal => holds!(register!(c), |left, right| left != right),
            Less => holds!(register!(c), |left, right| left < right),
            Greater => holds!(register!(c), |left, right| left > right),
            LessEqual => holds!(register!(c), |left, right| left <= right),
            GreaterEqual => holds!(register!(c), |left, right| left >= right),
            Negate => match register!(b).as_number() {
                Some(number) => register!(a) = Value::number(-number),
                None => others!(),
            },
            Not => match register!(b).as_truth() {
                Some(truth) => register!(a) = Value::truth(!truth),
                None => others!(),
            },
            Jump => jump!(),
            JumpUnless => match register!(a).as_truth() {
                Some(true) => {}
                Some(false) => jump!(),
                None => others!(),
            },
            JumpUnlessLess => unless!(register!(c), |left, right| left < right),
            JumpUnlessLessEqual => unless!(register!(c), |left, right| left <= right),
            JumpUnlessGreater => unless!(register!(c), |left, right| left > right),
            JumpUnlessGreaterEqual => unless!(register!(c), |left, right| left >= right),
            JumpUnlessEqual => unless!(register!(c), |left, right| left == right),
            JumpUnlessUnequal => unless!(register!(c), |left, right| left != right),
            JumpUnlessLessConstant => unless!(constant!(c), |left, right| left < right),
            JumpUnlessLessEqualConstant => unless!(constant!(c), |left, right| left <= right),
            JumpUnlessGreaterConstant => unless!(constant!(c), |left, right| left > right),
            JumpUnlessGreaterEqualConstant => unless!(constant!(c), |left, right| left >= right),
            JumpUnlessEqualConstant => unless!(constant!(c), |left, right| left == right),
            JumpUnlessUnequalConstant => unless!(constant!(c), |left, right| left != right),
            SetVariable | List | Record | Lambda | Index | Field | Call | Builtin | Query | Effect | Return => {
                others!()
            }
        }
    }
    *rest = left;
}
