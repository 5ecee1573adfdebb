//! What tests of certificates share, here and where certificates are written.

/// `text` with the digest that its lines ought to have, as somebody would write it who changes more than one line.
pub(crate) fn resealed(text: &str) -> String {
    const LINE: &str = "\ndigest sha256 ";
    let (Some(digest), Some((question, behind))) = (prazo_checker::digest_of_scenario(text), text.split_once(LINE))
    else {
        return text.to_owned();
    };
    let claimed = behind.split_once('\n').map_or("", |(_, claimed)| claimed);
    format!("{question}{LINE}{digest}\n{claimed}")
}

/// No line of a certificate may have one more word.
pub(crate) fn refuses_longer_lines(text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    for at in 0..lines.len() {
        let longer = |(index, line): (usize, &&str)| format!("{line}{}\n", if index == at { " x" } else { "" });
        let longer: String = lines.iter().enumerate().map(longer).collect();
        // A new seal puts a longer digest right.
        for longer in [resealed(&longer), longer].into_iter().filter(|longer| longer != text) {
            assert!(prazo_checker::check(&longer).is_err(), "accepted with one more word:\n{} x\n{text}", lines[at]);
        }
    }
}
