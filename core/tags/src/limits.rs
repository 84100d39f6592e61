//! All limits of tags. Anything above one is refused with a report that names it.

/// The largest tag file, in bytes of text. Larger data is bulk data, in separate files.
pub const TEXT_BYTES_MAX: usize = 32 << 20;

/// The largest packed tag, in bytes.
pub const PACKED_BYTES_MAX: usize = 256 << 20;

/// The most elements of one series.
pub const ELEMENTS_MAX: usize = 1 << 20;

/// The deepest nesting of records.
pub const DEPTH_MAX: u32 = 32;

/// The longest path of a tag, in bytes.
pub const PATH_BYTES_MAX: usize = 400;

/// The most fields of one record.
pub const FIELDS_MAX: usize = 1024;

/// The most records of one class, the tag itself included.
pub const RECORDS_MAX: usize = 1024;

/// The longest chain of bases.
pub const BASES_MAX: usize = 8;

/// The most names of a choice. Flags have at most [`FLAGS_MAX`].
pub const NAMES_MAX: usize = 4096;

/// The most flags of one field: the bits of a number.
pub const FLAGS_MAX: usize = 32;

/// The most tags of one library.
pub const TAGS_MAX: usize = 1 << 20;

/// The most references one tag may hold.
pub const REFERENCES_MAX: usize = 1 << 16;

/// The most files of bulk data one tag may name.
pub const FILES_MAX: usize = 1 << 16;

/// The longest text of one field, in bytes.
pub const FIELD_TEXT_BYTES_MAX: usize = 1 << 20;

/// The most reports about one tag.
pub const REPORTS_MAX: usize = script::parse::REPORTS_MAX;

/// The largest input of a conversion, with its record, and its largest result, in bytes of text.
pub const CONVERTED_BYTES_MAX: usize = 1 << 20;

/// The most memory that the class of one header may take, approximately.
pub const HEADER_BYTES_MAX: usize = 64 << 20;

/// The most memory that the classes of a set of headers may take together for each byte of their texts, approximately, besides
/// [`HEADER_BYTES_MAX`].
pub const HEADER_BYTES_PER_BYTE: usize = 32;

/// The largest packed record, in bytes.
pub const RECORD_BYTES_MAX: u32 = 1 << 16;

/// The most parts of a bulk container.
pub const BULK_PARTS_MAX: usize = 1 << 16;

/// The most blocks of a bulk container: 256 GiB of data.
pub const BULK_BLOCKS_MAX: usize = 1 << 20;

/// The longest name of a part, in bytes.
pub const BULK_NAME_BYTES_MAX: usize = 255;

const _: () = assert!(PACKED_BYTES_MAX <= i32::MAX as usize, "offsets have 32 bits");

/// The most libraries of a class, those of its bases included.
pub const LIBRARIES_MAX: usize = 32;

/// The longest chain of tags that are made from each other, the first one included.
pub const PARENTS_MAX: usize = 8;
