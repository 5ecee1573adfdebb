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
