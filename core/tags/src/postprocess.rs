//! Postprocess: values of a tag that are computed from other tags.
//!
//! A ship's bounding radius follows from its model: `postprocess` computes it and stores it in a runtime field. It runs
//! once the referenced tags are ready, and its result is cached with the packed tag.
//!
//! Laws
//! 1. It can read its own tag, and the tags that its own references name, of the classes declared with
//!    `#[tag(reads(Model))]` or derived from them. [`Reads::get`] for any other class does not compile.
//! 2. So its result depends on nothing else, and is recomputed exactly when one of these changes.
//! 3. Tags that read each other in a cycle are reported, and do not see each other.

use alloc::collections::BTreeSet;

use base::StringId;
use base::plain::{Plain, bytes_of};

use crate::field::{FieldType, Reference, Series, Tag};
use crate::packed::{Packed, View};

/// A class with a postprocess.
pub trait Postprocess: Tag {
    /// Computes the runtime fields. See the laws above.
    fn postprocess(draft: &mut Draft<'_, Self>, reads: &Reads<'_, Self>);
}

/// Allows the postprocess of a class to read tags of another. Implemented by `#[tag(reads(…))]`.
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

/// The tags that a postprocess may read.
pub struct Reads<'a, T> {
    find: &'a dyn Fn(StringId) -> Option<&'a Packed>,
    is_a: &'a IsA<'a>,
    of: core::marker::PhantomData<fn() -> T>,
}

/// Whether a class, by the id of its name, is another one or derived from it.
pub(crate) type IsA<'a> = dyn Fn(StringId, &str) -> bool + 'a;

/// A postprocess with its type erased.
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
    /// The tag in its current state.
    ///
    /// # Panics
    /// If it was packed for another class.
    pub fn view(&self) -> View<'_, T> {
        self.packed.view().expect("a draft was packed with the class of its type")
    }

    /// Sets a field: `draft.set(|ship| &ship.get().radius, 3.0)`. It may lie in an element of a series.
    pub fn set<F: FieldType + Plain>(&mut self, field: impl for<'x> FnOnce(View<'x, T>) -> &'x F, value: F) {
        let view = self.view();
        let at = core::ptr::from_ref(field(view)).addr();
        let start = self.packed.data().as_ptr().addr();
        let place = at.checked_sub(start).unwrap_or(usize::MAX);
        let mut value = value;
        value.canonicalise();
        let data = self.packed.data_mut();
        // A reference that is not into this tag has no offset in it.
        if let Some(bytes) = place.checked_add(size_of::<F>()).and_then(|end| data.get_mut(place..end)) {
            bytes.copy_from_slice(bytes_of(&value));
        }
    }

    /// Replaces the elements of a series.
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
    /// The tag that a reference of the current tag names, if it exists.
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
