//! Text inside XML: escaped, and without the characters that XML cannot hold at all.

/// `text` for an attribute or an element.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            '\t' | '\n' | '\r' => safe.push_str(&format!("&#{};", u32::from(c))),
            '\u{0}'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_and_what_xml_cannot_hold_is_replaced() {
        assert_eq!(escaped("<a b='c\"&d'>"), "&lt;a b=&apos;c&quot;&amp;d&apos;&gt;");
        assert_eq!(escaped("a\nb\u{1}\u{ffff}ç"), "a&#10;b\u{fffd}\u{fffd}ç");
    }
}
