//! Where classes come from: headers that lie beside a script, or are named on the command line.

use std::path::{Component, Path, PathBuf};

use host::files;
use script::class::{self, Class, HEADER};
use script::parse::parse;
use script::report::Report;

/// Headers are files of this extension.
const EXTENSION: &str = "lsc";

/// No source is larger.
pub const SOURCE_BYTES_MAX: u64 = script::source::SOURCE_BYTES_MAX as u64;

/// The classes that a script can be of.
pub struct Headers {
    /// Them.
    pub classes: Vec<Class>,
    /// Where each one's header lies.
    paths: Vec<PathBuf>,
    /// What was named on the command line.
    given: Option<PathBuf>,
    /// Headers with mistakes: name, source, and what is wrong.
    pub wrong: Vec<(String, String, Vec<Report>)>,
}

impl Headers {
    /// The headers named, and those beside a script. A class that comes twice is the first one.
    pub fn find(script: &Path, given: Option<&Path>) -> Result<Headers, String> {
        let mut found =
            Headers { classes: Vec::new(), paths: Vec::new(), given: given.map(PathBuf::from), wrong: Vec::new() };
        match given {
            Some(given) if given.is_dir() => found.read_folder(given)?,
            Some(given) if found.read_file(given)? => {}
            Some(given) => return Err(format!("{}: expected a header, which begins with @{HEADER}", given.display())),
            None => {}
        }
        let beside = script.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        found.read_folder(beside)?;
        Ok(found)
    }

    /// The file that is run first in every environment of a class: beside its header, or where headers were named.
    pub fn init(&self, class: &Class) -> Result<Option<PathBuf>, String> {
        let Some(init) = &class.init else { return Ok(None) };
        let init = init.replace('\\', "/");
        if !Path::new(&init).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            let wants = format!("the class `{}` wants {init} run first", class.name);
            return Err(format!("{wants}: expected a path below the folder of its header, without `..`"));
        }
        let header = self.classes.iter().position(|other| other.name == class.name).map(|index| &self.paths[index]);
        let beside = header.and_then(|path| path.parent());
        let given =
            self.given.as_deref().map(|given| if given.is_dir() { given } else { given.parent().unwrap_or(given) });
        let places: Vec<PathBuf> = [beside, given].into_iter().flatten().map(|folder| folder.join(&init)).collect();
        let found = places.iter().find(|place| place.is_file());
        found.cloned().map(Some).ok_or_else(|| {
            let tried: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
            format!("the class `{}` wants {init} run first; looked for it at {}", class.name, tried.join(" and "))
        })
    }

    fn read_folder(&mut self, folder: &Path) -> Result<(), String> {
        let mut paths = files::list(folder, EXTENSION).map_err(|error| error.to_string())?;
        paths.sort();
        for path in paths {
            self.read_file(&path)?;
        }
        Ok(())
    }

    /// Reads a file if it is a header. Whether it is.
    fn read_file(&mut self, path: &Path) -> Result<bool, String> {
        let bytes = files::read_at_most(path, SOURCE_BYTES_MAX).map_err(|error| error.to_string())?;
        let Ok(mut source) = String::from_utf8(bytes) else { return Ok(false) };
        strip_mark(&mut source);
        // Most files are none, and need not be parsed to see it.
        if !source.contains(HEADER) {
            return Ok(false);
        }
        let tree = parse(&source);
        if !class::is_header(&source, &tree) {
            return Ok(false);
        }
        let (class, reports) = class::read(&source, &tree);
        let is_new = class.as_ref().is_none_or(|class| self.classes.iter().all(|other| other.name != class.name));
        let reports: Vec<Report> = tree.reports.into_iter().chain(reports).collect();
        if is_new && !reports.is_empty() {
            self.wrong.push((path.display().to_string(), source, reports));
        }
        if let Some(class) = class.filter(|_| is_new) {
            self.classes.push(class);
            self.paths.push(path.to_path_buf());
        }
        Ok(true)
    }
}

/// Takes away the mark that some editors write before UTF-8 text.
pub fn strip_mark(source: &mut String) {
    if source.starts_with('\u{feff}') {
        source.remove(0);
    }
}
