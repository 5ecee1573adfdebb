//! A record: fields of fixed size behind each other without gaps, as C lays them out.

/// A struct whose bytes C reads and writes too.
pub trait Record: Sized {
    /// Its size in bytes.
    const SIZE: usize;
    /// Its fields: name, offset, size.
    const FIELDS: &'static [(&'static str, usize, usize)];
    /// Reads one; `bytes` holds at least [`Record::SIZE`] of them.
    fn from_bytes(bytes: &[u8]) -> Self;
    /// Writes it; `bytes` holds at least [`Record::SIZE`] of them.
    fn write_to(&self, bytes: &mut [u8]);
}

/// A number or a text of fixed size, in the machine's own byte order.
pub trait Field: Copy {
    /// Reads it from as many bytes as it has.
    fn read(bytes: &[u8]) -> Self;
    /// Writes it to as many bytes as it has.
    fn write(self, bytes: &mut [u8]);
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Field for $number {
            fn read(bytes: &[u8]) -> Self {
                Self::from_ne_bytes(bytes.try_into().expect("a field gets its own bytes"))
            }
            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }
        }
    )*};
}
numbers!(u16, i16, u32, i32, u64, i64);

impl<const N: usize> Field for [u8; N] {
    fn read(bytes: &[u8]) -> Self {
        bytes.try_into().expect("a field gets its own bytes")
    }
    fn write(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self);
    }
}

impl<const N: usize> Field for [u64; N] {
    fn read(bytes: &[u8]) -> Self {
        core::array::from_fn(|place| u64::read(&bytes[8 * place..8 * (place + 1)]))
    }
    fn write(self, bytes: &mut [u8]) {
        for (number, bytes) in self.into_iter().zip(bytes.chunks_exact_mut(8)) {
            number.write(bytes);
        }
    }
}

/// Declares a record, which may be a field of another. That its fields leave no gaps is checked when it is compiled.
#[macro_export]
macro_rules! record {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[$doc:meta])* $field_vis:vis $field:ident: $kind:ty,)*
    }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $vis struct $name { $($(#[$doc])* $field_vis $field: $kind,)* }

        const _: () = assert!(size_of::<$name>() == 0 $(+ size_of::<$kind>())*, "a record has no gaps");

        impl $crate::Record for $name {
            const SIZE: usize = size_of::<Self>();
            const FIELDS: &'static [(&'static str, usize, usize)] =
                &[$((stringify!($field), core::mem::offset_of!($name, $field), size_of::<$kind>()),)*];
            fn from_bytes(bytes: &[u8]) -> Self {
                let field = |offset: usize, size: usize| &bytes[offset..offset + size];
                Self { $($field: $crate::Field::read(
                    field(core::mem::offset_of!($name, $field), size_of::<$kind>())),)* }
            }
            fn write_to(&self, bytes: &mut [u8]) {
                $(
                    let offset = core::mem::offset_of!($name, $field);
                    $crate::Field::write(self.$field, &mut bytes[offset..offset + size_of::<$kind>()]);
                )*
            }
        }

        impl $crate::Field for $name {
            fn read(bytes: &[u8]) -> Self {
                <Self as $crate::Record>::from_bytes(bytes)
            }
            fn write(self, bytes: &mut [u8]) {
                $crate::Record::write_to(&self, bytes);
            }
        }
    };
}
