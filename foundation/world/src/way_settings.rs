//! The settings of a level's map for finding ways, from its scenario.

use base::number;
use navigation::limits::CLEARANCE_MAX;
use navigation::terrain::needed_clearance;
use navigation::{GroundSettings, Lattice, LatticeError, SpaceChunks};

use crate::classes::{NavigationName, NavigationRecord};

/// The settings of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaySettings {
    /// Its cells, and what agents do in them.
    pub kind: WayKind,
    /// The radius of an agent, where a script gives none.
    pub radius: f32,
    /// The most cells that one search looks at.
    pub search_max: u32,
    /// The number of fields.
    pub fields_max: u32,
    /// The cells of fields that are computed in a cycle.
    pub field_cells: u32,
    /// The pages of a space.
    pub pages_max: u32,
    /// The slope that is too steep: the height of the surface normal.
    pub steep: f32,
}

/// What agents do on a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WayKind {
    /// They walk.
    Ground(GroundSettings),
    /// They fly.
    Space(SpaceChunks),
}

impl WaySettings {
    /// The settings of a record; none if the level has no map.
    pub fn of(record: &NavigationRecord) -> Result<Option<WaySettings>, LatticeError> {
        let radius = number::max(record.radius, record.radius_max);
        let clearance_max = needed_clearance(radius, record.cell_size).min(CLEARANCE_MAX);
        let slope = record.slope_max * (number::PI / 180.0);
        let kind = match record.kind.get() {
            NavigationName::None => return Ok(None),
            NavigationName::Ground => WayKind::Ground(GroundSettings {
                lattice: Lattice::flat(record.least, record.most, record.cell_size)?,
                height: record.height,
                step_max: record.step_max,
                slope_max: number::tan(slope),
                clearance_max,
            }),
            NavigationName::Space => {
                let lattice = Lattice::solid(record.least, record.most, record.cell_size)?;
                WayKind::Space(SpaceChunks::new(lattice, clearance_max))
            }
        };
        Ok(Some(WaySettings {
            kind,
            radius: record.radius,
            search_max: record.search_max,
            fields_max: record.fields_max.min(FIELDS_MAX as u32),
            field_cells: record.field_cells,
            pages_max: record.blocks_max,
            steep: number::cos(slope),
        }))
    }

    /// The cells.
    pub fn lattice(&self) -> &Lattice {
        match &self.kind {
            WayKind::Ground(settings) => &settings.lattice,
            WayKind::Space(settings) => settings.lattice(),
        }
    }

    /// The clearance that an agent of a radius needs; that of the settings without one.
    pub fn needed(&self, radius: Option<f32>) -> u8 {
        needed_clearance(radius.unwrap_or(self.radius), self.lattice().cell())
    }
}

/// The most fields of a map.
pub const FIELDS_MAX: usize = 64;
