//! The solver: sub-stepped sequential impulses with soft contact constraints and graph colouring (Macklin et al., "Small Steps",
//! 2019; Catto, "Solver2D", 2024), with a direct solver for joints.
//!
//! | stage of a sub-step | what is done | of |
//! |---|---|---|
//! | integrate velocities | forces, damping, gyroscopic torque; from the second sub-step on also the impulses of the last one | bodies |
//! | warm start | accumulated impulses of the last sub-step | articulations |
//! | warm start | accumulated impulses of the last step, in the first sub-step; later only on bodies with joints | contacts |
//! | solve | biased pass: normal constraints with soft position correction | contacts, then articulations |
//! | integrate positions | poses follow velocities | bodies |
//! | settle | pseudo impulses of position correction are removed | articulations |
//! | relax | unbiased pass: normal constraints and friction | contacts |
//! | restitution | a few passes over contacts that collided in this sub-step | contacts |
//! | relax | unbiased pass, friction and restitution of tree contacts | articulations |
//!
//! Laws
//! 1. Contacts are solved colour by colour, and no body is in two contacts of a colour. So the number of workers does not matter.
//! 2. Friction is solved in the relax pass only: in the biased pass it would resist the velocity of position correction.
//! 3. A crowded body (the push-out speeds of its overlaps sum to more than [`Settings::push_speed_max`]) becomes no faster than that,
//!    or than the fastest body it touches: along a chain of overlaps push-out speeds add up, and one relax pass removes too little.

pub mod block_lcp;

pub mod block;

pub mod articulations;

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use base::Vec3;
use base::number::{max, min};
use jobs::pairing::{Blocks, JobSizes, PHASES_MAX, Phase, PhaseWork};
use jobs::{PairWork, Pairs, each_chunk, each_range};
use state::Workers;

use crate::colours::{Colours, ContactLocation, NO_CONTACT};
use crate::contact::Contact;
use crate::contact_summary::{ContactSummaries, ContactSummary};
use crate::limits::{BLOCKS_CHUNK, BODIES_CHUNK, COLOURS_MAX, CONTACTS_CHUNK, LANES, POINTS_MAX, SIZE_MIN};
use crate::narrow_phase::NarrowPhase;
use crate::settings::Settings;
use crate::solver_body::{SolverBody, SolverVelocity, integrate_rotation, pad, unpad};
use articulations::Articulations;
use block::{ContactBlock, Softness, StepCoefficients};
use block_lcp::FACTORS;

/// The contact solver and its memory.
pub struct Solver {
    colours: Colours,
    single_point_blocks: Vec<ContactBlock<1, 1>>,
    multi_point_blocks: Vec<ContactBlock<POINTS_MAX, FACTORS>>,
    /// Of each body: whether a contact is active within the step.
    has_contact: Vec<AtomicBool>,
    /// Stages that are queued, to be run without a barrier on the calling thread between them.
    queued: Vec<Phase<SolverStage>>,
    /// Whether some body is crowded: see law 3.
    is_any_crowded: bool,
}

/// What the solver reads and changes in a step.
pub struct SolveContext<'a> {
    /// The settings.
    pub settings: &'a Settings,
    /// The thread pool.
    pub workers: &'a dyn Workers,
    /// The contact constraints.
    pub narrow: &'a NarrowPhase,
    /// Their summaries.
    pub summaries: &'a ContactSummaries,
    /// The bodies.
    pub bodies: &'a mut [SolverBody],
    /// Their velocities.
    pub velocities: &'a mut [SolverVelocity],
}

/// Passes over contacts that collided in a sub-step: the impulses of simultaneous collisions depend on one another.
const RESTITUTION_PASSES: u32 = 3;

/// Overlaps pushed out more slowly than this fraction of the maximum speed do not count towards a crowd.
const CROWD_PUSH_MIN: f32 = 0.125;

/// Fewer blocks than this are solved by one job: distributing them would cost more.
const PARALLEL_BLOCKS_MIN: usize = 4 * BLOCKS_CHUNK;

/// Blocks that one job prepares at least, and the maximum number of these jobs: each has a part of every colour.
const PREPARED_CHUNK: usize = 16;
const PREPARED_JOBS: usize = 64;

const JOB_SIZES: JobSizes =
    JobSizes { elements: BODIES_CHUNK, blocks: BLOCKS_CHUNK, parallel_blocks_min: PARALLEL_BLOCKS_MIN };

/// A stage of the table above, on all bodies or on all contacts of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SolverStage {
    IntegrateVelocities { is_first: bool },
    WarmStart,
    WarmStartJoined,
    Solve,
    IntegratePositions,
    Relax { colour: u32 },
    Restitution { is_last: bool },
}

impl Solver {
    /// Allocates for this many bodies and contacts.
    pub fn new(bodies: usize, contacts: usize) -> Solver {
        let blocks = contacts + COLOURS_MAX;
        Solver {
            colours: Colours::new(bodies, contacts),
            single_point_blocks: Vec::with_capacity(blocks),
            multi_point_blocks: Vec::with_capacity(blocks),
            has_contact: (0..bodies).map(|_| AtomicBool::new(false)).collect(),
            queued: Vec::with_capacity(PHASES_MAX),
            is_any_crowded: false,
        }
    }

    /// Builds the articulations, colours the contacts, and fills the contact blocks.
    pub fn prepare(&mut self, context: &mut SolveContext<'_>, articulations: &mut Articulations) {
        assert_eq!(context.bodies.len(), context.velocities.len(), "each solver body has a velocity");
        debug_assert!(context.bodies.iter().all(|body| body.inverse_mass >= 0.0), "inverse masses are not negative");
        articulations.prepare((context.narrow, context.summaries), (&mut *context.bodies, &*context.velocities));
        self.colour_contacts(context, articulations);
        self.fill_blocks(context);
        self.is_any_crowded = limit_crowds(context);
    }

    /// Solves the step, sub-step by sub-step: each follows the table of this page.
    pub fn solve(&mut self, context: &mut SolveContext<'_>, articulations: &mut Articulations) {
        let settings = context.settings;
        let seconds = settings.seconds / settings.substeps as f32;
        let work = Substep { coefficients: StepCoefficients::new(settings), seconds, impacts: AtomicU64::new(0) };
        for substep in 0..settings.substeps {
            self.substep(context, articulations, &work, substep == 0);
        }
        if self.is_any_crowded {
            context.bodies.iter().zip(&mut *context.velocities).for_each(|(body, velocity)| limit(body, velocity));
        }
    }

    fn substep(
        &mut self,
        context: &mut SolveContext<'_>,
        articulations: &mut Articulations,
        work: &Substep,
        is_first: bool,
    ) {
        let has_joints = !articulations.is_empty();
        self.queued.push(Phase::Elements(SolverStage::IntegrateVelocities { is_first }));
        if has_joints {
            self.run_queued(context, work);
            let SolveContext { settings, workers, bodies, velocities, .. } = context;
            articulations.warm_start(is_first, settings, (bodies, velocities), *workers);
        }
        if is_first {
            self.queue_colours(|_| SolverStage::WarmStart);
        } else if has_joints {
            self.queue_colours(|_| SolverStage::WarmStartJoined);
        }
        self.queue_colours(|_| SolverStage::Solve);
        if has_joints {
            self.run_queued(context, work);
            let SolveContext { settings, workers, bodies, velocities, .. } = context;
            articulations.solve(settings, (bodies, velocities), *workers);
        }
        self.queued.push(Phase::Elements(SolverStage::IntegratePositions));
        if has_joints {
            self.run_queued(context, work);
            let SolveContext { workers, bodies, velocities, .. } = context;
            articulations.settle((bodies, velocities), *workers);
        }
        self.queue_colours(|colour| SolverStage::Relax { colour });
        self.run_queued(context, work);
        let impacts = work.impacts.swap(0, Relaxed);
        for pass in 1..=RESTITUTION_PASSES {
            let is_last = pass == RESTITUTION_PASSES;
            let colours = (0..=COLOURS_MAX as u32).filter(|colour| impacts >> colour & 1 == 1);
            self.queued.extend(colours.map(|colour| Phase::Colour(colour, SolverStage::Restitution { is_last })));
        }
        self.run_queued(context, work);
        let SolveContext { settings, workers, bodies, velocities, .. } = context;
        articulations.relax(settings, RESTITUTION_PASSES, (bodies, velocities), *workers);
    }

    /// Writes the accumulated impulses of a contact, for warm starting.
    pub fn store_impulses(&self, articulations: &Articulations, index: usize, contact: &mut Contact) {
        if let Some(tree_contact) = articulations.tree_contact(index) {
            return tree_contact.store_impulses(contact);
        }
        match self.colours.locations()[index] {
            ContactLocation::Unsolved => {}
            ContactLocation::SinglePoint(at) => {
                self.single_point_blocks[at as usize / LANES].store_impulses(at as usize % LANES, contact)
            }
            ContactLocation::MultiPoint(at) => {
                self.multi_point_blocks[at as usize / LANES].store_impulses(at as usize % LANES, contact)
            }
        }
    }

    /// The sum of the normal impulses of a contact over the step, in newton seconds.
    pub fn total_impulse(&self, articulations: &Articulations, index: usize) -> f32 {
        if let Some(tree_contact) = articulations.tree_contact(index) {
            return tree_contact.total_impulse();
        }
        match self.colours.locations()[index] {
            ContactLocation::Unsolved => 0.0,
            ContactLocation::SinglePoint(at) => {
                self.single_point_blocks[at as usize / LANES].total_impulse(at as usize % LANES)
            }
            ContactLocation::MultiPoint(at) => {
                self.multi_point_blocks[at as usize / LANES].total_impulse(at as usize % LANES)
            }
        }
    }

    /// Colours the contacts that are solved in blocks, and finds the bodies in free flight.
    fn colour_contacts(&mut self, context: &mut SolveContext<'_>, articulations: &Articulations) {
        let (has_contact, summaries) = (&self.has_contact, context.summaries.as_slice());
        let contact = |index: usize| {
            let summary = &summaries[index];
            if summary.is_solved() && summary.is_active() {
                let bodies = summary.body_indices.into_iter().filter_map(|body| has_contact.get(body as usize));
                // Read before it is written, so that the cache line is not contended.
                bodies.filter(|has| !has.load(Relaxed)).for_each(|has| has.store(true, Relaxed));
            }
            (summary.is_solved() && articulations.tree_contact(index).is_none())
                .then(|| (summary.body_indices, summary.has_one_point()))
        };
        self.colours.assign(context.bodies.len(), summaries.len(), contact, context.workers);
        each_chunk(context.workers, context.bodies, BODIES_CHUNK, |first, bodies| {
            let flagged = bodies.iter_mut().zip(&has_contact[first..]);
            flagged.for_each(|(body, has_contact)| body.is_free &= !has_contact.swap(false, Relaxed));
        });
    }

    fn fill_blocks(&mut self, context: &SolveContext<'_>) {
        let colours = &self.colours;
        self.single_point_blocks.resize(colours.blocks(0), ContactBlock::EMPTY);
        self.multi_point_blocks.resize(colours.blocks(1), ContactBlock::EMPTY);
        let count = self.single_point_blocks.len() + self.multi_point_blocks.len();
        let jobs = count.div_ceil(PREPARED_CHUNK).min(PREPARED_JOBS);
        let filler = BlockFiller { colours, narrow: context.narrow, bodies: &*context.bodies };
        let first = |start: usize, blocks: &mut [ContactBlock<1, 1>]| filler.fill(blocks, 0, start);
        let second = |start: usize, blocks: &mut [ContactBlock<POINTS_MAX, FACTORS>]| filler.fill(blocks, 1, start);
        let blocks = (&mut self.single_point_blocks[..], &mut self.multi_point_blocks[..]);
        colours.pairing().each_block((context.workers, jobs), blocks, (first, second));
    }

    /// Queues a stage for all contacts, colour by colour.
    fn queue_colours(&mut self, stage: impl Fn(u32) -> SolverStage) {
        let pairing = self.colours.pairing();
        let colours = (0..pairing.colours() as u32).filter(|colour| !pairing.is_empty(*colour as usize));
        self.queued.extend(colours.map(|colour| Phase::Colour(colour, stage(colour))));
    }

    fn run_queued(&mut self, context: &mut SolveContext<'_>, work: &Substep) {
        let blocks = (&mut self.single_point_blocks[..], &mut self.multi_point_blocks[..]);
        let bodies = (&mut *context.bodies, &mut *context.velocities);
        self.colours.pairing().run_phases((context.workers, JOB_SIZES), &self.queued, bodies, blocks, work);
        self.queued.clear();
    }
}

/// What contact blocks are filled from.
struct BlockFiller<'a> {
    colours: &'a Colours,
    narrow: &'a NarrowPhase,
    bodies: &'a [SolverBody],
}

impl BlockFiller<'_> {
    /// Fills blocks of one kind, beginning with number `start`.
    fn fill<const POINTS: usize, const FACTORS: usize>(
        &self,
        blocks: &mut [ContactBlock<POINTS, FACTORS>],
        kind: usize,
        start: usize,
    ) {
        for (index, block) in blocks.iter_mut().enumerate() {
            let constraint = |index: u32| (index != NO_CONTACT).then(|| self.narrow.get(index as usize));
            block.prepare(self.colours.lanes(kind, start + index).map(constraint), self.bodies);
        }
    }
}

/// The work of the stages of a sub-step.
struct Substep {
    coefficients: StepCoefficients,
    seconds: f32,
    /// Colours with a contact that collided in this sub-step: a bit for each.
    impacts: AtomicU64,
}

impl PhaseWork<LANES> for Substep {
    type Element = SolverVelocity;
    type Owner = SolverBody;
    type First = ContactBlock<1, 1>;
    type Second = ContactBlock<POINTS_MAX, FACTORS>;
    type Operation = SolverStage;

    fn elements(&self, stage: SolverStage, solver_bodies: &mut [SolverBody], velocities: &mut [SolverVelocity]) {
        let each = solver_bodies.iter_mut().zip(velocities);
        match stage {
            SolverStage::IntegrateVelocities { is_first } => each
                .for_each(|(solver_body, velocity)| integrate_velocity(solver_body, velocity, is_first, self.seconds)),
            _ => each.for_each(|(solver_body, velocity)| integrate_position(solver_body, velocity, self.seconds)),
        }
    }

    fn first(&self, stage: SolverStage, blocks: Blocks<'_, ContactBlock<1, 1>, SolverVelocity, LANES>) {
        self.pairs(stage, blocks);
    }

    fn second(&self, stage: SolverStage, blocks: Blocks<'_, ContactBlock<POINTS_MAX, FACTORS>, SolverVelocity, LANES>) {
        self.pairs(stage, blocks);
    }
}

impl Substep {
    fn pairs<const POINTS: usize, const FACTORS: usize>(
        &self,
        stage: SolverStage,
        blocks: Blocks<'_, ContactBlock<POINTS, FACTORS>, SolverVelocity, LANES>,
    ) {
        let coefficients = self.coefficients;
        match stage {
            SolverStage::WarmStart => blocks.each(&WarmStart),
            SolverStage::WarmStartJoined => blocks.each(&WarmStartJoined),
            SolverStage::Solve => blocks.each(&SolveBiased { coefficients }),
            SolverStage::Relax { colour } => blocks.each(&Relax { coefficients, colour, impacts: &self.impacts }),
            SolverStage::Restitution { is_last } => blocks.each(&Restitute { coefficients, is_last }),
            SolverStage::IntegrateVelocities { .. } | SolverStage::IntegratePositions => {}
        }
    }
}

/// The stages of contact blocks.
struct WarmStart;
struct WarmStartJoined;
struct SolveBiased {
    coefficients: StepCoefficients,
}
struct Relax<'a> {
    coefficients: StepCoefficients,
    colour: u32,
    impacts: &'a AtomicU64,
}
struct Restitute {
    coefficients: StepCoefficients,
    is_last: bool,
}

impl<const POINTS: usize, const FACTORS: usize> PairWork<ContactBlock<POINTS, FACTORS>, SolverVelocity, LANES>
    for WarmStart
{
    #[inline(always)]
    fn work(&self, block: &mut ContactBlock<POINTS, FACTORS>, pairs: &mut Pairs<'_, SolverVelocity, LANES>) {
        block.warm_start(pairs);
    }
}

impl<const POINTS: usize, const FACTORS: usize> PairWork<ContactBlock<POINTS, FACTORS>, SolverVelocity, LANES>
    for WarmStartJoined
{
    #[inline(always)]
    fn work(&self, block: &mut ContactBlock<POINTS, FACTORS>, pairs: &mut Pairs<'_, SolverVelocity, LANES>) {
        block.warm_start_joined(pairs);
    }
}

impl<const POINTS: usize, const FACTORS: usize> PairWork<ContactBlock<POINTS, FACTORS>, SolverVelocity, LANES>
    for SolveBiased
{
    #[inline(always)]
    fn work(&self, block: &mut ContactBlock<POINTS, FACTORS>, pairs: &mut Pairs<'_, SolverVelocity, LANES>) {
        block.solve(pairs, &self.coefficients);
    }
}

impl<const POINTS: usize, const FACTORS: usize> PairWork<ContactBlock<POINTS, FACTORS>, SolverVelocity, LANES>
    for Relax<'_>
{
    #[inline(always)]
    fn work(&self, block: &mut ContactBlock<POINTS, FACTORS>, pairs: &mut Pairs<'_, SolverVelocity, LANES>) {
        block.relax(pairs, &self.coefficients);
        // Read before it is written, so that the cache line is not contended.
        if block.has_impact() && self.impacts.load(Relaxed) >> self.colour & 1 == 0 {
            self.impacts.fetch_or(1 << self.colour, Relaxed);
        }
    }
}

impl<const POINTS: usize, const FACTORS: usize> PairWork<ContactBlock<POINTS, FACTORS>, SolverVelocity, LANES>
    for Restitute
{
    #[inline(always)]
    fn work(&self, block: &mut ContactBlock<POINTS, FACTORS>, pairs: &mut Pairs<'_, SolverVelocity, LANES>) {
        block.restitute(pairs, &self.coefficients, self.is_last);
    }
}

impl StepCoefficients {
    fn new(settings: &Settings) -> StepCoefficients {
        let seconds = settings.seconds / settings.substeps as f32;
        let hertz = min(settings.contact_hertz, 0.25 / seconds);
        StepCoefficients {
            rate: 1.0 / seconds,
            push_speed_max: settings.push_speed_max,
            soft: Softness::new(hertz, settings.contact_damping, seconds),
            hard: Softness::new(2.0 * hertz, settings.contact_damping, seconds),
        }
    }
}

const _: () = assert!(
    2 + (COLOURS_MAX + 1) * (3 + RESTITUTION_PASSES as usize) <= PHASES_MAX,
    "the stages of a sub-step without joints fit into one queue"
);

/// Sets the speed limits of crowded bodies: see law 3. False if there are none.
fn limit_crowds(context: &mut SolveContext<'_>) -> bool {
    let SolveContext { settings, workers, summaries, bodies, velocities, .. } = context;
    let (rate, push_max) = (StepCoefficients::new(settings).soft.bias_rate, settings.push_speed_max);
    let is_deep = |summary: &&ContactSummary| {
        summary.is_solved() && summary.is_active() && summary.depth * rate > CROWD_PUSH_MIN * push_max
    };
    let (all, is_any) = (summaries.as_slice(), AtomicBool::new(false));
    each_range(*workers, all.len(), CONTACTS_CHUNK, |range| {
        if all[range].iter().any(|summary| is_deep(&summary)) {
            is_any.store(true, Relaxed);
        }
    });
    if !is_any.into_inner() {
        return false;
    }
    // Sums of floats have an order.
    for summary in all.iter().filter(is_deep) {
        for body in summary.body_indices {
            if let Some(body) = bodies.get_mut(body as usize) {
                body.push_speed_sum += min(summary.depth * rate, push_max);
            }
        }
    }
    let is_crowded = |body: &SolverBody| body.push_speed_sum > push_max;
    let speed = |body: &SolverBody, velocity: &SolverVelocity| {
        velocity.linear().length() + body.acceleration.length() * settings.seconds
    };
    for (body, velocity) in bodies.iter_mut().zip(&**velocities).filter(|(body, _)| is_crowded(body)) {
        body.speed_max = max(speed(body, velocity), push_max);
    }
    for [first, second] in summaries.as_slice().iter().map(|summary| summary.body_indices) {
        for (one, other) in [(first, second), (second, first)] {
            let Some(velocity) = velocities.get(other as usize) else { continue };
            if let Some(body) = bodies.get_mut(one as usize).filter(|body| is_crowded(body)) {
                body.speed_max = max(body.speed_max, speed(body, velocity));
            }
        }
    }
    true
}

/// Applies the speed limit of a crowded body.
fn limit(body: &SolverBody, velocity: &mut SolverVelocity) {
    if body.speed_max < f32::INFINITY {
        velocity.linear = pad(velocity.linear().limit_length(body.speed_max));
        velocity.angular = pad(velocity.angular().limit_length(body.speed_max / max(body.bounding_radius, SIZE_MIN)));
    }
}

/// Integrates forces and torques. From the second sub-step on it warm starts too: the velocity change by all impulses of the last
/// sub-step is applied again, per body, without a pass over the contacts.
fn integrate_velocity(body: &SolverBody, velocity: &mut SolverVelocity, is_first: bool, seconds: f32) {
    let (linear, angular) = (velocity.linear(), velocity.angular());
    // Joint axes rotate with their bodies, so joints are warm started by the articulations, with the contacts solved with them.
    let is_anew = is_first || body.is_joined || body.touches_articulation;
    let warm = if is_anew {
        [Vec3::ZERO; 2]
    } else {
        [linear - unpad(velocity.free_linear), angular - unpad(velocity.free_angular)]
    };
    let linear = (linear + body.acceleration * seconds) * body.linear_damping;
    let angular = (angular + body.angular_acceleration * seconds) * body.angular_damping;
    let angular =
        if body.principal_moments == Vec3::ZERO { angular } else { body.integrate_gyroscopic(angular, seconds) };
    (velocity.free_linear, velocity.free_angular) = (pad(linear), pad(angular));
    (velocity.linear, velocity.angular) = (pad(linear + warm[0]), pad(angular + warm[1]));
}

/// Integrates the pose (semi-implicit Euler).
fn integrate_position(body: &mut SolverBody, velocity: &mut SolverVelocity, seconds: f32) {
    limit(body, velocity);
    let (linear, angular) = (velocity.linear(), velocity.angular());
    // In free flight the position is exact for a constant acceleration, whatever the number of sub-steps.
    let excess = if body.is_free { body.acceleration * (0.5 * seconds * seconds) } else { Vec3::ZERO };
    velocity.delta_position = pad(velocity.delta_position() + linear * seconds - excess);
    velocity.delta_rotation = pad(unpad(velocity.delta_rotation) + angular * seconds);
    body.rotation = integrate_rotation(body.rotation, angular, seconds);
}
