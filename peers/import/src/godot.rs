//! Godot 3 without a window, as Debian has it: its editor is started, and stopped when the last imported file is there (with `--quit` it may
//! end before). Textures become its `.stex` (lossless, with its
//! defaults), sounds `.sample`, scenes are converted; it does not know `.ftl` files and leaves them alone.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::project::{Kind, Project};

/// Its name in the table.
pub const NAME: &str = "Godot 3, editor without a window";

/// The timeout.
const LONGEST: Duration = Duration::from_secs(600);

/// The polling interval.
const PAUSE: Duration = Duration::from_millis(20);

/// Imports the project.
pub fn import(project: &Project) -> Result<(), String> {
    let data = project.data();
    let file = data.join("project.godot");
    if !file.exists() {
        std::fs::write(&file, "config_version=4\n\n[application]\nconfig/name=\"peers\"\n")
            .map_err(|error| error.to_string())?;
    }
    if check(project).is_ok() {
        return Err("it does not say when it has found that nothing changed".to_string());
    }
    let mut command = Command::new("godot3-server");
    command.arg("--path").arg(&data).arg("--editor").stdout(Stdio::null()).stderr(Stdio::null());
    // Its editor keeps settings of its own.
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
        command.env(name, project.folder.join("godot"));
    }
    let mut child = command
        .spawn()
        .map_err(|error| format!("godot3-server did not run ({error}); Debian has it in the package godot3-server"))?;
    let start = Instant::now();
    let done = loop {
        let done = check(project);
        if done.is_ok() || start.elapsed() > LONGEST {
            break done;
        }
        std::thread::sleep(PAUSE);
    };
    // It would go on as an editor.
    let _ = child.kill();
    let _ = child.wait();
    done
}

/// Whether it imported all sounds, textures and models, and the first texture since it was last written.
fn check(project: &Project) -> Result<(), String> {
    let imported = project.data().join(".import");
    let wanted: usize =
        project.shape().iter().filter(|(kind, ..)| *kind != Kind::Text).map(|(_, count, _)| count).sum();
    let files: Vec<_> = std::fs::read_dir(&imported).map_err(|error| error.to_string())?.flatten().collect();
    let ends = |name: &str, end: &str| name.ends_with(end);
    let names = || files.iter().map(|file| (file.file_name().to_string_lossy().into_owned(), file));
    let found = names().filter(|(name, _)| ends(name, ".md5")).count();
    if found != wanted {
        return Err(format!("it imported {found} of {wanted} files"));
    }
    let time =
        |path: &Path| std::fs::metadata(path).and_then(|found| found.modified()).map_err(|error| error.to_string());
    let source = project.path(Kind::Texture, 0);
    let start = source.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let made = names().find(|(name, _)| name.starts_with(&start) && ends(name, ".stex"));
    let (_, made) = made.ok_or("it did not import the first texture")?;
    if time(&made.path())? < time(&source)? {
        return Err("it did not import the changed texture".to_string());
    }
    Ok(())
}
