//! Bevy's asset processor: the time until it has detected that no file changed. It does not transform the assets and reads no
//! `.meta` files; it copies the assets once.

use std::path::Path;
use std::time::{Duration, Instant};

use bevy::tasks::block_on;
use bevy_asset::processor::{AssetProcessor, FileTransactionLogFactory, ProcessStatus, ProcessorState};
use bevy_asset::{AssetMode, AssetPlugin};
use rustix::process::{Resource, getrlimit};

use super::bevy::app;
use super::binary;
use super::content::Content;

/// Processes a folder into another one, and requests each asset; or returns why that failed.
pub fn process(folder: &Path, processed: &Path, content: &Content) -> Result<(), String> {
    let mut app = app(AssetPlugin {
        file_path: folder.to_string_lossy().into_owned(),
        processed_file_path: processed.join("assets").to_string_lossy().into_owned(),
        mode: AssetMode::Processed,
        watch_for_changes_override: Some(false),
        use_asset_processor_override: Some(true),
        ..AssetPlugin::default()
    });
    let processor = app.world().resource::<AssetProcessor>().clone();
    let log = FileTransactionLogFactory { file_path: processed.join("log") };
    processor.data().set_log_factory(Box::new(log)).map_err(|error| error.to_string())?;
    app.update();
    let deadline = Instant::now() + LONGEST;
    while block_on(processor.get_state()) != ProcessorState::Finished {
        if Instant::now() > deadline {
            return Err(format!("not finished after {} s", LONGEST.as_secs()));
        }
        std::thread::sleep(PAUSE);
    }
    let is_known = |number: &u32| {
        let path = format!("{}.{}", content.path(*number), binary::EXTENSION);
        block_on(processor.data().wait_until_processed(path.into())) == ProcessStatus::Processed
    };
    match (0..content.shape.assets).filter(|number| !is_known(number)).count() {
        0 => Ok(()),
        count => {
            let (all, limit) = (content.shape.assets, getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX));
            Err(format!("{count} of {all} assets failed, with {limit} open files allowed"))
        }
    }
}

/// The timeout.
const LONGEST: Duration = Duration::from_secs(180);

/// The polling interval: polling more often slows it down.
const PAUSE: Duration = Duration::from_millis(50);
