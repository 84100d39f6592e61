//! The import of one source: from its bytes to the texts and containers of its tags.
//!
//! Laws
//! 1. A job reads the source and the files beside or below it that it names; no link is followed, and nothing is written.
//! 2. A source that changes while it is read is an error: it is imported when its writer has finished.
//! 3. Job and outcome have an encoding, so that the job can run in another process. Any bytes decode to a value or fail.

use std::cell::RefCell;
use std::path::{Component, Path};

use base::bytes::{ByteReader, ByteWriter, ReadError};
use host::files;
use host::walk::Stamp;
use media::limits::{PRODUCTS_MAX, SOURCE_BYTES_MAX};
use media::product::resolve;
use media::{Importer, Options, Product, Source};
use shelf::content_key;
use tags::Key;
use tags::bulk::{BulkError, BulkWriter};

use super::part_cache::{FreshPart, PartCache, PartUse};

/// The part of a container that holds the text of its tag as it was imported: the base of the next merge.
pub const IMPORTED: &str = "imported";

/// The most bytes of an encoded outcome.
pub const OUTCOME_BYTES_MAX: u64 = 4 << 30;

const TEXT_BYTES_MAX: usize = 64 << 20;
const CONTAINER_BYTES_MAX: usize = 4 << 30;
const COUNT_MAX: usize = 1 << 20;

/// One import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// The source, relative to the folder of sources.
    pub source: String,
    /// The importer.
    pub importer: String,
    /// The options that differ from their defaults.
    pub options: Vec<(String, String)>,
    /// The classes whose version is not 1.
    pub versions: Vec<(String, u32)>,
    /// The file that this source was exported from, if it was; relative to the folder of sources.
    pub exported_from: String,
}

/// A file that a job read: its stamp and the hash of its bytes, zeros if there are none.
pub type ReadFile = (Stamp, [u8; 32]);

/// What became of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The source.
    pub file: ReadFile,
    /// The files that it named, relative to the folder of sources, with stamp and hash.
    pub beside: Vec<(String, ReadFile)>,
    /// The tags it makes, the main one first.
    pub made: Vec<MadeTag>,
    /// Why it makes none; empty if it does.
    pub error: String,
    /// What it did with the cache of parts.
    pub parts: PartUse,
}

/// The imported text of a tag and its bulk data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MadeTag {
    /// The name of the product.
    pub name: String,
    /// Its class.
    pub class: String,
    /// The imported text, without the bulk field.
    pub text: String,
    /// The field of the bulk data.
    pub bulk_field: String,
    /// The container.
    pub container: Vec<u8>,
    /// Its hash.
    pub digest: [u8; 32],
    /// Paths without a class, which the text has as objects.
    pub classless: Vec<String>,
    /// Remarks for people.
    pub warnings: Vec<String>,
}

/// Runs a job.
#[must_use]
pub fn run(data: &Path, job: &Job, importers: &[Importer], cache: &PartCache) -> Outcome {
    let mut outcome = Outcome::default();
    match try_run((data, cache), job, importers, &mut outcome) {
        Ok(made) => outcome.made = made,
        Err(error) => outcome.error = error.to_string(),
    }
    outcome.parts = cache.take_use();
    outcome
}

/// Why a job made nothing.
#[derive(Debug)]
enum JobError {
    NoImporter(String),
    Option(media::options::OptionError),
    Read(files::FileError),
    Changed,
    Import(media::ImportError),
    ProductName { product: String, class: &'static str },
    Bulk(BulkError),
}

impl std::fmt::Display for JobError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            JobError::NoImporter(name) => write!(formatter, "there is no importer `{name}` in this program"),
            JobError::Option(error) => error.fmt(formatter),
            JobError::Read(error) => error.fmt(formatter),
            JobError::Changed => {
                formatter.write_str("it was written while it was read; it is imported when it is finished")
            }
            JobError::Import(error) => error.fmt(formatter),
            JobError::ProductName { product, class } => {
                write!(formatter, "two parts of it would make the same tag `{product}.{class}`; rename one of them")
            }
            JobError::Bulk(error) => write!(formatter, "its bulk data cannot be stored: {error}"),
        }
    }
}

fn try_run(
    (data, cache): (&Path, &PartCache),
    job: &Job,
    importers: &[Importer],
    outcome: &mut Outcome,
) -> Result<Vec<MadeTag>, JobError> {
    let importer = importers.iter().find(|importer| importer.name == job.importer);
    let importer = importer.ok_or_else(|| JobError::NoImporter(job.importer.clone()))?;
    let mut options = Options::new(importer.options);
    for (name, value) in &job.options {
        options.set(name, value).map_err(JobError::Option)?;
    }
    let path = data.join(&job.source);
    let before = Stamp::of(&path);
    let bytes = files::read_at_most(&path, SOURCE_BYTES_MAX).map_err(JobError::Read)?;
    let content = content_key::of(&bytes);
    outcome.file = (before.unwrap_or_default(), content.0);
    let beside = RefCell::new(Vec::new());
    let folder = job.source.rsplit_once('/').map_or("", |(folder, _)| folder);
    let read = |name: &str| read_beside(data, folder, name, bytes.len() as u64, &beside);
    let name = job.source.rsplit('/').next().unwrap_or(&job.source);
    let products = (importer.import)(&Source { name, folder, bytes: &bytes, beside: &read, cache }, &options);
    outcome.beside = beside.into_inner();
    if before.is_none() || Stamp::of(&path) != before {
        return Err(JobError::Changed);
    }
    let products = products.map_err(JobError::Import)?;
    let mut names: Vec<(&str, &'static str)> = products.iter().map(|made| (made.name.as_str(), made.class)).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(JobError::ProductName { product: pair[0].0.to_string(), class: pair[0].1 });
    }
    let provenance = Provenance { job, importer, options: options.given(), content };
    products.into_iter().map(|product| made_tag(product, &provenance).map_err(JobError::Bulk)).collect()
}

/// Reads a file that a source names: beside or below it.
fn read_beside(
    data: &Path,
    folder: &str,
    name: &str,
    bytes_before: u64,
    seen: &RefCell<Vec<(String, ReadFile)>>,
) -> Result<Vec<u8>, String> {
    let name = name.replace('\\', "/");
    let is_plain = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
    if name.is_empty() || !is_plain {
        return Err("it is not beside or below the file that names it".to_string());
    }
    let relative = if folder.is_empty() { name } else { format!("{folder}/{name}") };
    let path = data.join(&relative);
    for part in path.ancestors().take_while(|part| *part != data) {
        if part.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
            return Err("it is a link, and links are not followed".to_string());
        }
    }
    let read_before: u64 = seen.borrow().iter().map(|(_, (stamp, _))| stamp.size).sum();
    let left = SOURCE_BYTES_MAX.saturating_sub(bytes_before).saturating_sub(read_before);
    let stamp = Stamp::of(&path).unwrap_or_default();
    let bytes = files::read_at_most(&path, left).map_err(|error| error.to_string());
    let content = bytes.as_deref().map_or([0; 32], |bytes| content_key::of(bytes).0);
    // A missing file is noted too: the source is imported again when it appears.
    seen.borrow_mut().push((relative, (stamp, content)));
    bytes
}

/// Where a tag comes from.
struct Provenance<'a> {
    job: &'a Job,
    importer: &'a Importer,
    options: &'a [(&'static str, String)],
    content: Key,
}

impl Provenance<'_> {
    /// The record `source` of the tag.
    fn record(&self, product: &Product) -> String {
        let (file, intermediate) = match self.job.exported_from.as_str() {
            "" => (&self.job.source, None),
            original => (&original.to_string(), Some(&self.job.source)),
        };
        let mut fields = vec![
            format!("file {}", quoted(file)),
            format!("hash {}", quoted(&self.content.to_string())),
            format!("importer {}", quoted(self.importer.name)),
            format!("version {}", self.importer.version),
        ];
        if let Some(intermediate) = intermediate {
            fields.push(format!("intermediate {}", quoted(intermediate)));
        }
        if !self.options.is_empty() {
            let rows =
                self.options.iter().map(|(name, value)| format!("{{ name \"{name}\", value {} }}", quoted(value)));
            fields.push(format!("options [ {} ]", rows.collect::<Vec<_>>().join(", ")));
        }
        let (exporter, version) = &product.exporter;
        for (name, value) in [("exporter", exporter), ("exporter_version", version)] {
            if !value.is_empty() {
                fields.push(format!("{name} {}", quoted(value)));
            }
        }
        format!("{{ {} }}", fields.join(", "))
    }
}

fn made_tag(product: Product, provenance: &Provenance<'_>) -> Result<MadeTag, BulkError> {
    let version = provenance.job.versions.iter().find(|(class, _)| class == product.class);
    let mut text = match version {
        Some((class, version)) => format!("@{class} {version}\n"),
        None => format!("@{}\n", product.class),
    };
    let folder = provenance.job.source.rsplit_once('/').map_or("", |(folder, _)| folder);
    for (name, value) in &product.fields {
        text.push_str(&format!("!set {name} {}\n", resolve(value, folder)));
    }
    text.push_str(&format!("!set source {}\n", provenance.record(&product)));
    let mut writer = BulkWriter::new();
    for part in &product.parts {
        writer.add_part(&part.name, &part.bytes)?;
    }
    writer.add_part(IMPORTED, text.as_bytes())?;
    let container = writer.finish();
    Ok(MadeTag {
        name: product.name,
        class: product.class.to_string(),
        text,
        bulk_field: product.bulk_field.to_string(),
        digest: content_key::of(&container).0,
        container,
        classless: product.classless,
        warnings: product.warnings.into_iter().map(|warning| warning.message).collect(),
    })
}

/// A text as an LScript string.
#[must_use]
pub fn quoted(text: &str) -> String {
    let text: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    format!("\"{}\"", text.replace('"', "\"\""))
}

impl Job {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.write_text(&self.source, TEXT_BYTES_MAX);
        bytes.write_text(&self.importer, TEXT_BYTES_MAX);
        bytes.write_varint(self.options.len() as u64);
        for (name, value) in &self.options {
            bytes.write_text(name, TEXT_BYTES_MAX);
            bytes.write_text(value, TEXT_BYTES_MAX);
        }
        bytes.write_varint(self.versions.len() as u64);
        for (class, version) in &self.versions {
            bytes.write_text(class, TEXT_BYTES_MAX);
            bytes.write_u32(*version);
        }
        bytes.write_text(&self.exported_from, TEXT_BYTES_MAX);
        bytes
    }

    /// The job in some bytes.
    pub fn decode(bytes: &[u8]) -> Result<Job, ReadError> {
        let mut reader = ByteReader::new(bytes);
        let mut job = Job { source: text(&mut reader)?, importer: text(&mut reader)?, ..Job::default() };
        for _ in 0..reader.read_count(COUNT_MAX, 2)? {
            job.options.push((text(&mut reader)?, text(&mut reader)?));
        }
        for _ in 0..reader.read_count(COUNT_MAX, 5)? {
            job.versions.push((text(&mut reader)?, reader.read_u32()?));
        }
        job.exported_from = text(&mut reader)?;
        reader.finish()?;
        Ok(job)
    }
}

impl Outcome {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes =
            Vec::with_capacity(self.made.iter().map(|made| made.container.len() + made.text.len() + 256).sum());
        write_file(&mut bytes, &self.file);
        bytes.write_varint(self.beside.len() as u64);
        for (path, file) in &self.beside {
            bytes.write_text(path, TEXT_BYTES_MAX);
            write_file(&mut bytes, file);
        }
        bytes.write_varint(self.made.len() as u64);
        for made in &self.made {
            for text in [&made.name, &made.class, &made.text, &made.bulk_field] {
                bytes.write_text(text, TEXT_BYTES_MAX);
            }
            bytes.write_bytes(&made.container, CONTAINER_BYTES_MAX);
            bytes.put(&made.digest);
            bytes.write_varint(made.warnings.len() as u64);
            made.warnings.iter().for_each(|warning| bytes.write_text(warning, TEXT_BYTES_MAX));
            bytes.write_varint(made.classless.len() as u64);
            made.classless.iter().for_each(|path| bytes.write_text(path, TEXT_BYTES_MAX));
        }
        bytes.write_text(&self.error, TEXT_BYTES_MAX);
        [self.parts.found, self.parts.made, self.parts.damaged].iter().for_each(|count| bytes.write_u32(*count));
        bytes.write_varint(self.parts.fresh.len() as u64);
        for part in &self.parts.fresh {
            bytes.put(&part.key);
            bytes.write_bytes(&part.bytes, CONTAINER_BYTES_MAX);
        }
        bytes.write_varint(self.parts.troubles.len() as u64);
        self.parts.troubles.iter().for_each(|trouble| bytes.write_text(trouble, TEXT_BYTES_MAX));
        bytes
    }

    /// The outcome in some bytes.
    pub fn decode(bytes: &[u8]) -> Result<Outcome, ReadError> {
        let mut reader = ByteReader::new(bytes);
        let mut outcome = Outcome { file: read_file(&mut reader)?, ..Outcome::default() };
        for _ in 0..reader.read_count(COUNT_MAX, 57)? {
            outcome.beside.push((text(&mut reader)?, read_file(&mut reader)?));
        }
        for _ in 0..reader.read_count(PRODUCTS_MAX, 38)? {
            let [name, class, imported, bulk_field] =
                [text(&mut reader)?, text(&mut reader)?, text(&mut reader)?, text(&mut reader)?];
            let container = reader.read_bytes(CONTAINER_BYTES_MAX)?.to_vec();
            let digest = read_digest(&mut reader)?;
            let mut warnings = Vec::new();
            for _ in 0..reader.read_count(COUNT_MAX, 1)? {
                warnings.push(text(&mut reader)?);
            }
            let mut classless = Vec::new();
            for _ in 0..reader.read_count(COUNT_MAX, 1)? {
                classless.push(text(&mut reader)?);
            }
            let imported = MadeTag { name, class, text: imported, bulk_field, container, digest, classless, warnings };
            outcome.made.push(imported);
        }
        outcome.error = text(&mut reader)?;
        let parts = &mut outcome.parts;
        (parts.found, parts.made, parts.damaged) = (reader.read_u32()?, reader.read_u32()?, reader.read_u32()?);
        for _ in 0..reader.read_count(COUNT_MAX, 33)? {
            let key = read_digest(&mut reader)?;
            parts.fresh.push(FreshPart { key, bytes: reader.read_bytes(CONTAINER_BYTES_MAX)?.to_vec() });
        }
        for _ in 0..reader.read_count(COUNT_MAX, 1)? {
            parts.troubles.push(text(&mut reader)?);
        }
        reader.finish()?;
        Ok(outcome)
    }
}

fn text(reader: &mut ByteReader<'_>) -> Result<String, ReadError> {
    reader.read_text(TEXT_BYTES_MAX).map(str::to_string)
}

fn write_file(bytes: &mut Vec<u8>, (stamp, content): &ReadFile) {
    bytes.write_u64(stamp.size);
    bytes.write_i64(stamp.modified);
    bytes.write_u64(stamp.number);
    bytes.put(content);
}

fn read_file(reader: &mut ByteReader<'_>) -> Result<ReadFile, ReadError> {
    let stamp = Stamp { size: reader.read_u64()?, modified: reader.read_i64()?, number: reader.read_u64()? };
    Ok((stamp, read_digest(reader)?))
}

fn read_digest(reader: &mut ByteReader<'_>) -> Result<[u8; 32], ReadError> {
    let mut digest = [0; 32];
    digest.copy_from_slice(reader.take(32)?);
    Ok(digest)
}
