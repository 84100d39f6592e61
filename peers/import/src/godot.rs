//! Godot 3 without a window, as Debian has it: the editor imports what changed and quits. Textures become its `.stex` (lossless, with its
//! defaults), sounds `.sample`, scenes are converted; it does not know `.ftl` files and leaves them alone.

use std::process::{Command, Stdio};

use crate::project::Project;

/// Its name in the table.
pub const NAME: &str = "Godot 3, editor without a window";

/// Imports the project.
pub fn import(project: &Project) -> Result<(), String> {
    let data = project.data();
    let file = data.join("project.godot");
    if !file.exists() {
        std::fs::write(&file, "config_version=4\n\n[application]\nconfig/name=\"peers\"\n").map_err(|error| error.to_string())?;
    }
    let mut command = Command::new("godot3-server");
    command.arg("--path").arg(&data).args(["--editor", "--quit"]).stdout(Stdio::null()).stderr(Stdio::null());
    // Its editor keeps settings of its own.
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
        command.env(name, project.folder.join("godot"));
    }
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("it ended with {status}")),
        Err(error) => Err(format!("godot3-server did not run ({error}); Debian has it in the package godot3-server")),
    }
}
