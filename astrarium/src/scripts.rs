//! LScript from the command line: run a file, check files, explain and format them, try expressions in a console.

use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal, Write, stdin, stdout};
use std::path::{Path, PathBuf};

use host::files;
use script::binary;
use script::builtin::BUILTINS;
use script::check::{Checked, Setting};
use script::class::{self, Class};
use script::compile::{begin, compile, extend};
use script::environment::Environment;
use script::format::format;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::program::Program;
use script::report::{Report, Severity};
use script::source::{Lines, Span};
use script::token::{TokenKind, tokens};
use text::Reading;

use crate::caching::{self, Fared};
use crate::headers::{Headers, SOURCE_BYTES_MAX, strip_mark};
use crate::json::Json;
use crate::known::Known;
use crate::part::Part;
use crate::tagged;
use crate::texts::show;

/// What a file run by itself may use: a minute of an object's thinking.
const LIMITS: Limits = Limits { fuel: 100_000_000, depth: 200, values: 1 << 20, effects: 10_000 };
const KEPT_MAX: usize = 1 << 20;

/// How a file is run.
pub struct Run<'a> {
    /// A header, or a folder of them.
    pub headers: Option<&'a Path>,
    /// How texts for people are read.
    pub reading: Option<&'a Reading<'a>>,
    /// Whether to tell what the result cache did.
    pub is_cache_told: bool,
    /// Whether to end with JSON.
    pub is_json: bool,
}

/// Runs a file and prints the value of its last statement. Effects are printed: here is no world to have them. If its
/// class has defaults and a file to run first, those come before it, in the same environment. Texts for people are
/// printed as they are read in this language, if one is given.
pub fn run(path: &Path, how: &Run<'_>) -> Result<(), String> {
    let (program, parts) = match read_program(path)? {
        Some(program) => (program, Vec::new()),
        None => compile_file(path, how.headers, "run")?,
    };
    let mut environment = Environment::new(&program, KEPT_MAX);
    let mut scratch = Scratch::new(LIMITS);
    let mut value = String::from("nothing");
    for statement in &program.statements {
        value = evaluate(&program, *statement, &mut environment, &mut scratch, &parts, how.reading)?;
    }
    let fared = if how.is_cache_told { caching::fared(&program, &parts, scratch.cache()) } else { Vec::new() };
    if how.is_json {
        let json = Json::new().text("value", &value);
        let json = if how.is_cache_told { json.list("cache", fared.iter().map(Fared::json)) } else { json };
        println!("{}", json.finish());
    } else {
        println!("{value}");
        fared.iter().for_each(|row| println!("{}", row.told()));
    }
    Ok(())
}

/// Compiles a file, with what its class has run before it, and writes the program as bytes.
pub fn build(path: &Path, headers: Option<&Path>, to: &Path) -> Result<(), String> {
    let (program, _) = compile_file(path, headers, "built")?;
    let bytes = binary::encode(&program);
    files::write_atomically(to, &[&bytes]).map_err(|error| error.to_string())?;
    println!("{} written, {} bytes", to.display(), bytes.len());
    Ok(())
}

/// Checks files and tells what is wrong with them.
pub fn check(paths: &[PathBuf], headers: Option<&Path>, is_json: bool) -> Result<(), String> {
    let (mut errors, mut rows) = (0, Vec::new());
    let mut names = BTreeSet::new();
    let mut found = |name: String, source: &str, reports: &[Report]| {
        // A header may be beside several files, and be named itself.
        if !names.insert(name.trim_start_matches("./").to_string()) {
            return;
        }
        errors += count_errors(reports);
        let lines = Lines::of(source);
        for report in reports {
            let place = lines.place(source, report.span.start);
            let row = Json::new().text("file", &name).value("line", place.line).value("column", place.column);
            let severity = if report.severity == Severity::Error { "error" } else { "warning" };
            rows.push(row.text("severity", severity).text("message", &report.message).text("help", &report.help));
        }
        if !is_json {
            tell(&name, source, reports);
        }
    };
    for path in paths {
        let source = read(path)?;
        if let Some(reports) = tagged::reports(path, &source) {
            found(path.display().to_string(), &source, &reports);
            continue;
        }
        let headers = Headers::find(path, headers)?;
        let (_, reports) = look_at(&source, &headers);
        found(path.display().to_string(), &source, &reports);
        headers.wrong.iter().for_each(|(name, source, reports)| found(name.clone(), source, reports));
    }
    if is_json {
        println!("{}", Json::new().value("errors", errors).list("reports", rows).finish());
    }
    match errors {
        0 => Ok(()),
        count => Err(format!("{} in {}", counted(count, "mistake"), counted(paths.len(), "file"))),
    }
}

/// Tells of each lambda of a file what it takes and gives, what it does, reads and costs, and whether it may be cached.
pub fn explain(path: &Path, headers: Option<&Path>, is_json: bool) -> Result<(), String> {
    let source = read(path)?;
    let name = path.display().to_string();
    let headers = Headers::find(path, headers)?;
    let (checked, reports) = look_at(&source, &headers);
    tell_headers(&headers);
    tell(&name, &source, &reports);
    let lines = Lines::of(&source);
    let mut rows = Vec::new();
    for lambda in &checked.lambdas {
        let place = lines.place(&source, lambda.span.start);
        let does = if lambda.is_effectful { "effectful" } else { "pure" };
        let reads: Vec<&str> = checked.requirements(lambda).collect();
        let caching = lambda.refusal.map_or(String::from("may be cached"), |why| format!("not cached: {why}"));
        if is_json {
            let row = Json::new().text("name", &lambda.name).value("line", place.line).value("column", place.column);
            let row = row.text("type", &lambda.kind.to_string()).text("does", does).text("reads", &reads.join(", "));
            rows.push(row.value("cost", lambda.cost).text("caching", &caching));
            continue;
        }
        let called = if lambda.name.is_empty() { "(no name)" } else { &lambda.name };
        println!("{name}:{}:{}: {called}: {}", place.line, place.column, lambda.kind);
        let more = if lambda.has_all_requirements { "" } else { " and more" };
        let reads = if reads.is_empty() { String::from("nothing") } else { reads.join(", ") };
        println!("    {does}; reads {reads}{more}; costs about {} instructions; {caching}", lambda.cost);
    }
    if is_json {
        println!("{}", Json::new().list("lambdas", rows).finish());
    }
    match count_errors(&reports) {
        0 => Ok(()),
        count => Err(format!("{} in {name}", counted(count, "mistake"))),
    }
}

/// Prints the header of a file, made from its use.
pub fn header(path: &Path) -> Result<(), String> {
    let source = read(path)?;
    let tree = parse(&source);
    if !tree.reports.is_empty() {
        let name = path.display().to_string();
        tell(&name, &source, &tree.reports);
        return Err(format!("{name}: no header, because it has mistakes"));
    }
    print!("{}", script::header::generate(&source, &tree));
    Ok(())
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
        1 if is_check => Err(String::from("1 file is not formatted")),
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
    let mut known = Known::new();
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
        let setting = Setting { accepts_unknown_effects: true, ..Setting::default() };
        let known_after = known.after(&line, &tree, &setting);
        let setting = Setting { class: Some(known_after.class()), ..setting };
        let checked = script::check::check(&line, &tree, &setting);
        let (extended, reports) = extend(program, &line, &tree);
        program = extended;
        environment.grow(&program);
        let reports = in_order([tree.reports.clone(), checked.reports, reports]);
        tell("console", &line, &reports);
        if count_errors(&reports) > 0 {
            continue;
        }
        known = known_after;
        for statement in program.statements.clone() {
            match evaluate(&program, statement, &mut environment, &mut scratch, &[], None) {
                Ok(value) => println!("{value}"),
                Err(trouble) => println!("{trouble}"),
            }
        }
    }
}

/// The program of a file, what it was made of, and before it what its class has run first. Its mistakes are told; with
/// one of them nothing is `done`.
fn compile_file(path: &Path, headers: Option<&Path>, done: &str) -> Result<(Program, Vec<Part>), String> {
    let source = read(path)?;
    let name = path.display().to_string();
    let headers = Headers::find(path, headers)?;
    tell_headers(&headers);
    let setting = Setting { classes: &headers.classes, ..Setting::default() };
    let class = setting.class_of(&source, &parse(&source));
    let mut parts = Vec::new();
    if let Some(class) = class {
        parts.push(Part::new(format!("the defaults of {}", class.name), defaults(class)));
        if let Some(init) = headers.init(class)? {
            parts.push(Part::new(init.display().to_string(), read(&init)?));
        }
    }
    parts.push(Part::new(name, source));
    let declared = declared(class, parts.iter().map(|part| part.source.as_str()));
    let declared: Vec<&str> = declared.iter().map(String::as_str).collect();
    let formulas = class.map_or(&[][..], |class| &class.variables).iter().filter(|variable| variable.allows_formula);
    let formulas: Vec<&str> = formulas.map(|variable| variable.name.as_str()).collect();
    let mut program = begin(&declared, &formulas);
    let mut statements = Vec::new();
    for part in &mut parts {
        part.functions_from = program.functions.len();
        let Part { name, source, lambdas, .. } = part;
        let tree = parse(source);
        let checked = script::check::check(source, &tree, &setting);
        let (extended, reports) = extend(program, source, &tree);
        program = extended;
        statements.append(&mut program.statements);
        *lambdas = checked.lambdas;
        let reports = in_order([tree.reports, checked.reports, reports]);
        tell(name, source, &reports);
        if count_errors(&reports) > 0 {
            let mistakes = counted(count_errors(&reports), "mistake");
            return Err(format!("{name}: not {done}, because of {mistakes}"));
        }
    }
    program.statements = statements;
    Ok((program, parts))
}

/// Everything that is wrong with a source, by place, and what is known about it.
fn look_at(source: &str, headers: &Headers) -> (Checked, Vec<Report>) {
    let tree = parse(source);
    let setting = Setting { classes: &headers.classes, ..Setting::default() };
    let class = setting.class_of(source, &tree);
    let checked = script::check::check(source, &tree, &setting);
    let declared = declared(class, [source]);
    let declared: Vec<&str> = declared.iter().map(String::as_str).collect();
    let (_, reports) = compile(source, &tree, &declared);
    let of_class = if class::is_header(source, &tree) { class::read(source, &tree).1 } else { Vec::new() };
    let reports = in_order([tree.reports, checked.reports.clone(), reports, of_class]);
    (checked, reports)
}

/// The variables an environment has from the start: the class's in its order, then the objects that sources name.
fn declared<'a>(class: Option<&Class>, sources: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut declared: Vec<String> =
        class.map_or(Vec::new(), |class| class.names().into_iter().map(String::from).collect());
    for source in sources {
        let objects = tokens(source).into_iter().filter(|token| token.kind == TokenKind::Object);
        let names: BTreeSet<&str> = objects.map(|token| &token.span.text(source)[1..]).collect();
        for name in names {
            if !declared.iter().any(|known| known == name) {
                declared.push(String::from(name));
            }
        }
    }
    declared
}

/// A source that gives the variables of a class their defaults.
fn defaults(class: &Class) -> String {
    let with_default = class.variables.iter().filter_map(|variable| Some((&variable.name, variable.default.as_ref()?)));
    with_default.map(|(name, default)| format!("!set {name} {default}\n")).collect()
}

/// Reports from several sides by place, each once.
fn in_order<const N: usize>(reports: [Vec<Report>; N]) -> Vec<Report> {
    let mut all: Vec<Report> = reports.into_iter().flatten().collect();
    all.sort_by_key(|report| (report.span.start, report.span.end));
    all.dedup();
    all
}

/// Evaluates one statement, tells its effects and complaints, and gives its value as text. `parts` is what the
/// program was made of.
fn evaluate(
    program: &Program,
    statement: u32,
    environment: &mut Environment,
    scratch: &mut Scratch,
    parts: &[Part],
    reading: Option<&Reading<'_>>,
) -> Result<String, String> {
    let result = environment.evaluate(program, statement, &[], scratch);
    let locate = |function: u32, span: Span, message: &str| {
        Part::of(parts, function).map_or_else(
            || format!("{message}\n"),
            |part| Report::error(span, message).render(&part.name, &part.source, &part.lines),
        )
    };
    for complaint in scratch.complaints() {
        let function = &program.functions[complaint.function as usize];
        let span = function.spans[complaint.instruction as usize];
        eprint!("{}", locate(complaint.function, span, &complaint.to_string()));
    }
    let value = result.map_err(|trouble| locate(trouble.function, trouble.span, &trouble.to_string()))?;
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
    let mut source =
        String::from_utf8(bytes).map_err(|error| format!("{}: expected UTF-8 text: {error}", path.display()))?;
    strip_mark(&mut source);
    Ok(source)
}

fn tell_headers(headers: &Headers) {
    headers.wrong.iter().for_each(|(name, source, reports)| tell(name, source, reports));
}

fn tell(name: &str, source: &str, reports: &[Report]) {
    let lines = Lines::of(source);
    reports.iter().for_each(|report| eprint!("{}", report.render(name, source, &lines)));
}

fn count_errors(reports: &[Report]) -> usize {
    reports.iter().filter(|report| report.severity == Severity::Error).count()
}

/// `1 file`, `2 files`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
