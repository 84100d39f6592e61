//! The memory report: for each region its size, use, high-water mark and refused requests.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::block::Block;
use crate::life::{ArrayHead, ListHead, PoolHead};
use crate::limits::{ALARM_CYCLES, GRANULE_BYTES};
use crate::plan::RegionKind;

/// One region's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportRow {
    /// The system it belongs to.
    pub system: String,
    /// Its name.
    pub region: String,
    /// What is counted: slots, elements, bytes or entries.
    pub unit: &'static str,
    /// Its size in bytes.
    pub bytes: usize,
    /// The number in use.
    pub used: u64,
    /// The high-water mark.
    pub used_max: u64,
    /// The capacity.
    pub capacity: u64,
    /// The number of refused requests.
    pub refused: u64,
    /// The number of compactions. Only for pools.
    pub compactions: u64,
}

/// All rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryReport {
    /// One per region, in address order.
    pub rows: Vec<ReportRow>,
    /// The size of the block.
    pub bytes: usize,
    /// The number of entries refused by full outboxes.
    pub entries_refused: u64,
}

/// The memory report of a block.
pub fn memory_report(block: &Block) -> MemoryReport {
    let plan = block.plan();
    let rows = plan.regions().iter().map(|region| {
        let start = region.bytes.start;
        let capacity = u64::from(region.elements.capacity);
        let (unit, used, used_max, capacity, refused) = match region.kind {
            RegionKind::Single => ("value", 1, 1, capacity, 0),
            RegionKind::Datums => {
                let head: &ArrayHead = block.value(start);
                ("slots", u64::from(head.count), u64::from(head.count_max), capacity, u64::from(head.refused))
            }
            RegionKind::List | RegionKind::Brush => {
                let head: &ListHead = block.value(start);
                let unit = if region.kind == RegionKind::List { "elements" } else { "waiting" };
                (unit, u64::from(head.count), u64::from(head.count_max), capacity, u64::from(head.refused))
            }
            // Always full.
            RegionKind::Alarms => ("cycles", ALARM_CYCLES, ALARM_CYCLES, ALARM_CYCLES, 0),
            RegionKind::Pool => {
                let head: &PoolHead = block.value(start);
                let bytes = |granules: u32| u64::from(granules) * GRANULE_BYTES as u64;
                let capacity = bytes(region.elements.capacity);
                ("bytes", bytes(head.used), bytes(head.used_max), capacity, u64::from(head.refused))
            }
        };
        let compactions = match region.kind {
            RegionKind::Pool => u64::from(block.value::<PoolHead>(start).compactions),
            _ => 0,
        };
        ReportRow {
            system: plan.systems()[region.system].name.clone(),
            region: region.name.clone(),
            unit,
            bytes: region.bytes.len(),
            used,
            used_max,
            capacity,
            refused,
            compactions,
        }
    });
    MemoryReport { rows: rows.collect(), bytes: plan.bytes(), entries_refused: block.time().entries_refused }
}

impl fmt::Display for MemoryReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{:<12} {:<16} {:>10} {:>9} {:>9} {:>9} {:>8}  of",
            "system", "region", "bytes", "used", "peak", "capacity", "refused"
        )?;
        for row in &self.rows {
            write!(
                formatter,
                "{:<12} {:<16} {:>10} {:>9} {:>9} {:>9} {:>8}  {}",
                row.system, row.region, row.bytes, row.used, row.used_max, row.capacity, row.refused, row.unit
            )?;
            match row.compactions {
                0 => writeln!(formatter)?,
                times => writeln!(formatter, ", compacted {times}×")?,
            }
        }
        write!(formatter, "one block of {} bytes; {} entries refused by outboxes", self.bytes, self.entries_refused)
    }
}
