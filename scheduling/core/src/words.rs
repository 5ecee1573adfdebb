//! Enumerations whose values have one word each, the same in flags, files, tables and JSON.

use core::fmt;

/// A word that is none of an enumeration's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    /// What there is to choose from.
    pub choices: &'static [&'static str],
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("choose one of ")?;
        for (place, choice) in self.choices.iter().enumerate() {
            write!(f, "{}{choice}", if place == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownWord {}

/// Gives each value of an enumeration its word: `name`, `Display` and `FromStr`, which are each other's inverse.
///
/// A value may have more words, as in `Monotonic => "monotonic" | "mono"`. These are read, but never written.
#[macro_export]
macro_rules! words {
    ($type:ident: $($value:ident => $word:literal $(| $other:literal)*),+ $(,)?) => {
        impl $type {
            /// Every value, in the order of [`Self::NAMES`].
            pub const VALUES: &'static [Self] = &[$(Self::$value),+];

            /// The word of every value.
            pub const NAMES: &'static [&'static str] = &[$($word),+];

            /// The value's word.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $word),+
                }
            }
        }

        impl ::core::fmt::Display for $type {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::core::str::FromStr for $type {
            type Err = $crate::words::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word $(| $other)* => Ok(Self::$value),)+
                    _ => Err($crate::words::UnknownWord { choices: Self::NAMES }),
                }
            }
        }
    };
}

#[cfg(test)]
#[allow(unreachable_pub)] // The macro writes for the public enumerations of other crates.
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Colour {
        Red,
        Green,
    }
    words!(Colour: Red => "red" | "crimson", Green => "green");

    #[test]
    fn each_value_is_read_back_from_its_word_and_others_are_told_the_choices() {
        Colour::VALUES.iter().for_each(|colour| assert_eq!(colour.to_string().parse(), Ok(*colour)));
        let refused = "blue".parse::<Colour>().unwrap_err();
        assert_eq!(refused, UnknownWord { choices: &["red", "green"] });
        assert_eq!(refused.to_string(), "choose one of red, green");
    }

    #[test]
    fn another_word_of_a_value_is_read_and_not_written() {
        assert_eq!("crimson".parse(), Ok(Colour::Red));
        assert_eq!((Colour::Red.to_string().as_str(), Colour::NAMES), ("red", &["red", "green"][..]));
    }
}
