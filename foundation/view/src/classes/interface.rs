//! The name of the class `interface`, so that objects and levels can refer to interfaces, whose fields another crate describes.

use tags::Tag;

/// An interface, by its class alone: for references. It is not one of the classes that [`super::add_to`] adds.
#[derive(Tag)]
#[tag(class = "interface")]
#[repr(C)]
pub struct InterfaceName {}
