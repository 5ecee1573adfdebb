//! Texts out of sources: documentation of flags and values, descriptions in JSON schemas, messages of errors, and string literals
//! that a person could read; and the texts of studies.

use super::prose::{has_words, is_for_a_program};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::error::Error;
use std::path::{Path, PathBuf};
use syn::spanned::Spanned;
use syn::visit::Visit;

/// What a text is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// The first sentence or paragraph of a flag's, a value's or a command's help, which stands alone in a list.
    Help,
    /// What more the help says.
    MoreHelp,
    /// A description in a JSON schema.
    Schema,
    /// An error's message.
    Error,
    /// Anything else that is printed or drawn.
    Other,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Help | Self::MoreHelp => "help",
            Self::Schema => "json",
            Self::Error => "error",
            Self::Other => "text",
        }
    }
}

/// One text.
pub(super) struct Text {
    /// Its source, from the root.
    pub(super) file: String,
    /// Its line there.
    pub(super) line: usize,
    pub(super) kind: Kind,
    pub(super) words: String,
}

/// All texts, by file and line.
pub(super) fn texts(root: &Path) -> Result<Vec<Text>, Box<dyn Error>> {
    let mut texts = vec![];
    for path in sources(root)? {
        let source = std::fs::read_to_string(root.join(&path))?;
        let file = path.to_string_lossy().into_owned();
        let found = of_source(&source).map_err(|error| format!("{file}: {error}"))?;
        texts.extend(found.into_iter().map(|(line, kind, words)| Text { file: file.clone(), line, kind, words }));
    }
    texts.extend(of_studies(root)?);
    Ok(texts)
}

/// Keys of a study whose texts a report shows as they are.
const OF_STUDIES: [&str; 6] = ["title", "question", "text", "note", "why", "origin"];

/// The texts of every study and experiment, by file and line.
fn of_studies(root: &Path) -> Result<Vec<Text>, Box<dyn Error>> {
    let mut texts = vec![];
    for folder in ["studies", "studies/overheads"] {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(root.join(folder))?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
        files.sort();
        for path in files {
            let source = std::fs::read_to_string(&path)?;
            let file = path.strip_prefix(root)?.to_string_lossy().into_owned();
            let mut found = of_study(&source).map_err(|error| format!("{file}: {error}"))?;
            found.sort_by_key(|(line, _)| *line);
            texts.extend(found.into_iter().map(|(line, words)| Text {
                file: file.clone(),
                line,
                kind: Kind::Other,
                words,
            }));
        }
    }
    Ok(texts)
}

/// Line and words of a study's texts; each text once.
fn of_study(source: &str) -> Result<Vec<(usize, String)>, toml::de::Error> {
    fn visit(value: &toml::Value, key: &str, texts: &mut std::collections::BTreeSet<String>) {
        match value {
            toml::Value::String(text) if OF_STUDIES.contains(&key) => {
                texts.insert(text.clone());
            }
            toml::Value::Array(values) => values.iter().for_each(|value| visit(value, key, texts)),
            toml::Value::Table(table) => table.iter().for_each(|(key, value)| visit(value, key, texts)),
            _ => {}
        }
    }
    let mut texts = std::collections::BTreeSet::new();
    visit(&toml::Value::Table(source.parse()?), "", &mut texts);
    let line = |text: &str| {
        let first = text.lines().next().unwrap_or_default().split(['"', '\\']).next().unwrap_or_default();
        source.find(first).map_or(1, |at| source[..at].lines().count())
    };
    Ok(texts.into_iter().map(|text| (line(&text), text)).collect())
}

/// The Rust sources whose texts people read, sorted by folder.
fn sources(root: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let is_read = |path: &String| match path.split('/').collect::<Vec<_>>()[..] {
        ["scheduling", "kernel", ..] => false,
        [wing, _, "src", ..] => ["answer", "measuring", "scheduling"].contains(&wing) && !crate::house::is_test(path),
        _ => false,
    };
    let mut files: Vec<PathBuf> = crate::house::sources(root)?.into_iter().filter(is_read).map(PathBuf::from).collect();
    files.sort();
    Ok(files)
}

/// Line, kind and words of a text.
type Found = (usize, Kind, String);

/// Every text of a source, by line.
fn of_source(source: &str) -> Result<Vec<Found>, Box<dyn Error>> {
    let mut finder = Finder { found: vec![], in_words: false };
    finder.visit_file(&syn::parse_file(source)?);
    finder.found.sort_by_key(|(line, kind, _)| (*line, *kind));
    finder.found.dedup();
    Ok(finder.found)
}

struct Finder {
    found: Vec<Found>,
    /// True inside of `words!`.
    in_words: bool,
}

/// Derives whose documentation becomes help.
const COMMANDS: [&str; 4] = ["Args", "Parser", "Subcommand", "ValueEnum"];
/// Macros and methods whose texts are for developers.
const DEVELOPERS: [&str; 12] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "expect",
    "panic",
    "todo",
    "unimplemented",
    "unreachable",
    "include_str",
    "concat",
];

/// Methods whose texts no person reads: they are searched for in the text of another program, or name random numbers.
const UNREAD: [&str; 9] = [
    "contains",
    "starts_with",
    "ends_with",
    "strip_prefix",
    "strip_suffix",
    "split_once",
    "rsplit_once",
    "below",
    "by_ratio",
];

impl Finder {
    /// Keeps documentation as help, paragraphs apart.
    fn help(&mut self, attributes: &[syn::Attribute]) {
        let (line, paragraphs) = documentation(attributes);
        for (number, paragraph) in paragraphs.into_iter().enumerate() {
            let kind = if number > 0 { Kind::MoreHelp } else { Kind::Help };
            self.found.push((line, kind, paragraph));
        }
    }

    /// Keeps documentation as a description in a schema.
    fn description(&mut self, attributes: &[syn::Attribute]) {
        let (line, paragraphs) = documentation(attributes);
        self.found.extend(paragraphs.into_iter().map(|paragraph| (line, Kind::Schema, paragraph)));
    }

    /// Keeps the documentation of a type and of everything in it.
    fn descriptions(&mut self, item: &syn::Item) {
        self.description(crate::house::attributes(item));
        match item {
            syn::Item::Struct(item) => item.fields.iter().for_each(|field| self.description(&field.attrs)),
            syn::Item::Enum(item) => item.variants.iter().for_each(|variant| {
                self.description(&variant.attrs);
                variant.fields.iter().for_each(|field| self.description(&field.attrs));
            }),
            _ => {}
        }
    }

    /// String literals of an attribute of clap's or thiserror's.
    fn attribute(&mut self, attribute: &syn::Attribute) {
        // `cfg_attr` carries flags of the library's types.
        let kind = if ["arg", "command", "value", "clap", "cfg_attr"].iter().any(|name| attribute.path().is_ident(name))
        {
            Kind::Help
        } else if attribute.path().is_ident("error") {
            Kind::Error
        } else {
            return;
        };
        if let syn::Meta::List(list) = &attribute.meta {
            self.literals(list.tokens.clone(), kind);
        }
    }

    /// String literals of some tokens; documentation inside (as `words!` takes it) is help.
    fn literals(&mut self, tokens: TokenStream, kind: Kind) {
        let mut before = [String::new(), String::new()];
        for token in tokens {
            let now = match &token {
                TokenTree::Ident(name) => name.to_string(),
                TokenTree::Punct(mark) => mark.as_char().to_string(),
                TokenTree::Group(_) | TokenTree::Literal(_) => String::new(),
            };
            match token {
                TokenTree::Group(group) => {
                    let is_attribute = before[1] == "#" && group.delimiter() == Delimiter::Bracket;
                    let macro_or_method = if before[1] == "!" { &before[0] } else { &before[1] };
                    if is_attribute {
                        if self.in_words {
                            self.inner_documentation(group.stream());
                        }
                    } else if !DEVELOPERS.iter().chain(&UNREAD).any(|name| macro_or_method == name) {
                        self.literals(group.stream(), kind);
                    }
                }
                TokenTree::Literal(literal) => {
                    let line = literal.span().start().line;
                    if let syn::Lit::Str(text) = syn::Lit::new(literal) {
                        self.keep(line, kind, text.value());
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
            before = [std::mem::take(&mut before[1]), now];
        }
    }

    fn inner_documentation(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter();
        let is_documentation = matches!(tokens.next(), Some(TokenTree::Ident(name)) if name == "doc");
        if is_documentation && let Some(TokenTree::Literal(literal)) = tokens.nth(1) {
            let line = literal.span().start().line;
            if let syn::Lit::Str(text) = syn::Lit::new(literal) {
                self.found.push((line, Kind::Help, text.value().trim().to_owned()));
            }
        }
    }

    /// Keeps a literal if a person could read it as words; help and errors are always for people.
    fn keep(&mut self, line: usize, kind: Kind, text: String) {
        if has_words(&text) && (kind != Kind::Other || !is_for_a_program(&text)) {
            self.found.push((line, kind, text));
        }
    }
}

/// The first line of documentation, and its paragraphs.
fn documentation(attributes: &[syn::Attribute]) -> (usize, Vec<String>) {
    let mut lines = vec![];
    let mut first = None;
    for attribute in attributes {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && attribute.path().is_ident("doc")
            && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value
        {
            first.get_or_insert(attribute.span().start().line);
            lines.push(text.value().trim().to_owned());
        }
    }
    let text = lines.join("\n");
    let paragraphs = text.split("\n\n").filter(|paragraph| !paragraph.is_empty());
    (first.unwrap_or(1), paragraphs.map(|paragraph| paragraph.replace('\n', " ")).collect())
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = crate::house::attributes(item);
        if attributes.iter().any(crate::house::is_for_tests) {
            return;
        }
        let derived: String = attributes
            .iter()
            .filter(|attribute| ["derive", "cfg_attr"].iter().any(|name| attribute.path().is_ident(name)))
            .filter_map(|attribute| attribute.meta.require_list().ok().map(|list| list.tokens.to_string()))
            .filter(|tokens| !tokens.starts_with("test"))
            .collect();
        let derives =
            |wanted: &[&str]| derived.split(|c: char| !c.is_alphanumeric()).any(|name| wanted.contains(&name));
        let is_command = derives(&COMMANDS);
        if derives(&["JsonSchema"]) {
            self.descriptions(item);
        }
        match item {
            syn::Item::Struct(item) if is_command => {
                item.fields.iter().for_each(|field| self.help(&field.attrs));
                if derived.contains("Parser") {
                    self.help(&item.attrs);
                }
            }
            syn::Item::Enum(item) if is_command => item.variants.iter().for_each(|variant| {
                self.help(&variant.attrs);
                variant.fields.iter().for_each(|field| self.help(&field.attrs));
            }),
            _ => {}
        }
        syn::visit::visit_item(self, item);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        self.attribute(attribute);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let name = called.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        if !DEVELOPERS.contains(&name.as_str()) {
            // Of all macros, `words!` alone turns documentation into help.
            self.in_words = name == "words";
            self.literals(called.tokens.clone(), Kind::Other);
            self.in_words = false;
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        if call.method == "expect" || UNREAD.iter().any(|method| call.method == method) {
            self.visit_expr(&call.receiver);
        } else {
            syn::visit::visit_expr_method_call(self, call);
        }
    }

    /// What a text is compared with is not printed.
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}

    fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
        self.keep(literal.span().start().line, Kind::Other, literal.value());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<(Kind, String)> {
        of_source(source).unwrap().into_iter().map(|(_, kind, words)| (kind, words)).collect()
    }

    #[test]
    fn flags_errors_and_printed_texts_are_found_and_tests_are_not() {
        let source = r#"
            /// Not help.
            #[derive(clap::Args)]
            #[command(after_help = "Two words")]
            struct Flags {
                /// Print the count
                #[arg(long)]
                count: bool,
            }
            #[cfg_attr(feature = "flags", derive(clap::Args))]
            struct Options {
                /// Flag of the library
                #[cfg_attr(feature = "flags", arg(long))]
                flag: bool,
            }
            /// The answer of a run.
            #[derive(Serialize, JsonSchema)]
            enum Answer {
                /// It passed.
                Passed,
            }
            #[derive(thiserror::Error)]
            enum Fault {
                #[error("the file {0} is gone")]
                Gone(String),
            }
            fn f(b: Option<u8>) {
                println!("{} of them", b.expect("always some"));
                assert!(true, "not this one");
                g("SELECT a FROM b", "word", "drawn on the page");
            }
            #[cfg(test)]
            mod tests {
                fn h() { g("nor this one"); }
            }
        "#;
        let expected = [
            (Kind::Help, "Two words"),
            (Kind::Help, "Print the count"),
            (Kind::Help, "Flag of the library"),
            (Kind::Schema, "The answer of a run."),
            (Kind::Schema, "It passed."),
            (Kind::Error, "the file {0} is gone"),
            (Kind::Other, "{} of them"),
            (Kind::Other, "drawn on the page"),
        ];
        assert_eq!(found(source), expected.map(|(kind, words)| (kind, words.to_owned())));
    }

    #[test]
    fn what_is_searched_for_compared_with_or_drawn_by_name_is_no_text() {
        let source = r#"
            fn f(line: &str, draws: Draws) -> String {
                let is_late = line.starts_with("Kernel panic") || draws.below("small step", 2) == 1;
                match line {
                    "Min Latencies" | "Max Latencies" => g(line, "a smallest one"),
                    _ if is_late => format!("in {}", line.strip_prefix("model name").unwrap_or("no model")),
                    _ => h("it is not known"),
                }
            }
        "#;
        let expected = ["a smallest one", "no model", "it is not known"];
        assert_eq!(found(source), expected.map(|words| (Kind::Other, words.to_owned())));
    }

    #[test]
    fn texts_of_a_study_are_found_and_its_names_are_not() {
        let study = "[study]\nname = \"a b\"\ntitle = \"The title\"\n[[claim]]\nid = \"c\"\ntext = \"It is so.\"\n";
        assert_eq!(of_study(study).unwrap(), [(6, "It is so.".to_owned()), (3, "The title".to_owned())]);
    }

    #[test]
    fn documentation_inside_a_macro_is_help() {
        assert_eq!(
            found("words! { enum A { /// A miss counts\n Hard = \"hard\" } }"),
            [(Kind::Help, "A miss counts".to_owned())]
        );
    }
}
