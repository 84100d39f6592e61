//! The workspace of a step: memory that is reused, and the phases that fill it.
//!
//! Law: nothing in it that outlives a step can change a result. Proxies of resting bodies are kept only while the values they were
//! made from are equal; the pair cache only says where to look for pairs.

mod gather;
mod hit;
mod merge;
mod reach;
mod sleep;
mod wake;
mod write;

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use jobs::{each_chunk, each_range};
use state::{Workers, World};

use crate::broad::BroadPhase;
use crate::ccd::{Ccd, CcdScene};
use crate::contact::{Contact, ContactEvent};
use crate::contact_summary::ContactSummaries;
use crate::force_field::ForceField;
use crate::islands::Islands;
use crate::limits::{BODIES_CHUNK, CONTACTS_CHUNK, FORCE_FIELDS_MAX};
use crate::narrow_phase::{NarrowPhase, NarrowPhaseContext, PairBody};
use crate::parts::{Capacities, Parts};
use crate::settings::Settings;
use crate::shapes::Shapes;
use crate::solve::articulations::Articulations;
use crate::solve::{SolveContext, Solver};
use crate::solver_body::{SolverBody, SolverVelocity};
use gather::RestingProxyKey;
use merge::{PairChange, PairReport};
use reach::Reach;

/// What every phase of a step reads.
#[derive(Clone, Copy)]
pub struct StepContext<'a> {
    /// The keys into the block.
    pub parts: Parts,
    /// The shapes.
    pub shapes: &'a Shapes,
    /// The settings, sanitized.
    pub settings: &'a Settings,
    /// The thread pool.
    pub workers: &'a dyn Workers,
}

/// The memory of a step.
pub struct Workspace {
    /// The index of each slot's solver body, or [`NO_BODY`]; up to the last slot in use.
    solver_indices: Vec<u32>,
    /// The chunks of these slots.
    chunks: usize,
    solver_bodies: Vec<SolverBody>,
    velocities: Vec<SolverVelocity>,
    /// For each solver body, the values the narrow phase reads.
    pair_bodies: Vec<PairBody>,
    force_fields: Vec<ForceField>,
    /// Of each solver body: whether it falls asleep.
    sleepers: Vec<bool>,
    /// Of each solver body, during CCD: whether it penetrates a static one deeply.
    deep: Vec<AtomicBool>,
    /// The values that the proxies of resting bodies were made from.
    resting: Vec<RestingProxyKey>,
    /// The slots of bodies that are quarantined in this step.
    invalid: Vec<u16>,
    broad: BroadPhase,
    narrow: NarrowPhase,
    summaries: ContactSummaries,
    solver: Solver,
    ccd: Ccd,
    articulations: Articulations,
    islands: Islands,
    /// The contacts of the last step.
    old: Vec<Contact>,
    /// The contacts to be written: indices of new ones, indices of old ones with the highest bit set.
    written: Vec<u32>,
    /// The pairs that need an event or a wake-up.
    changes: Vec<PairChange>,
    /// What these pairs report.
    reports: Vec<PairReport>,
    /// The same as `written`, without gaps between chunks.
    merged: Vec<u32>,
    /// Where those of each chunk end.
    merged_ends: Vec<u32>,
    /// Two counters for each chunk of slots, and the two prefix sums of these.
    chunk_counts: Vec<[AtomicU32; 2]>,
    ends: Vec<[u32; 2]>,
    runs: Vec<u32>,
    events: Vec<ContactEvent>,
    /// The bodies to be woken: a bit for each slot.
    woken: Vec<u64>,
    reach: Reach,
    events_refused: u64,
    are_pairs_complete: bool,
    contacts_refused: u32,
    /// Whether some body may be asleep.
    is_any_asleep: bool,
}

/// A penetration into a static body deeper than this fraction of the inscribed radius is deep. A body that CCD does not follow moves
/// at most half its inscribed radius in a step.
const DEEP_FRACTION: f32 = 0.25;

impl Workspace {
    /// Allocates for these capacities.
    pub fn new(capacities: Capacities) -> Workspace {
        let (bodies, contacts) = (capacities.bodies as usize, capacities.contacts as usize);
        let (pairs, chunks) = (capacities.pairs as usize, bodies.div_ceil(BODIES_CHUNK));
        Workspace {
            solver_indices: Vec::with_capacity(bodies),
            chunks: 0,
            solver_bodies: Vec::with_capacity(bodies),
            velocities: Vec::with_capacity(bodies),
            pair_bodies: Vec::with_capacity(bodies),
            force_fields: Vec::with_capacity(FORCE_FIELDS_MAX),
            sleepers: Vec::with_capacity(bodies),
            deep: (0..bodies).map(|_| AtomicBool::new(false)).collect(),
            resting: Vec::with_capacity(bodies),
            invalid: Vec::with_capacity(bodies),
            broad: BroadPhase::new(bodies, pairs),
            narrow: NarrowPhase::new(pairs, contacts),
            summaries: ContactSummaries::with_capacity(contacts),
            solver: Solver::new(bodies, contacts),
            ccd: Ccd::new(bodies),
            articulations: Articulations::new(capacities),
            islands: Islands::with_capacity(bodies),
            old: Vec::with_capacity(contacts),
            written: Vec::with_capacity(contacts * 2),
            changes: Vec::with_capacity(contacts * 2),
            reports: Vec::with_capacity(contacts * 2),
            merged: Vec::with_capacity(contacts * 2),
            merged_ends: Vec::with_capacity(chunks),
            chunk_counts: (0..chunks).map(|_| Default::default()).collect(),
            ends: Vec::with_capacity(chunks),
            runs: Vec::with_capacity(chunks),
            events: Vec::with_capacity(capacities.events as usize),
            woken: alloc::vec![0; bodies.div_ceil(64)],
            reach: Reach::with_capacity(bodies),
            events_refused: 0,
            are_pairs_complete: true,
            contacts_refused: 0,
            is_any_asleep: false,
        }
    }

    /// Broad phase: pairs of overlapping AABBs, without pairs that a joint excludes.
    pub fn find_pairs(&mut self, context: &StepContext<'_>) {
        self.are_pairs_complete = self.broad.find_pairs(context.workers);
        self.broad.exclude_pairs(self.articulations.non_colliding_pairs());
    }

    /// Narrow phase: contact constraints of all pairs, and a summary of each.
    pub fn find_contacts(&mut self, context: &StepContext<'_>, world: &World) {
        let narrow_context = NarrowPhaseContext {
            block: world,
            bodies: context.parts.bodies,
            old: &self.old,
            shapes: context.shapes,
            settings: context.settings,
            solver_bodies: &self.solver_bodies,
            pair_bodies: &self.pair_bodies,
            are_joined: self.articulations.has_joints(),
            solver_indices: &self.solver_indices,
        };
        self.contacts_refused = self.narrow.find(narrow_context, self.broad.pairs(), context.workers);
        self.summaries.summarize(&self.narrow, &self.solver_bodies, context.settings, context.workers);
    }

    /// Builds articulations and contact blocks.
    pub fn prepare(&mut self, context: &StepContext<'_>) {
        let (mut solve, solver, articulations) = self.solve_context(context);
        solver.prepare(&mut solve, articulations);
    }

    /// Solves contacts and joints and integrates, in sub-steps.
    pub fn solve(&mut self, context: &StepContext<'_>) {
        let (mut solve, solver, articulations) = self.solve_context(context);
        solver.solve(&mut solve, articulations);
        self.summaries
            .mark_touching(context.workers, |index| self.solver.total_impulse(&self.articulations, index) > 0.0);
    }

    /// Continuous collision detection of fast bodies.
    pub fn solve_ccd(&mut self, context: &StepContext<'_>, world: &World) {
        self.mark_deep(context.workers);
        let StepContext { parts, shapes, settings, workers } = *context;
        let (bodies, solver_indices) = (parts.bodies, &self.solver_indices);
        let non_colliding = self.articulations.non_colliding_pairs();
        let scene =
            CcdScene { block: world, bodies, shapes, settings, broad: &self.broad, solver_indices, non_colliding };
        if !self.ccd.select(&scene, &self.solver_bodies, &self.velocities, workers) {
            return;
        }
        self.broad.build_bvhs(workers);
        let (mut projector, non_colliding) = self.articulations.projector();
        let scene =
            CcdScene { block: world, bodies, shapes, settings, broad: &self.broad, solver_indices, non_colliding };
        self.ccd.solve(&scene, &mut projector, (&mut self.solver_bodies, &mut self.velocities), workers);
    }

    fn solve_context<'a>(
        &'a mut self,
        context: &StepContext<'a>,
    ) -> (SolveContext<'a>, &'a mut Solver, &'a mut Articulations) {
        let solve = SolveContext {
            settings: context.settings,
            workers: context.workers,
            narrow: &self.narrow,
            summaries: &self.summaries,
            bodies: &mut self.solver_bodies,
            velocities: &mut self.velocities,
        };
        (solve, &mut self.solver, &mut self.articulations)
    }

    /// Marks dynamic bodies that penetrate a static one deeply: CCD follows their centers however slow they are.
    fn mark_deep(&mut self, workers: &dyn Workers) {
        let (summaries, bodies) = (self.summaries.as_slice(), &self.solver_bodies);
        let (pair_bodies, deep, is_any) = (&self.pair_bodies, &self.deep, AtomicBool::new(false));
        each_range(workers, summaries.len(), CONTACTS_CHUNK, |range| {
            for summary in summaries[range].iter().filter(|summary| summary.is_penetrating_static()) {
                for index in summary.body_indices.map(|index| index as usize) {
                    let is_dynamic = bodies.get(index).is_some_and(|body| body.inverse_mass > 0.0);
                    if is_dynamic && summary.depth > DEEP_FRACTION * pair_bodies[index].inscribed_radius() {
                        deep[index].store(true, Relaxed);
                        is_any.store(true, Relaxed);
                    }
                }
            }
        });
        if is_any.into_inner() {
            each_chunk(workers, &mut self.solver_bodies, BODIES_CHUNK, |first, bodies| {
                let marked = bodies.iter_mut().zip(&deep[first..]);
                marked.for_each(|(body, deep)| body.is_deep |= deep.swap(false, Relaxed));
            });
        }
    }
}
