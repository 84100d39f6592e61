//! Lua 5.4 and LuaJIT: programs of their own, built when they are needed, asked through pipes.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use super::contender::Contender;
use super::load::Scene;

/// A Lua that runs.
pub struct Lua {
    name: String,
    child: Child,
    /// Taken away when it is to end.
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// How functions are called, and how that is told.
pub const WAYS: [(&str, &str); 3] = [("mlua", "mlua 0.12.2"), ("raw", "lua_pcall"), ("inside", "loop in Lua")];

impl Lua {
    /// All there are here. Who is missing is told, in a line.
    pub fn all() -> Vec<Rc<RefCell<Lua>>> {
        let mut all = Vec::new();
        for (feature, name) in [("lua54", "Lua 5.4"), ("luajit", "LuaJIT")] {
            match build(feature).and_then(|program| start(program).map_err(|error| error.to_string())) {
                Ok(lua) => all.push(Rc::new(RefCell::new(lua))),
                Err(reason) => eprintln!("skipped: {name}, because {reason}"),
            }
        }
        all
    }

    /// Compiles the texts of all tags; says how long the processor took.
    pub fn parse(&mut self) -> Duration {
        self.ask("parse").0
    }

    /// Who it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn ask(&mut self, question: &str) -> (Duration, u64) {
        let questions = self.questions.as_mut().expect("it was not told to end");
        writeln!(questions, "{question}").expect("Lua listens");
        let answer = self.line();
        let numbers = answer.split_once('\t').and_then(|(time, other)| Some((time.parse().ok()?, other.parse().ok()?)));
        let (nanoseconds, other) = numbers.unwrap_or_else(|| panic!("{} answered {answer:?}", self.name));
        (Duration::from_nanos(nanoseconds), other)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("Lua answers in text");
        line.trim_end().to_owned()
    }
}

impl Drop for Lua {
    fn drop(&mut self) {
        self.questions = None;
        // It ends when there are no more questions; how it ended changes nothing.
        let _ = self.child.wait();
    }
}

/// A Lua with a scene, called in one of the ways.
pub struct Way<S> {
    lua: Rc<RefCell<Lua>>,
    way: (&'static str, &'static str),
    scene: PhantomData<S>,
}

impl<S: Scene> Way<S> {
    /// A scene at its beginning.
    pub fn new(lua: &Rc<RefCell<Lua>>, way: (&'static str, &'static str)) -> Way<S> {
        Way { lua: Rc::clone(lua), way, scene: PhantomData }
    }
}

impl<S: Scene> Contender for Way<S> {
    fn name(&self) -> String {
        format!("{}, {}", self.lua.borrow().name, self.way.1)
    }

    fn run(&mut self, start: u64, count: u64) -> (Duration, f64) {
        let question = format!("{}\t{}\t{start}\t{count}", self.way.0, S::NAME);
        let (time, bits) = self.lua.borrow_mut().ask(&question);
        (time, f64::from_bits(bits))
    }
}

/// Builds a Lua; says where its program is, or why there is none.
fn build(feature: &str) -> Result<PathBuf, String> {
    for tool in ["cc", "make"] {
        let answer = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !answer.is_ok_and(|status| status.success()) {
            return Err(format!("it is built from C and there is no `{tool}` here"));
        }
    }
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| here.join("target"), PathBuf::from).join(feature);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--release", "--locked", "--features", feature, "--manifest-path"])
        .arg(here.join("lua/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .status();
    match built {
        Ok(status) if status.success() => Ok(target.join("release/peers-lua")),
        Ok(_) => Err("it could not be built".to_owned()),
        Err(error) => Err(format!("cargo did not run: {error}")),
    }
}

fn start(program: PathBuf) -> std::io::Result<Lua> {
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let questions = child.stdin.take();
    let answers = BufReader::new(child.stdout.take().expect("it was asked for"));
    let mut lua = Lua { name: String::new(), child, questions, answers };
    let name = lua.line();
    // LuaJIT's version ends in the time of its last change.
    lua.name = name.split('.').take(2).collect::<Vec<_>>().join(".");
    Ok(lua)
}
