//! What this machine offers to show, hear and play a game with: found by environment and files, without connecting.

use std::path::{Path, PathBuf};

use super::Fact;

/// The parts of the machine that the findings depend on.
pub(super) struct Surroundings<'a> {
    pub(super) variable: &'a dyn Fn(&str) -> Option<String>,
    pub(super) exists: &'a dyn Fn(&Path) -> bool,
    pub(super) names: &'a dyn Fn(&Path) -> Vec<String>,
}

pub(super) fn facts(around: &Surroundings<'_>) -> Vec<Fact> {
    vec![window_system(around), vulkan(around), sound_server(around), gamepads()]
}

/// Whether windows and graphics come with the system itself.
const IS_WHOLE: bool = cfg!(any(target_os = "windows", target_vendor = "apple"));

fn window_system(around: &Surroundings<'_>) -> Fact {
    let (found, detail) = if IS_WHOLE {
        (true, "part of the system".to_owned())
    } else if let Some(name) = variable(around, "WAYLAND_DISPLAY") {
        let socket = runtime_folder(around).map(|folder| folder.join(&name));
        let found = socket.as_ref().is_some_and(|path| (around.exists)(path));
        (found, if found { format!("Wayland ({name})") } else { format!("Wayland ({name}), but it has no socket") })
    } else if let Some(name) = variable(around, "DISPLAY") {
        // Displays of other machines, as in `box:0`, have no socket here.
        let number = name.strip_prefix(':').map(|rest| rest.split('.').next().unwrap_or(rest).to_owned());
        let socket = number.map(|number| PathBuf::from(format!("/tmp/.X11-unix/X{number}")));
        let found = socket.is_none_or(|path| (around.exists)(&path));
        (found, if found { format!("X11 ({name})") } else { format!("X11 ({name}), but it has no socket") })
    } else {
        (false, "none: neither WAYLAND_DISPLAY nor DISPLAY is set".to_owned())
    };
    Fact {
        name: "window system",
        found,
        detail,
        remedy: "opens windows; without it games run headless and take pictures",
    }
}

fn vulkan(around: &Surroundings<'_>) -> Fact {
    let (found, detail) = if IS_WHOLE {
        (true, "the system has its own graphics interface".to_owned())
    } else {
        let loader = library_folders(around).into_iter().map(|folder| folder.join("libvulkan.so.1"));
        let loader = loader.into_iter().find(|path| (around.exists)(path));
        let drivers = vulkan_drivers(around);
        let said =
            if drivers.is_empty() { "no driver files".to_owned() } else { format!("drivers {}", drivers.join(", ")) };
        match loader {
            Some(path) => (!drivers.is_empty(), format!("{}, {said}", path.display())),
            None => (false, format!("no loader (libvulkan.so.1), {said}")),
        }
    };
    let remedy = "draws with a graphics processor: apt install libvulkan1 mesa-vulkan-drivers; otherwise a software renderer draws";
    Fact { name: "Vulkan", found, detail, remedy }
}

fn library_folders(around: &Surroundings<'_>) -> Vec<PathBuf> {
    let own = variable(around, "LD_LIBRARY_PATH").unwrap_or_default();
    let usual = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"];
    own.split(':').filter(|folder| !folder.is_empty()).chain(usual).map(PathBuf::from).collect()
}

/// The names of the driver files, without `_icd.x86_64.json`.
fn vulkan_drivers(around: &Surroundings<'_>) -> Vec<String> {
    let named = variable(around, "VK_DRIVER_FILES").or_else(|| variable(around, "VK_ICD_FILENAMES"));
    let files: Vec<String> = match named {
        Some(files) => {
            let paths = files.split(':').map(PathBuf::from).filter(|path| (around.exists)(path));
            paths.filter_map(|path| path.file_name()?.to_str().map(str::to_owned)).collect()
        }
        None => ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"]
            .iter()
            .flat_map(|folder| (around.names)(Path::new(folder)))
            .collect(),
    };
    let mut names: Vec<String> = files
        .iter()
        .filter(|name| name.ends_with(".json"))
        .map(|name| name.split(['.']).next().unwrap_or(name).trim_end_matches("_icd").chars().take(40).collect())
        .collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(12);
    names
}

fn sound_server(around: &Surroundings<'_>) -> Fact {
    let socket = runtime_folder(around).map(|folder| folder.join("pulse/native"));
    let (found, detail) = if IS_WHOLE {
        (false, "sound is not played on this system yet".to_owned())
    } else if let Some(server) = variable(around, "PULSE_SERVER") {
        (true, format!("PULSE_SERVER is {server}"))
    } else {
        match socket.filter(|path| (around.exists)(path)) {
            Some(path) => (true, path.display().to_string()),
            None => (false, "no socket of PipeWire or PulseAudio".to_owned()),
        }
    };
    Fact { name: "sound server", found, detail, remedy: "plays sounds: apt install pipewire-pulse (or pulseaudio)" }
}

#[cfg(all(feature = "window", not(target_family = "wasm")))]
fn gamepads() -> Fact {
    let (names, reports) = crate::gamepad::survey();
    let detail = match (&names[..], &reports[..]) {
        ([], []) => "none connected".to_owned(),
        ([], [report, ..]) => report.clone(),
        _ => names.join(", ").chars().take(120).collect(),
    };
    Fact { name: "gamepads", found: !names.is_empty(), detail, remedy: PADS }
}

#[cfg(not(all(feature = "window", not(target_family = "wasm"))))]
fn gamepads() -> Fact {
    Fact { name: "gamepads", found: false, detail: "this program was built without windows".to_owned(), remedy: PADS }
}

const PADS: &str = "play besides keyboard and mouse; on Linux members of the group \"input\" may read them";

fn variable(around: &Surroundings<'_>, name: &str) -> Option<String> {
    (around.variable)(name).filter(|value| !value.is_empty())
}

fn runtime_folder(around: &Surroundings<'_>) -> Option<PathBuf> {
    variable(around, "XDG_RUNTIME_DIR").map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(variables: &[(&str, &str)], files: &[&str], act: impl FnOnce(&Surroundings<'_>)) {
        let find =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let exists = |path: &Path| files.iter().any(|file| Path::new(file) == path);
        let names = |folder: &Path| {
            let inside = files.iter().map(Path::new).filter(|file| file.parent() == Some(folder));
            inside.filter_map(|file| file.file_name()?.to_str().map(str::to_owned)).collect()
        };
        act(&Surroundings { variable: &find, exists: &exists, names: &names });
    }

    #[test]
    fn a_desktop_is_known_by_its_socket() {
        if IS_WHOLE {
            return;
        }
        around(&[], &[], |it| assert!(!window_system(it).found));
        around(&[("DISPLAY", ":1.0")], &["/tmp/.X11-unix/X1"], |it| assert!(window_system(it).found));
        around(&[("DISPLAY", ":1")], &[], |it| assert!(!window_system(it).found));
        around(&[("DISPLAY", "box:0")], &[], |it| assert!(window_system(it).found));
        let wayland = [("WAYLAND_DISPLAY", "wayland-0"), ("XDG_RUNTIME_DIR", "/run/user/7")];
        around(&wayland, &["/run/user/7/wayland-0"], |it| assert_eq!(window_system(it).detail, "Wayland (wayland-0)"));
        around(&wayland, &[], |it| assert!(!window_system(it).found));
    }

    #[test]
    fn vulkan_needs_a_loader_and_a_driver() {
        if IS_WHOLE {
            return;
        }
        let (loader, driver) = ("/usr/lib64/libvulkan.so.1", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json");
        around(&[], &[loader, driver], |it| {
            assert_eq!(vulkan(it).detail, "/usr/lib64/libvulkan.so.1, drivers lvp");
            assert!(vulkan(it).found);
        });
        around(&[], &[loader], |it| assert!(!vulkan(it).found));
        around(&[], &[driver], |it| assert!(vulkan(it).detail.contains("no loader")));
        let own = [("VK_DRIVER_FILES", "/x/nvidia_icd.json:/missing.json")];
        around(&own, &[loader, driver, "/x/nvidia_icd.json"], |it| {
            assert!(vulkan(it).detail.ends_with("drivers nvidia"))
        });
    }

    #[test]
    fn a_sound_server_is_known_by_its_socket() {
        if IS_WHOLE {
            return;
        }
        let folder = [("XDG_RUNTIME_DIR", "/run/user/7")];
        around(&folder, &["/run/user/7/pulse/native"], |it| assert!(sound_server(it).found));
        around(&folder, &[], |it| assert!(!sound_server(it).found));
        around(&[("PULSE_SERVER", "box")], &[], |it| assert!(sound_server(it).found));
    }
}
