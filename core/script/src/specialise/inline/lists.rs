//! Lists of known length: a fold over one is unrolled, and its lambda inlined once for each element.
//!
//! Known are the lists and records that a program shares among its objects, lists that are written out, and the range
//! of a constant. A longer list, or one that is only known at run time, is left to the virtual machine.

use alloc::vec::Vec;

use base::number::double;

use super::{Continues, InlineFrame, Inliner, NotSpecialisable};
use crate::specialise::abstract_state::{AbstractState, AbstractValue};
use crate::specialise::ir::{ELEMENTS_MAX, ELEMENTS_START, IrOperation, IrStep, TEMPORARY};
use crate::value::{Kind, Value};

/// The longest list that is unrolled.
const UNROLLED_MAX: usize = 16;
/// The most folds of one function that turn out to be too large to unroll: each is inlined before that is known.
const TOO_LARGE_MAX: u8 = 4;

/// An element of a known list.
#[derive(Clone, Copy)]
enum Element {
    Register(u8),
    Constant(Value),
}

impl Inliner<'_> {
    /// A list that is written out. Its elements are copied to registers that nothing else writes.
    pub(super) fn list(&mut self, state: &mut AbstractState, to: u8, from: u8, count: u8) -> Continues {
        let first = ELEMENTS_START + usize::from(self.elements);
        if usize::from(self.elements) + usize::from(count) > ELEMENTS_MAX {
            return self.fail();
        }
        self.values_max = self.values_max.saturating_add(count.into());
        self.elements += count;
        let first = first as u8;
        for index in 0..count {
            let Some(from) = from.checked_add(index).filter(|from| *from < TEMPORARY) else { return self.fail() };
            // The registers of a captured value may be written before the list is read.
            if let AbstractValue::Capturing { .. } = state.get(from) {
                return self.fail();
            }
            if !self.copy(state, first + index, from)? {
                return Ok(false);
            }
        }
        state.set(to, AbstractValue::Listed { first, count });
        Ok(true)
    }

    /// The numbers below a constant.
    pub(super) fn range(&mut self, state: &mut AbstractState, to: u8, from: u8) -> Continues {
        let count = Some(from).filter(|from| state.get(*from) == AbstractValue::Is(Kind::Number));
        let Some(count) = count.and_then(|from| self.constant_in(from)) else { return self.fail() };
        let count = double::max(count, 0.0) as u32;
        if count as usize > UNROLLED_MAX {
            return self.fail();
        }
        self.burn(count.into());
        self.values_max = self.values_max.saturating_add(count);
        self.building_max = self.building_max.max(count);
        state.set(to, AbstractValue::Range(count as u8));
        Ok(true)
    }

    /// Unrolls a fold: `first` and the two registers behind it hold the list, the initial result and the lambda.
    pub(super) fn fold(&mut self, frame: &InlineFrame, state: &mut AbstractState, to: u8, first: u8) -> Continues {
        let Some(elements) = self.elements(state.get(first)) else { return self.fail() };
        let lambda = state.get(first.saturating_add(2));
        let before = self.clone();
        let mut inner = state.clone();
        let may_set = core::mem::replace(&mut self.may_set, false);
        let unrolled = self.unroll(frame, &mut inner, first.saturating_add(1), lambda, &elements);
        self.may_set = may_set;
        match unrolled {
            Ok(Some(result)) => {
                let continues = self.copy(&mut inner, to, result)?;
                let held = inner.get(to);
                inner.forget_from(result);
                inner.set(to, held);
                *state = inner;
                Ok(continues)
            }
            Ok(None) => Ok(false),
            Err(NotSpecialisable) if self.too_large < TOO_LARGE_MAX => {
                let too_large = self.too_large + 1;
                *self = Inliner { too_large, ..before };
                self.fail()
            }
            Err(NotSpecialisable) => Err(NotSpecialisable),
        }
    }

    /// Inlines the lambda for each element. Returns the register of the result, or none if no path reaches the end.
    fn unroll(
        &mut self,
        frame: &InlineFrame,
        state: &mut AbstractState,
        initial: u8,
        lambda: AbstractValue,
        elements: &[Element],
    ) -> Result<Option<u8>, NotSpecialisable> {
        let (number, captured_first, captured_count) = match lambda {
            AbstractValue::Lambda(number) => (number, 0, 0),
            AbstractValue::Capturing { function, first, count } => (function, first, count),
            _ => return self.fail().map(|_| None),
        };
        let called = self.program.functions.get(number as usize).ok_or(NotSpecialisable)?;
        let base = frame.base.checked_add(frame.registers).ok_or(NotSpecialisable)?;
        let behind = base.saturating_add(called.parameters);
        // The result lies where the next call expects its first argument.
        let has_registers = usize::from(behind) + usize::from(captured_count) <= ELEMENTS_START;
        if called.parameters == 0 || called.captured != captured_count || !has_registers {
            return self.fail().map(|_| None);
        }
        if !self.copy(state, base, initial)? {
            return Ok(None);
        }
        for element in elements {
            let Some(captured) = self.carry(state, captured_first, behind, captured_count)? else {
                return self.fail().map(|_| None);
            };
            if called.parameters > 1 {
                let continues = match *element {
                    Element::Register(from) => self.copy(state, base + 1, from)?,
                    Element::Constant(value) => self.fill(state, base + 1, value)?,
                };
                if !continues {
                    return Ok(None);
                }
            }
            let mut inner = state.clone();
            inner.forget_from(base + called.parameters.min(2));
            (base + called.parameters.min(2)..behind)
                .for_each(|missing| inner.set(missing, AbstractValue::Is(Kind::Nothing)));
            (behind..).zip(captured).for_each(|(register, held)| inner.set(register, held));
            let Some(end) = self.function(number, base, base, inner)? else { return Ok(None) };
            let result = end.get(base);
            *state = end;
            state.forget_from(base);
            state.set(base, result);
        }
        Ok(Some(base))
    }

    /// The elements of a list, if they are known and few.
    fn elements(&self, list: AbstractValue) -> Option<Vec<Element>> {
        let elements: Vec<Element> = match list {
            AbstractValue::Listed { first, count } => (first..first + count).map(Element::Register).collect(),
            AbstractValue::Range(count) => {
                (0..count).map(|number| Element::Constant(Value::number(number.into()))).collect()
            }
            AbstractValue::Shared(list) if list.as_list().is_some() => {
                self.program.parts(list).iter().map(|value| Element::Constant(*value)).collect()
            }
            _ => return None,
        };
        (elements.len() <= UNROLLED_MAX).then_some(elements)
    }

    /// The number that a register holds whatever path was taken, if the last step that wrote it says so.
    fn constant_in(&self, register: u8) -> Option<f64> {
        let steps = self.steps.iter().rev();
        let block = steps.take_while(|step| !matches!(step.operation, IrOperation::Label(_)));
        let written = block.into_iter().find(|step| step.is_writing && step.to == register)?;
        match *written {
            IrStep { operation: IrOperation::Fill(bits), .. } => Some(f64::from_bits(bits)),
            _ => None,
        }
    }
}
