//! A profile as JSON.

use astrarium::profile::{ProfileRow, ProfileSummary, SlowStep, TagRow};

use crate::json::Json;

/// The tags and the lines that are printed.
pub const ROWS_PRINTED: usize = 20;

/// Adds the tables of a profile to an object.
pub fn json_of(summary: &ProfileSummary, json: Json) -> Json {
    let whole = ProfileRow { name: "step".into(), is_phase: false, calls: summary.steps, nanos: summary.nanos };
    let rows = std::iter::once(&whole).chain(&summary.rows).map(|row| {
        Json::new()
            .text("name", &row.name)
            .value("is_phase", row.is_phase)
            .value("calls", row.calls)
            .value("total_nanoseconds", row.nanos)
            .value("mean_nanoseconds", row.nanos / row.calls.max(1))
            .value("share", format_args!("{:.4}", summary.share(row.nanos)))
    });
    let domains = summary.domains().into_iter().map(|(domain, nanos)| {
        let json = Json::new().text("domain", domain.name()).value("nanoseconds", nanos);
        json.value("share", format_args!("{:.4}", summary.share(nanos)))
    });
    let lines = summary.lines.iter().map(|row| {
        let json = Json::new().text("tag", &row.path).value("line", row.line).value("fuel", row.fuel);
        match summary.line_nanos(row) {
            Some(nanos) => json.value("estimated_nanoseconds", nanos),
            None => json,
        }
    });
    json.list("profile", rows)
        .list("profile_domains", domains)
        .value("profile_measured_steps", summary.measured)
        .list("profile_classes", summary.classes().iter().map(|row| json_of_cost("class", row)))
        .list("profile_tags", summary.tags.iter().map(|row| json_of_cost("tag", row).text("class", &row.class)))
        .list("profile_lines", lines)
        .list("profile_slowest", summary.slowest.iter().map(json_of_step))
}

fn json_of_cost(name: &str, row: &TagRow) -> Json {
    Json::new()
        .text(name, &row.path)
        .value("updates", row.cost.updates)
        .value("evaluations", row.cost.evaluations)
        .value("fuel", row.cost.fuel)
        .value("nanoseconds", row.cost.nanos)
}

fn json_of_step(step: &SlowStep) -> Json {
    let times = |times: &[(String, u64)]| -> Vec<Json> {
        times.iter().map(|(name, nanos)| Json::new().text("name", name).value("nanoseconds", nanos)).collect()
    };
    let json = Json::new().value("cycle", step.cycle).value("nanoseconds", step.nanos);
    json.list("stages", times(&step.stages)).list("tags", times(&step.tags))
}
