//! Separate programs, built when they are needed and controlled through pipes: Lua 5.4, LuaJIT and Luau export the same symbols and
//! cannot be linked into one program, nor can two sets of rapier's features; the codecs of imports are of no use to the rest. They measure themselves, so that pipes do not count.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running program. It prints a first line; then it replies to each request line with a line.
pub struct Program {
    /// Its first line.
    pub greeting: String,
    child: Child,
    /// Closed to end the program.
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Program {
    /// Builds the program in a folder of peers with a feature, or without any, and starts it; or returns why that failed.
    pub fn start(folder: &str, feature: &str) -> Result<Program, String> {
        let program = build(folder, feature)?;
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut program = Program { greeting: String::new(), child, questions, answers };
        program.greeting = program.line();
        Ok(program)
    }

    /// Sends a request and waits for the reply.
    pub fn ask(&mut self, question: &str) -> String {
        let questions = self.questions.as_mut().expect("stdin is open until the program is dropped");
        writeln!(questions, "{question}").expect("the program reads its input");
        self.line()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the program replies in UTF-8");
        line.trim_end().to_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.questions = None;
        // It ends with its input; its exit status does not matter.
        let _ = self.child.wait();
    }
}

/// Builds a program; returns its path, or why that failed.
fn build(folder: &str, feature: &str) -> Result<PathBuf, String> {
    let tools: &[&str] = match feature {
        "compressing" | "luau" => &["c++"],
        feature if feature.starts_with("lua") => &["cc", "make"],
        _ => &[],
    };
    for tool in tools {
        let answer = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !answer.is_ok_and(|status| status.success()) {
            return Err(format!("it is built from C or C++, and `{tool}` is not installed"));
        }
    }
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| here.join("target"), PathBuf::from).join(folder);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--release", "--locked", "--features", feature, "--manifest-path"])
        .arg(here.join(folder).join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .status();
    match built {
        Ok(status) if status.success() => {}
        Ok(_) => return Err("it could not be built".to_owned()),
        Err(error) => return Err(format!("cargo did not run: {error}")),
    }
    // The next feature is built in the same folder, so that common crates are built once; the program is copied away.
    let program = target.join("release").join(format!("peers-{folder}"));
    let kept = target.join(format!("peers-{folder}-{feature}"));
    std::fs::copy(&program, &kept).map_err(|error| format!("its program cannot be copied: {error}"))?;
    Ok(kept)
}
