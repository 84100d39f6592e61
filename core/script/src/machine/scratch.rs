//! The workspace of a worker: made once, cleared by each evaluation, and read for what the evaluation asked for.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{COMPLAINTS_MAX, Complaint, DEPTH_MAX, EffectRequest, EvaluationContext, Limits, Registers, Scratch};
use crate::arena::{Arena, Full};
use crate::cache::{Cache, Policy};
use crate::kernel::{self, Kernel};
use crate::program::{Program, REGISTERS_MAX};
use crate::row::{CommittedVariables, RowEdit, SetRecord};
use crate::source::Span;
use crate::value::Value;

/// The usual largest row, in values. A longer row allocates when it is first met.
const ROW_VALUES: usize = 256;
/// The default capacity of the result cache.
const CACHE_ENTRIES: usize = 4096;

impl Scratch {
    /// A workspace for evaluations within these limits, with a result cache of the default size.
    pub fn new(limits: Limits) -> Scratch {
        Scratch::with_cache(limits, Cache::new(Policy::Paying, CACHE_ENTRIES))
    }

    /// A workspace for evaluations within these limits, with this cache.
    pub fn with_cache(limits: Limits, cache: Cache) -> Scratch {
        let limits = Limits { depth: limits.depth.min(DEPTH_MAX), ..limits };
        Scratch {
            stack: alloc::vec![Value::NOTHING; (limits.depth as usize + 2) * (REGISTERS_MAX + 2) + size_of::<Registers>() / 16],
            region: Arena::new(limits.values as usize),
            frames: Vec::with_capacity(limits.depth as usize + 1),
            building: Vec::with_capacity(limits.values as usize),
            variables: Vec::with_capacity(ROW_VALUES),
            is_mirror: false,
            sets: Vec::with_capacity(limits.effects as usize),
            effects: Vec::with_capacity(limits.effects as usize),
            complaints: Vec::with_capacity(COMPLAINTS_MAX),
            pending: Vec::with_capacity(limits.depth as usize + 1),
            spare: alloc::vec![Value::NOTHING; ROW_VALUES],
            is_fast: cache.policy() != Policy::Forced,
            cache,
            kernel: Box::new(kernel::KernelRegisters::new()),
            limits,
            meter: None,
        }
    }

    /// Whether [`Scratch::sets`] lists every set. That takes time, since kernels do not record sets; it changes no
    /// result.
    pub fn set_exact(&mut self, is_exact: bool) {
        self.is_fast = !is_exact && self.cache.policy() != Policy::Forced;
    }

    /// The limits of an evaluation.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Clears the results of the last evaluation.
    pub(crate) fn begin(&mut self) {
        self.region.clear();
        self.sets.clear();
        self.effects.clear();
        self.complaints.clear();
    }

    /// The arena of the last evaluation.
    pub fn region(&self) -> &Arena {
        &self.region
    }

    /// The result cache.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Commits the sets of the last evaluation to its row. Returns its result, whose parts may have moved.
    pub(crate) fn commit(&mut self, row: &mut RowEdit<'_>, result: Value, shared: &[Value]) -> Result<Value, Full> {
        if self.spare.len() < row.values.len() {
            self.spare.resize(row.values.len(), Value::NOTHING);
        }
        let has_parts =
            |set: &SetRecord| self.variables.get(set.variable as usize).is_some_and(|value| value.parts().is_some());
        let result = if self.sets.iter().any(has_parts) { self.region.detach(row.values, result)? } else { result };
        let after =
            CommittedVariables { variables: &self.variables, sets: &self.sets, made: self.region.all(), shared };
        row.commit(&after, &mut self.spare)?;
        Ok(result)
    }

    /// Runs a kernel over a row. None if it bails out: then nothing has changed.
    #[inline(always)]
    pub(crate) fn run_kernel(
        &mut self,
        (number, kernel): (u32, &Kernel),
        arguments: &[Value],
        row: &mut RowEdit<'_>,
        place: &EvaluationContext<'_>,
    ) -> Option<Value> {
        let limits = &self.limits;
        let is_within =
            kernel.fuel <= limits.fuel && kernel.depth <= limits.depth && kernel.sets_made <= limits.effects;
        if !is_within || kernel.values_max > limits.values || !self.is_fast {
            return None;
        }
        let Some(result) = kernel.run(&mut self.kernel, (arguments, &[]), row.values, place) else {
            let fallback = kernel.fallback.as_ref()?;
            return self.run_fallback((number, fallback), arguments, row, place);
        };
        kernel.commit(&self.kernel, row.values);
        self.begin();
        if self.meter.is_some() {
            self.meter_kernel(number, kernel);
        }
        Some(result)
    }

    #[inline(never)]
    fn run_fallback(
        &mut self,
        kernel: (u32, &Kernel),
        arguments: &[Value],
        row: &mut RowEdit<'_>,
        place: &EvaluationContext<'_>,
    ) -> Option<Value> {
        self.run_kernel(kernel, arguments, row, place)
    }

    /// Discards the effects and sets of an evaluation that halted.
    pub(crate) fn discard(&mut self) {
        self.effects.clear();
        self.sets.clear();
    }

    /// The sets of the last evaluation, in order: the variable, the function that set it, and its place in the source.
    /// Kernels do not record sets: see [`Scratch::set_exact`].
    pub fn sets<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = (u32, u32, Span)> + 'a {
        self.sets.iter().map(|set| {
            let function = program.functions.get(set.function as usize);
            let span = function.and_then(|function| function.spans.get(set.instruction as usize));
            (set.variable, set.function, span.copied().unwrap_or_default())
        })
    }

    /// The effects that the last evaluation requested, in order.
    pub fn effects(&self) -> &[EffectRequest] {
        &self.effects
    }

    /// The complaints of the last evaluation.
    pub fn complaints(&self) -> &[Complaint] {
        &self.complaints
    }
}
