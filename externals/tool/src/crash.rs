//! `crash show`: the contents of a crash report.

use std::path::Path;

use astrarium::Error;
use astrarium::crash::{ChangedTag, changed_lately, read};
use host::files;
use relay::CrashReport;

use crate::error::CommandError;
use crate::json::Json;
use crate::mods;

/// The path of a changed tag. The report does not hold one that came while the session ran.
fn name_of(tag: &ChangedTag) -> String {
    match tag.path.as_str() {
        "" => format!("a tag that came later ({})", tag.id),
        path => path.to_string(),
    }
}

/// Prints the contents of a crash report.
pub fn show(path: &Path, is_json: bool) -> Result<(), CommandError> {
    let bytes = read(path)?;
    let report = CrashReport::read(&bytes).map_err(|error| Error::from(error).in_file(path))?;
    let made_with = astrarium::crash::mods_of(path)?;
    let is_running = files::is_held(path);
    let changed = changed_lately(&report);
    let records = (report.records.first(), report.records.last());
    if is_json {
        let backups =
            report.backups.iter().map(|backup| Json::new().value("cycle", backup.cycle).hex("hash", backup.hash));
        let json = Json::new()
            .text("file", &path.to_string_lossy())
            .text("game", &report.purpose.game)
            .text("level", &report.purpose.level)
            .hex("layout", report.purpose.layout)
            .hex("content", report.purpose.content)
            .value("complete", report.complete)
            .text("last_words", &report.last_words)
            .list("mods", mods::rows(&made_with))
            .value("is_running", is_running)
            .value("has_tags", !report.tags.is_empty())
            .list(
                "changed",
                changed.iter().map(|tag| Json::new().text("tag", &name_of(tag)).value("safe_cycle", tag.safe_cycle)),
            )
            .list("backups", backups)
            .value("inputs", report.records.len());
        println!("{}", json.finish());
        return Ok(());
    }
    println!("{} {}, {} brush cycles completed", report.purpose.game, report.purpose.level, report.complete);
    let words = match report.last_words.as_str() {
        "" if is_running => "none yet: the program is running",
        "" => "none: it was killed",
        words => words,
    };
    println!("last words: {words}");
    mods::print(&made_with);
    for tag in &changed {
        println!("{} was changed in the last minute: from safe cycle {} on", name_of(tag), tag.safe_cycle);
    }
    for backup in &report.backups {
        println!("backup of cycle {}, hash {:016x}", backup.cycle, backup.hash);
    }
    if let (Some(first), Some(last)) = records {
        println!("inputs of safe cycles {} to {}", first.inputs.cycle(), last.inputs.cycle());
    }
    Ok(())
}
