//! LScript from the command line: run a file, check files, explain and format them, try expressions in a console.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write, stdin, stdout};
use std::path::{Path, PathBuf};

use host::files;
use script::binary;
use script::check::{Checked, Setting};
use script::compile::{begin, extend};
use script::effect::{EFFECTS, Effect};
use script::environment::{Environment, EvaluationError};
use script::format::format;
use script::machine::{Limits, Scratch};
use script::parse::{parse, parse_line};
use script::program::Program;
use script::report::{Report, Severity};
use script::schema::Schema;
use script::source::{Lines, Span};
use script::statement_run::StatementRun;
use script::token::{TokenKind, tokens};
use script::value::Value;
use shelf::report::TagReport;
use tags::Class;
use tags::limits::TEXT_BYTES_MAX;
use text::Reading;
use world::{effects, queries};

use crate::arguments::{is_standard_input, read_input};
use crate::error::CommandError;
use crate::json::Json;
use crate::text::show;
use crate::typed_lines::{TypedLine, next_line};
use crate::words::counted;

mod cache_report;
mod console_types;
mod console_words;
mod source_part;
mod tag_check;

use cache_report::CacheReportRow;
use console_types::ConsoleTypes;
use console_words::{ConsoleWord, print_help};
use source_part::SourcePart;
use tag_check::{FileClasses, TreeChecks, inherited, schema_for};

/// The limits of a script run from the command line: a minute of an object's thinking. The fuel is for all statements together.
const LIMITS: Limits = Limits { fuel: 100_000_000, depth: 200, values: 1 << 20, effects: 10_000 };
const KEPT_MAX: usize = 1 << 20;

/// The options of a run.
pub struct Run<'a> {
    /// A header, or a folder of them.
    pub headers: Option<&'a Path>,
    /// The language of texts for people.
    pub reading: Option<&'a Reading<'a>>,
    /// Whether to print the use of the result cache.
    pub is_cache_printed: bool,
    /// Whether to end with JSON.
    pub is_json: bool,
}

/// Runs a file and prints the value of its last statement. Effects are printed, since there is no world to apply them
/// to. The defaults of its class are set first. Texts for people are printed in the given language.
pub fn run(path: &Path, how: &Run<'_>) -> Result<(), CommandError> {
    let (program, parts) = match read_program(path)? {
        Some(program) => (program, Vec::new()),
        None => compile_file(path, how.headers, "run")?,
    };
    let mut environment = Environment::new(&program, KEPT_MAX);
    let mut scratch = Scratch::new(LIMITS);
    let mut value = String::from("nothing");
    let mut run = StatementRun::new(&program, &mut environment, &mut scratch, LIMITS.fuel);
    for (index, statement) in program.statements.iter().enumerate() {
        let result = run.evaluate(*statement);
        let done = StatementEnd { program: &program, environment: run.environment(), scratch: run.scratch(), result };
        let last = done.print(&parts, how.reading)?;
        // The text of a value may be as long as a whole script, so only the last is made.
        if index + 1 == program.statements.len() {
            value = show(last, &program, run.scratch().region(), run.environment().kept(), how.reading);
        }
    }
    let usage =
        if how.is_cache_printed { cache_report::of_program(&program, &parts, scratch.cache()) } else { Vec::new() };
    if how.is_json {
        let json = Json::new().text("value", &value);
        let json = if how.is_cache_printed { json.list("cache", usage.iter().map(CacheReportRow::json)) } else { json };
        println!("{}", json.finish());
    } else {
        println!("{value}");
        usage.iter().for_each(|row| println!("{}", row.line()));
    }
    Ok(())
}

/// Compiles a file, with the defaults of its class, and writes the bytecode.
pub fn build(path: &Path, headers: Option<&Path>, to: &Path, is_json: bool) -> Result<(), CommandError> {
    let (program, _) = compile_file(path, headers, "built")?;
    let bytes = binary::encode(&program);
    files::write_atomically(to, &[&bytes])?;
    match is_json {
        true => println!("{}", Json::new().text("file", &to.to_string_lossy()).value("bytes", bytes.len()).finish()),
        false => println!("{} written, {} bytes", to.display(), bytes.len()),
    }
    Ok(())
}

/// Checks files and prints their errors and warnings.
pub fn check(paths: &[PathBuf], headers: Option<&Path>, is_json: bool) -> Result<(), CommandError> {
    let (mut all, mut names) = (Vec::new(), BTreeSet::new());
    // Several files may share a header, which may itself be named.
    let mut add = |reports: Vec<TagReport>| {
        let name = |path: &str| path.trim_start_matches("./").to_string();
        let new: Vec<TagReport> = reports.into_iter().filter(|report| !names.contains(&name(&report.path))).collect();
        names.extend(new.iter().map(|report| name(&report.path)));
        all.extend(new);
    };
    let mut trees = TreeChecks::default();
    for path in paths {
        let source = read(path)?;
        // With other headers the tree is not what a game would read.
        if headers.is_none() && trees.add(path)? {
            continue;
        }
        let classes = FileClasses::find(path, headers)?;
        let reports = classes.reports_of(path, &source).unwrap_or_else(|| check_source(path, &source, &classes).1);
        let name = path.display().to_string();
        add(reports.into_iter().map(|report| TagReport::in_text(&name, &source, report)).collect());
        add(classes.reports);
    }
    add(trees.reports());
    let errors = all.iter().filter(|report| report.is_error()).count();
    if is_json {
        println!("{}", Json::new().value("errors", errors).list("reports", all.iter().map(json_of)).finish());
    } else {
        print_reports(&all);
    }
    match errors {
        0 => Ok(()),
        count => {
            let message = format!("{} in {}", counted(count, "error"), counted(paths.len(), "file"));
            Err(CommandError::Mistakes(message))
        }
    }
}

fn json_of(TagReport { path, place, report, .. }: &TagReport) -> Json {
    let (line, column) = place.map_or((1, 1), |place| (place.line, place.column));
    let row = Json::new().text("file", path).value("line", line).value("column", column);
    let severity = if report.severity == Severity::Error { "error" } else { "warning" };
    row.text("severity", severity).text("message", &report.message).text("help", &report.help)
}

/// Prints, for each lambda of a file, its parameters and result, its effects, reads and costs, and whether it can be
/// cached.
pub fn explain(path: &Path, headers: Option<&Path>, is_json: bool) -> Result<(), CommandError> {
    let source = read(path)?;
    let name = path.display().to_string();
    let classes = FileClasses::find(path, headers)?;
    let (checked, reports) = check_source(path, &source, &classes);
    print_reports(&classes.reports);
    print_script_reports(&name, &source, &reports);
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
        count => Err(CommandError::Mistakes(format!("{} in {name}", counted(count, "error")))),
    }
}

/// Formats files in place, or with `is_check` only lists those that are not formatted. The text of standard input is formatted to
/// standard output.
pub fn fmt(paths: &[PathBuf], is_check: bool, is_json: bool) -> Result<(), CommandError> {
    let mut different = Vec::new();
    for path in paths {
        let source = read(path)?;
        let name = path.display().to_string();
        let tree = parse(&source);
        let formatted = format(&source, &tree).map_err(|reports| {
            print_script_reports(&name, &source, reports);
            CommandError::Mistakes(format!("{name}: not formatted, because it has errors"))
        })?;
        let is_stream = is_standard_input(path) && !is_check;
        if is_stream && !is_json {
            print!("{formatted}");
        }
        if formatted == source {
            continue;
        }
        if !is_check && !is_stream {
            files::write_atomically(path, &[formatted.as_bytes()])?;
        }
        if !is_json && !is_stream {
            println!("{name} {}", if is_check { "is not formatted" } else { "formatted" });
        }
        different.push((name, formatted));
    }
    if is_json {
        let rows = different.iter().map(|(name, text)| {
            let row = Json::new().text("file", name);
            // What was written to a file is there.
            if is_check || name == "-" { row.text("text", text) } else { row }
        });
        println!("{}", Json::new().value("count", different.len()).list("changed", rows).finish());
    }
    match different.len() {
        1 if is_check => Err(CommandError::Mistakes(String::from("1 file is not formatted"))),
        count if count > 0 && is_check => Err(CommandError::Mistakes(format!("{count} files are not formatted"))),
        _ => Ok(()),
    }
}

/// The longest line of the console.
const LINE_BYTES_MAX: usize = 1 << 20;

/// Reads lines from standard input, evaluates them in one environment, and prints their values.
pub fn repl() -> Result<(), CommandError> {
    let is_person = stdin().is_terminal();
    if is_person {
        println!("LScript. `help` lists the built-ins, `help map` explains one; `quit`, an empty line or Ctrl-D ends.");
    }
    let mut program = begin(&[], &[], &queries::SIGNATURES);
    let mut environment = Environment::new(&program, KEPT_MAX);
    let mut scratch = Scratch::new(LIMITS);
    let mut known = ConsoleTypes::new();
    loop {
        if is_person {
            print!("> ");
            stdout().flush()?;
        }
        let line = match next_line(&mut stdin().lock(), LINE_BYTES_MAX)? {
            TypedLine::Text(line) if is_person && line.trim().is_empty() => return Ok(()),
            TypedLine::Text(line) => line,
            TypedLine::TooLong => {
                println!("a line has at most {LINE_BYTES_MAX} bytes: put longer scripts into a file");
                continue;
            }
            TypedLine::End => return Ok(()),
        };
        match ConsoleWord::of(&line) {
            Some(ConsoleWord::Quit) => return Ok(()),
            Some(ConsoleWord::Help(name)) => {
                print_help(name);
                continue;
            }
            None => {}
        }
        let tree = parse_line(&line);
        let setting = Setting { accepts_unknown_effects: true, ..setting() };
        let known_after = known.after(&line, &tree, &setting);
        let setting = Setting { schema: Some(known_after.schema()), ..setting };
        let checked = script::check::check(&line, &tree, &setting);
        let (extended, reports) = extend(program, &line, &tree);
        program = extended;
        environment.grow(&program);
        let reports = in_order([tree.reports.clone(), checked.reports, reports]);
        print_script_reports("console", &line, &reports);
        if count_errors(&reports) > 0 {
            continue;
        }
        known = known_after;
        for statement in program.statements.clone() {
            let result = environment.evaluate(&program, statement, &[], &mut scratch);
            let done = StatementEnd { program: &program, environment: &environment, scratch: &scratch, result };
            match done.print(&[], None) {
                Ok(value) => println!("{}", show(value, &program, scratch.region(), environment.kept(), None)),
                Err(trouble) => println!("{trouble}"),
            }
        }
    }
}

/// What scripts are checked against: the effects of the machine and those of a world, and the queries of a world.
fn setting() -> Setting<'static> {
    static TABLES: [&[Effect]; 2] = [EFFECTS, &effects::SIGNATURES];
    Setting { effects: &TABLES, queries: &queries::SIGNATURES, ..Setting::default() }
}

/// The program of a file and its sources: the defaults of its class, then the file. Errors are printed, and say that
/// nothing was `done`.
fn compile_file(path: &Path, headers: Option<&Path>, done: &str) -> Result<(Program, Vec<SourcePart>), CommandError> {
    let source = read(path)?;
    let classes = FileClasses::find(path, headers)?;
    print_reports(&classes.reports);
    let tree = parse(&source);
    let class = classes.class_of(path, &source, &tree);
    let inherited = class.map_or(Ok(Vec::new()), |class| inherited(path, class, &source, &tree)).map_err(|report| {
        let name = path.display().to_string();
        print_script_reports(&name, &source, &[report]);
        CommandError::Mistakes(format!("{name}: not {done}, because of 1 error"))
    })?;
    let schema = class.map(|class| schema_for(class, &source, &tree, &inherited));
    let setting = Setting { schema: schema.as_ref(), ..setting() };
    let mut parts = Vec::new();
    parts.extend(class.map(|class| SourcePart::new(format!("the defaults of {}", class.name), defaults(class))));
    parts.extend(inherited.into_iter().map(|part| SourcePart::new(part.path, part.text)));
    parts.push(SourcePart::new(path.display().to_string(), source));
    let declared = declared(schema.as_ref(), parts.iter().map(|part| part.source.as_str()));
    let declared: Vec<&str> = declared.iter().map(String::as_str).collect();
    let formulas = schema.iter().flat_map(|schema| &schema.variables).filter(|variable| variable.allows_formula);
    let formulas: Vec<&str> = formulas.map(|variable| variable.name.as_str()).collect();
    let mut program = begin(&declared, &formulas, &queries::SIGNATURES);
    let mut statements = Vec::new();
    for part in &mut parts {
        part.functions_from = program.functions.len();
        let SourcePart { name, source, lambdas, .. } = part;
        let tree = parse(source);
        let checked = script::check::check(source, &tree, &setting);
        let (extended, reports) = extend(program, source, &tree);
        program = extended;
        statements.append(&mut program.statements);
        *lambdas = checked.lambdas;
        let reports = in_order([tree.reports, checked.reports, reports]);
        print_script_reports(name, source, &reports);
        if count_errors(&reports) > 0 {
            let errors = counted(count_errors(&reports), "error");
            return Err(CommandError::Mistakes(format!("{name}: not {done}, because of {errors}")));
        }
    }
    program.statements = statements;
    Ok((program, parts))
}

/// Checks and compiles a source: its errors and warnings, by position, and the checker's facts about it.
fn check_source(path: &Path, source: &str, classes: &FileClasses) -> (Checked, Vec<Report>) {
    let tree = parse(source);
    let class = classes.class_of(path, source, &tree);
    let inherited = class.map_or(Ok(Vec::new()), |class| inherited(path, class, source, &tree));
    let (inherited, missing) = match inherited {
        Ok(inherited) => (inherited, Vec::new()),
        Err(report) => (Vec::new(), vec![report]),
    };
    let schema = class.map(|class| schema_for(class, source, &tree, &inherited));
    let setting = Setting { schema: schema.as_ref(), ..setting() };
    let checked = script::check::check(source, &tree, &setting);
    let declared = declared(schema.as_ref(), [source]);
    let declared: Vec<&str> = declared.iter().map(String::as_str).collect();
    let (_, reports) = extend(begin(&declared, &[], &queries::SIGNATURES), source, &tree);
    let reports = in_order([tree.reports, checked.reports.clone(), reports, missing]);
    (checked, reports)
}

/// The initial variables of an environment: those of the schema in order, then the objects that the sources name.
fn declared<'a>(schema: Option<&Schema>, sources: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut declared: Vec<String> =
        schema.map_or(Vec::new(), |schema| schema.names().into_iter().map(String::from).collect());
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

/// A source that sets the variables of a class to their defaults.
fn defaults(class: &Class) -> String {
    let fields = class.root().fields.iter();
    let with_default = fields.filter_map(|field| Some((&field.name, field.default.as_ref()?)));
    with_default.map(|(name, default)| format!("!set {name} {default}\n")).collect()
}

/// Merges reports from several checks by position, without duplicates.
fn in_order<const N: usize>(reports: [Vec<Report>; N]) -> Vec<Report> {
    let mut all: Vec<Report> = reports.into_iter().flatten().collect();
    all.sort_by_key(|report| (report.span.start, report.span.end));
    all.dedup();
    all
}

/// The end of a statement's evaluation.
struct StatementEnd<'a> {
    program: &'a Program,
    environment: &'a Environment,
    scratch: &'a Scratch,
    result: Result<Value, EvaluationError>,
}

impl StatementEnd<'_> {
    /// Prints its effects and warnings, and returns its value. `parts` are the sources of the program.
    fn print(self, parts: &[SourcePart], reading: Option<&Reading<'_>>) -> Result<Value, CommandError> {
        let StatementEnd { program, environment, scratch, result } = self;
        let locate = |function: u32, span: Span, message: &str| {
            SourcePart::of(parts, function).map_or_else(
                || format!("{message}\n"),
                |part| Report::error(span, message).render(&part.name, &part.source, &part.lines),
            )
        };
        for complaint in scratch.complaints() {
            let function = &program.functions[complaint.function as usize];
            let span = function.spans[complaint.instruction as usize];
            eprint!("{}", locate(complaint.function, span, &complaint.to_string()));
        }
        let value = result.map_err(|halt| CommandError::Failed(locate(halt.function, halt.span, &halt.to_string())))?;
        for effect in scratch.effects() {
            let arguments = scratch.region().parts(effect.arguments).iter();
            let arguments: Vec<String> = arguments
                .map(|argument| show(*argument, program, scratch.region(), environment.kept(), reading))
                .collect();
            println!("!{}({})", program.strings.text(effect.name).unwrap_or("?"), arguments.join(", "));
        }
        Ok(value)
    }
}

/// The program in a file, if the file holds bytecode.
fn read_program(path: &Path) -> Result<Option<Program>, CommandError> {
    // Standard input can be read once: it is a script.
    if is_standard_input(path) {
        return Ok(None);
    }
    let bytes = files::read_at_most(path, TEXT_BYTES_MAX as u64)?;
    if !binary::is_program(&bytes) {
        return Ok(None);
    }
    let decoded = binary::decode(&bytes, &queries::SIGNATURES).map(Some);
    decoded.map_err(|error| CommandError::Mistakes(format!("{}: {error}", path.display())))
}

/// The text of a file, or of standard input if it is `-`.
fn read(path: &Path) -> Result<String, CommandError> {
    let bytes = read_input(path, TEXT_BYTES_MAX as u64)?;
    let mut source = String::from_utf8(bytes).map_err(|error| CommandError::not_text(path, &error))?;
    // Some editors write a byte order mark before UTF-8 text.
    if source.starts_with('\u{feff}') {
        source.remove(0);
    }
    Ok(source)
}

fn print_reports(reports: &[TagReport]) {
    reports.iter().for_each(|report| eprintln!("{report}"));
}

fn print_script_reports(name: &str, source: &str, reports: &[Report]) {
    let lines = Lines::of(source);
    reports.iter().for_each(|report| eprint!("{}", report.render(name, source, &lines)));
}

fn count_errors(reports: &[Report]) -> usize {
    reports.iter().filter(|report| report.severity == Severity::Error).count()
}
