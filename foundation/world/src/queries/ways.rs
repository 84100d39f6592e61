//! The answers to queries about ways on the map of the level.

use base::{Handle, Vec3, number};
use navigation::terrain::{is_free, standing};
use navigation::{Outcome, Terrain};
use script::machine::Halt;
use script::value::{Kind, Value};

use super::QueryContext;
use crate::object::Object;
use crate::way_map::{WayMap, Ways};
use crate::way_settings::WayKind;

/// The fields of a way.
pub(super) const WAY: [&str; 2] = ["points", "complete"];

/// The corners of a way that a script gets; a longer one is not complete.
const CORNERS_MAX: usize = 256;

/// The corners of a way.
struct Corners {
    points: [Vec3; CORNERS_MAX],
    count: usize,
    is_complete: bool,
}

impl QueryContext<'_, '_> {
    /// The map and the clearance that the agent needs; none in a level without a map.
    fn map(&mut self, radius: usize) -> Option<(&Ways, WayMap<'_>, u8)> {
        let radius = match self.arguments[radius] {
            Value::NOTHING => None,
            value => Some(value.as_number().unwrap_or_else(|| self.machine.wrong(Kind::Number, value, 0.0)) as f32),
        };
        let ways = self.sight.ways?;
        Some((ways, ways.map(self.sight.block)?, ways.settings.needed(radius)))
    }

    /// Searches for a way. The budget is that of the map, within the fuel that is left; each cell costs one.
    fn search(&mut self) -> Result<Corners, Halt> {
        let [from, to] = self.machine.vectors(&self.arguments);
        let fuel = u32::try_from(self.machine.fuel()).unwrap_or(u32::MAX);
        let asker: Handle<Object> = self.machine.this().as_handle().map_or(Handle::NONE, |(this, _)| this.cast());
        let mut found = Corners { points: [Vec3::ZERO; CORNERS_MAX], count: 0, is_complete: false };
        let mut nodes = 0;
        if let Some((ways, map, needed)) = self.map(2) {
            let chunk = usize::from(asker.slot()) / crate::limits::CHUNK_OBJECTS as usize;
            ways.searches.with(chunk, |search| {
                let way = search.find(&map, from, to, needed, ways.settings.search_max.min(fuel));
                nodes = u64::from(way.nodes);
                let lift = lift(ways, &map, way.corners.first().copied(), from);
                // The agent is in the first cell already.
                let corners = way.corners.get(1..).unwrap_or(&[]);
                found.count = corners.len().min(CORNERS_MAX);
                for (point, cell) in found.points.iter_mut().zip(corners) {
                    *point = map.stand(*cell) + Vec3::new(0.0, 0.0, lift);
                }
                found.is_complete = way.outcome == Outcome::Complete && corners.len() <= CORNERS_MAX;
            });
        }
        if found.is_complete {
            found.count = found.count.max(1);
            found.points[found.count - 1] = to;
        }
        self.sight.workspaces.look(nodes, false);
        self.machine.burn(nodes + found.count as u64)?;
        Ok(found)
    }
}

/// How high above the floor an agent is: its points are as high above theirs.
fn lift(ways: &Ways, map: &WayMap<'_>, cell: Option<u32>, from: Vec3) -> f32 {
    match (&ways.settings.kind, cell) {
        (WayKind::Ground(settings), Some(cell)) => number::clamp(from.z - map.stand(cell).z, 0.0, settings.height),
        _ => 0.0,
    }
}

pub(super) fn find_way(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let found = context.search()?;
    let points = &found.points[..found.count];
    let list = context
        .machine
        .build(|machine| points.iter().try_for_each(|point| machine.push(Value::vector(point.canonical()))))?;
    context.machine.make_record(WAY, [list, Value::truth(found.is_complete)])
}

pub(super) fn way_next(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let [from, to] = context.machine.vectors(&context.arguments);
    let block = context.sight.block;
    let by_field = context.map(2).and_then(|(ways, map, needed)| {
        let (start, goal) = (standing(&map, from, needed)?, standing(&map, to, needed)?);
        if start.cell == goal.cell {
            return Some(if goal.is_exact {
                to
            } else {
                map.stand(goal.cell) + Vec3::new(0.0, 0.0, lift(ways, &map, Some(start.cell), from))
            });
        }
        let next = ways.fields(block).ahead(&map, start.cell, goal.cell, needed)?;
        if next == goal.cell && goal.is_exact {
            return Some(to);
        }
        Some(map.stand(next) + Vec3::new(0.0, 0.0, lift(ways, &map, Some(start.cell), from)))
    });
    let next = match by_field {
        Some(next) => Some(next),
        None => {
            let found = context.search()?;
            found.points[..found.count].first().copied()
        }
    };
    Ok(next.map_or(Value::NOTHING, |next| Value::vector(next.canonical())))
}

pub(super) fn is_walkable(context: &mut QueryContext<'_, '_>) -> Result<Value, Halt> {
    let [place] = context.machine.vectors(&context.arguments);
    let is_walkable = context.map(1).is_some_and(|(_, map, needed)| is_free(&map, place, needed));
    Ok(Value::truth(is_walkable))
}
