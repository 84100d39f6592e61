//! `crash show`: the contents of a crash report.

use std::path::Path;

use astrarium::Error;
use astrarium::crash::read;
use host::files;
use relay::CrashReport;

use crate::error::CommandError;
use crate::json::Json;
use crate::mods;

/// Prints the contents of a crash report.
pub fn show(path: &Path, is_json: bool) -> Result<(), CommandError> {
    let bytes = read(path)?;
    let report = CrashReport::read(&bytes).map_err(|error| Error::from(error).in_file(path))?;
    let made_with = astrarium::crash::mods_of(path)?;
    let is_running = files::is_held(path);
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
    for backup in &report.backups {
        println!("backup of cycle {}, hash {:016x}", backup.cycle, backup.hash);
    }
    if let (Some(first), Some(last)) = records {
        println!("inputs of safe cycles {} to {}", first.inputs.cycle(), last.inputs.cycle());
    }
    Ok(())
}
