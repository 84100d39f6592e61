//! Postprocess: what a class works out once its tags are there.
//!
//! A ship's bounding radius follows from its model: `postprocess` works it out and puts it into a runtime field. It runs after
//! the tags that its tag refers to are ready, and its result is kept with the packed tag.
//!
//! Laws
//! 1. It can read its own tag, and the tags that its own references name, of the classes that it declares with
//!    `#[tag(reads(Model))]`, or made from them. [`Reads::get`] cannot be called for any other class: such a program does not compile.
//! 2. So its result depends on nothing else, and is worked out again when one of those changes, and only then.
//! 3. Tags that read each other in a circle are reported, and see nothing of each other.

use alloc::collections::BTreeSet;

use base::StringId;
use base::plain::{Plain, bytes_of};

use crate::field::{FieldType, Reference, Series, Tag};
use crate::packed::{Packed, View};

/// A class that works something out once its tags are there.
pub trait Postprocess: Tag {
    /// Works it out. See the laws above.
    fn postprocess(draft: &mut Draft<'_, Self>, reads: &Reads<'_, Self>);
}

/// Says that the postprocess of a class may read tags of another. Made by `#[tag(reads(…))]`.
#[diagnostic::on_unimplemented(
    message = "the postprocess of `{Self}` may not read `{Other}`",
    note = "declare it: `#[tag(reads({Other}))]`"
)]
pub trait MayRead<Other>: Tag {}

/// A tag being postprocessed.
#[derive(Debug)]
pub struct Draft<'a, T> {
    packed: &'a mut Packed,
    of: core::marker::PhantomData<fn() -> T>,
}

/// What a postprocess may read.
pub struct Reads<'a, T> {
    find: &'a dyn Fn(StringId) -> Option<&'a Packed>,
    is_a: &'a IsA<'a>,
    of: core::marker::PhantomData<fn() -> T>,
}

/// Whether a class, by its name's id, is made from another.
pub(crate) type IsA<'a> = dyn Fn(StringId, &str) -> bool + 'a;

/// A postprocess, for those who know classes only as tables.
pub(crate) type Run = for<'a> fn(&mut Packed, &(dyn Fn(StringId) -> Option<&'a Packed> + 'a), &IsA<'_>);

pub(crate) fn run<'a, T: Postprocess>(
    packed: &mut Packed,
    find: &(dyn Fn(StringId) -> Option<&'a Packed> + 'a),
    is_a: &IsA<'_>,
) {
    let own: BTreeSet<StringId> = packed.links().map(|link| StringId::from(link.path)).collect();
    let among_own = |id: StringId| if own.contains(&id) { find(id) } else { None };
    let of = core::marker::PhantomData;
    T::postprocess(&mut Draft { packed, of }, &Reads { find: &among_own, is_a, of });
    packed.seal();
}

impl<T: Tag> Draft<'_, T> {
    /// The tag as it is by now.
    ///
    /// # Panics
    /// If it was packed with another class: whoever has it ready has seen to that.
    pub fn view(&self) -> View<'_, T> {
        self.packed.view().expect("it was packed with this class")
    }

    /// Gives a field a value: `draft.set(|ship| &ship.get().radius, 3.0)`. It may lie in an element of a series.
    pub fn set<F: FieldType + Plain>(&mut self, field: impl for<'x> FnOnce(View<'x, T>) -> &'x F, value: F) {
        let view = self.view();
        let at = core::ptr::from_ref(field(view)).addr();
        let start = self.packed.data().as_ptr().addr();
        let place = at.checked_sub(start).unwrap_or(usize::MAX);
        let mut value = value;
        value.canonicalise();
        let data = self.packed.data_mut();
        // A field that is not of this tag has no place in it.
        if let Some(bytes) = place.checked_add(size_of::<F>()).and_then(|end| data.get_mut(place..end)) {
            bytes.copy_from_slice(bytes_of(&value));
        }
    }

    /// Gives a series its elements, whatever it held before.
    pub fn set_series<F: FieldType + Plain>(
        &mut self,
        series: impl for<'x> FnOnce(View<'x, T>) -> &'x Series<F>,
        elements: &[F],
    ) {
        let view = self.view();
        let at = core::ptr::from_ref(series(view)).addr();
        let start = self.packed.data().as_ptr().addr();
        let place = at.checked_sub(start).unwrap_or(usize::MAX);
        let mut elements = elements.to_vec();
        elements.iter_mut().for_each(Plain::canonicalise);
        self.packed.append_series(place, base::plain::cast_slice(&elements), elements.len());
    }
}

impl<'a, T: Tag> Reads<'a, T> {
    /// The tag that a reference of the tag being postprocessed names, if it is there.
    pub fn get<U: Tag>(&self, reference: &Reference<U>) -> Option<View<'a, U>>
    where
        T: MayRead<U>,
    {
        let found = (self.find)(reference.id())?;
        let is_it = found.class() == StringId::from(U::CLASS) || (self.is_a)(found.class(), U::CLASS);
        if is_it { found.view() } else { None }
    }
}

impl<T> core::fmt::Debug for Reads<'_, T> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str("Reads")
    }
}

/// A class that is not declared cannot be read:
///
/// ```compile_fail,E0277
/// use tags::postprocess::{Draft, Reads};
/// use tags::{Postprocess, Reference, Tag};
///
/// #[derive(Tag)]
/// #[repr(C)]
/// struct Model { radius: f32 }
///
/// #[derive(Tag)]
/// #[repr(C)]
/// struct Ship { hull: Reference<Model>, #[tag(runtime)] reach: f32 }
///
/// impl Postprocess for Ship {
///     fn postprocess(draft: &mut Draft<'_, Ship>, reads: &Reads<'_, Ship>) {
///         let _ = reads.get(&draft.view().get().hull);
///     }
/// }
/// ```
#[cfg(doctest)]
pub struct Undeclared;
