//! LScript from the command line: run a file, check files, format them, try expressions in a console.

use std::io::{BufRead, IsTerminal, Write, stdin, stdout};
use std::path::{Path, PathBuf};

use host::files;
use script::binary;
use script::builtin::BUILTINS;
use script::compile::{compile, extend};
use script::environment::Environment;
use script::format::format;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::program::Program;
use script::report::{Report, Severity};
use script::source::Lines;
use text::Reading;

use crate::json::Json;
use crate::texts::show;

/// No source is larger.
const SOURCE_BYTES_MAX: u64 = script::source::SOURCE_BYTES_MAX as u64;

/// What a file run by itself may use: a minute of an object's thinking.
const LIMITS: Limits = Limits { fuel: 100_000_000, depth: 200, values: 1 << 20, effects: 10_000 };
const KEPT_MAX: usize = 1 << 20;

/// Runs a file and prints the value of its last statement. Effects are printed: here is no world to have them. Texts for
/// people are printed as they are read in this language, if one is given.
pub fn run(path: &Path, is_json: bool, reading: Option<&Reading<'_>>) -> Result<(), String> {
    if let Some(program) = read_program(path)? {
        return run_program(&program, None, is_json, reading);
    }
    let source = read(path)?;
    let name = path.display().to_string();
    let tree = parse(&source);
    let (program, reports) = compile(&source, &tree, &[]);
    let reports: Vec<Report> = tree.reports.iter().cloned().chain(reports).collect();
    tell(&name, &source, &reports);
    if count_errors(&reports) > 0 {
        return Err(format!("{name}: not run, because of {} mistakes", count_errors(&reports)));
    }
    run_program(&program, Some((&name, &source)), is_json, reading)
}

/// Compiles a file, and writes the program as bytes.
pub fn build(path: &Path, to: &Path) -> Result<(), String> {
    let source = read(path)?;
    let name = path.display().to_string();
    let tree = parse(&source);
    let (program, reports) = compile(&source, &tree, &[]);
    let reports: Vec<Report> = tree.reports.iter().cloned().chain(reports).collect();
    tell(&name, &source, &reports);
    if count_errors(&reports) > 0 {
        return Err(format!("{name}: not built, because of {} mistakes", count_errors(&reports)));
    }
    let bytes = binary::encode(&program);
    files::write_atomically(to, &[&bytes]).map_err(|error| error.to_string())?;
    println!("{} written, {} bytes", to.display(), bytes.len());
    Ok(())
}

/// Checks files and tells what is wrong with them.
pub fn check(paths: &[PathBuf], is_json: bool) -> Result<(), String> {
    let (mut errors, mut rows) = (0, Vec::new());
    for path in paths {
        let source = read(path)?;
        let name = path.display().to_string();
        let tree = parse(&source);
        let (_, reports) = compile(&source, &tree, &[]);
        let reports: Vec<Report> = tree.reports.iter().cloned().chain(reports).collect();
        errors += count_errors(&reports);
        let lines = Lines::of(&source);
        for report in &reports {
            let place = lines.place(&source, report.span.start);
            let row = Json::new().text("file", &name).value("line", place.line).value("column", place.column);
            rows.push(row.text("message", &report.message).text("help", &report.help));
        }
        if !is_json {
            tell(&name, &source, &reports);
        }
    }
    if is_json {
        println!("{}", Json::new().value("errors", errors).list("reports", rows).finish());
    }
    match errors {
        0 => Ok(()),
        count => Err(format!("{count} mistakes in {} files", paths.len())),
    }
}

/// Formats files in place, or with `is_check` only tells which are not formatted.
pub fn fmt(paths: &[PathBuf], is_check: bool) -> Result<(), String> {
    let mut different = 0;
    for path in paths {
        let source = read(path)?;
        let name = path.display().to_string();
        let tree = parse(&source);
        let formatted = format(&source, &tree).map_err(|reports| {
            tell(&name, &source, reports);
            format!("{name}: not touched, because it has mistakes")
        })?;
        if formatted == source {
            continue;
        }
        different += 1;
        if is_check {
            println!("{name} is not formatted");
        } else {
            files::write_atomically(path, &[formatted.as_bytes()]).map_err(|error| error.to_string())?;
            println!("{name} formatted");
        }
    }
    match different {
        count if count > 0 && is_check => Err(format!("{count} files are not formatted")),
        _ => Ok(()),
    }
}

/// Reads lines from standard input, evaluates them in one environment, and prints their values.
pub fn repl() -> Result<(), String> {
    let is_person = stdin().is_terminal();
    if is_person {
        println!("LScript. `help()` lists what is built in; an empty line or Ctrl-D ends.");
    }
    let (mut program, _) = compile("", &parse(""), &[]);
    let mut environment = Environment::new(&program, KEPT_MAX);
    let mut scratch = Scratch::new(LIMITS);
    let mut line = String::new();
    loop {
        if is_person {
            print!("> ");
            stdout().flush().map_err(|error| error.to_string())?;
        }
        line.clear();
        let read = stdin().lock().read_line(&mut line).map_err(|error| error.to_string())?;
        if read == 0 || (is_person && line.trim().is_empty()) {
            return Ok(());
        }
        if line.trim() == "help()" {
            BUILTINS.iter().for_each(|builtin| println!("{:<44} {}", builtin.signature, builtin.help));
            continue;
        }
        let tree = parse(&line);
        let (extended, reports) = extend(program, &line, &tree);
        program = extended;
        environment.grow(&program);
        let reports: Vec<Report> = tree.reports.iter().cloned().chain(reports).collect();
        tell("console", &line, &reports);
        if count_errors(&reports) > 0 {
            continue;
        }
        for statement in program.statements.clone() {
            match evaluate(&program, statement, &mut environment, &mut scratch, None, None) {
                Ok(value) => println!("{value}"),
                Err(trouble) => println!("{trouble}"),
            }
        }
    }
}

fn run_program(
    program: &Program,
    file: Option<(&str, &str)>,
    is_json: bool,
    reading: Option<&Reading<'_>>,
) -> Result<(), String> {
    let mut environment = Environment::new(program, KEPT_MAX);
    let mut scratch = Scratch::new(LIMITS);
    let mut value = String::from("nothing");
    for statement in &program.statements {
        value = evaluate(program, *statement, &mut environment, &mut scratch, file, reading)?;
    }
    if is_json {
        println!("{}", Json::new().text("value", &value).finish());
    } else {
        println!("{value}");
    }
    Ok(())
}

/// Evaluates one statement, tells its effects and complaints, and gives its value as text.
fn evaluate(
    program: &Program,
    statement: u32,
    environment: &mut Environment,
    scratch: &mut Scratch,
    file: Option<(&str, &str)>,
    reading: Option<&Reading<'_>>,
) -> Result<String, String> {
    let result = environment.evaluate(program, statement, &[], scratch);
    let locate = |span, message: &str| match file {
        Some((name, source)) => Report::error(span, message).render(name, source, &Lines::of(source)),
        None => format!("{message}\n"),
    };
    for complaint in scratch.complaints() {
        let function = &program.functions[complaint.function as usize];
        let span = function.spans[complaint.instruction as usize];
        eprint!("{}", locate(span, &complaint.to_string()));
    }
    let value = result.map_err(|trouble| locate(trouble.span, &trouble.to_string()))?;
    for effect in scratch.effects() {
        let arguments = scratch.region().parts(effect.arguments).iter();
        let arguments: Vec<String> =
            arguments.map(|argument| show(*argument, program, scratch.region(), environment.kept(), reading)).collect();
        println!("!{}({})", program.strings.text(effect.name).unwrap_or("?"), arguments.join(", "));
    }
    Ok(show(value, program, scratch.region(), environment.kept(), reading))
}

/// The program a file holds, if it holds a compiled one.
fn read_program(path: &Path) -> Result<Option<Program>, String> {
    let bytes = files::read_at_most(path, SOURCE_BYTES_MAX).map_err(|error| error.to_string())?;
    if !binary::is_program(&bytes) {
        return Ok(None);
    }
    binary::decode(&bytes).map(Some).map_err(|error| format!("{}: {error}", path.display()))
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = files::read_at_most(path, SOURCE_BYTES_MAX).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| format!("{}: expected UTF-8 text: {error}", path.display()))
}

fn tell(name: &str, source: &str, reports: &[Report]) {
    let lines = Lines::of(source);
    reports.iter().for_each(|report| eprint!("{}", report.render(name, source, &lines)));
}

fn count_errors(reports: &[Report]) -> usize {
    reports.iter().filter(|report| report.severity == Severity::Error).count()
}
