//! The modules of each crate and which of them use which, from the parsed sources; what is compiled for tests alone is left out.
//!
//! A module uses another where a path of its code, or of a private `use`, leads to something that the other defines. A re-export is
//! followed to where the name is defined, and does not count as a use itself.

use super::architecture::Architecture;
use super::arrows::Package;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use syn::visit::Visit;

/// A crate with its modules.
#[derive(Debug)]
pub(super) struct Crate {
    /// Its folder, from the root.
    pub folder: String,
    /// One for its library and one for each of its programs.
    trees: Vec<Tree>,
}

/// The modules below one first file, the root first.
#[derive(Debug, Default)]
struct Tree {
    modules: Vec<Module>,
    /// Places in `modules` by their path.
    by_path: BTreeMap<Vec<String>, usize>,
}

#[derive(Debug, Default)]
struct Module {
    /// From the crate's root, as `[timer, method]`.
    path: Vec<String>,
    /// Names that `use` brings in, with the paths behind them.
    imports: BTreeMap<String, Vec<String>>,
    /// Paths whose names are all brought in.
    globs: Vec<Vec<String>>,
    /// Names of its own items.
    defines: BTreeSet<String>,
    /// Paths that its code uses.
    uses: BTreeSet<Vec<String>>,
}

/// Parses all modules of a crate.
pub(super) fn read(root: &Path, package: &Package) -> Result<Crate, Box<dyn Error>> {
    let trees = package.entries.iter().map(|entry| Tree::read(entry)).collect::<Result<_, _>>();
    let trees = trees.map_err(|error| format!("{}: {error}", root.join(&package.folder).display()))?;
    Ok(Crate { folder: package.folder.clone(), trees })
}

impl Crate {
    /// How many modules it has.
    #[cfg(test)]
    pub(super) fn modules(&self) -> usize {
        self.trees.iter().map(|tree| tree.modules.len()).sum()
    }

    /// The names of modules that use one another, a list for each circle, sorted.
    pub(super) fn circles(&self) -> Vec<Vec<String>> {
        self.trees.iter().flat_map(Tree::circles).collect()
    }

    /// The uses among the members of a circle, as `a -> b`.
    pub(super) fn arrows_within(&self, circle: &[String]) -> Vec<String> {
        let arrows = self.trees.iter().flat_map(|tree| {
            let named =
                tree.arrows().into_iter().map(|(from, to)| (tree.modules[from].name(), tree.modules[to].name()));
            named.collect::<Vec<_>>()
        });
        let within = arrows.filter(|(from, to)| circle.contains(from) && circle.contains(to));
        within.map(|(from, to)| format!("{from} -> {to}")).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Circles that ARCHITECTURE.md does not list, and listed ones that are gone.
pub(super) fn faults(architecture: &Architecture, crates: &[Crate]) -> Vec<String> {
    let mut faults = vec![];
    let mut left: Vec<_> = architecture.circles.iter().collect();
    for (of, circle) in crates.iter().flat_map(|of| of.circles().into_iter().map(move |circle| (of, circle))) {
        let is_listed = |listed: &&super::architecture::Circle| listed.folder == of.folder && listed.covers(&circle);
        if architecture.circles.iter().any(|listed| is_listed(&listed)) {
            left.retain(|listed| !is_listed(listed));
        } else {
            faults.push(format!("{}: these modules use one another: {}", of.folder, circle.join(", ")));
        }
    }
    let gone = left.iter().map(|listed| format!("{}: a listed circle is gone: take its row away", listed.folder));
    faults.into_iter().chain(gone).collect()
}

impl Module {
    fn name(&self) -> String {
        if self.path.is_empty() { "(root)".into() } else { self.path.join("::") }
    }
}

impl Tree {
    fn read(entry: &Path) -> Result<Self, Box<dyn Error>> {
        let mut tree = Self::default();
        tree.read_file(entry, vec![], entry.parent().unwrap_or(Path::new("")))?;
        Ok(tree)
    }

    /// Reads a module's file, whose children lie in `folder`.
    fn read_file(&mut self, file: &Path, path: Vec<String>, folder: &Path) -> Result<(), Box<dyn Error>> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        self.read_items(&parsed.items, path, folder)
    }

    fn read_items(&mut self, items: &[syn::Item], path: Vec<String>, folder: &Path) -> Result<(), Box<dyn Error>> {
        let mut reader = Reader { module: Module { path: path.clone(), ..Module::default() } };
        let product = || items.iter().filter(|item| !attributes(item).iter().any(is_for_tests));
        product().filter(|item| !matches!(item, syn::Item::Mod(_))).for_each(|item| reader.visit_item(item));
        self.by_path.insert(path.clone(), self.modules.len());
        self.modules.push(reader.module);
        for item in product() {
            let syn::Item::Mod(child) = item else { continue };
            let name = child.ident.to_string();
            let child_path = path.iter().cloned().chain([name.clone()]).collect();
            match &child.content {
                Some((_, items)) => self.read_items(items, child_path, &folder.join(&name))?,
                None => {
                    let (file, below) = file_of(child, &name, folder);
                    self.read_file(&file, child_path, &below)?;
                }
            }
        }
        Ok(())
    }

    fn circles(&self) -> Vec<Vec<String>> {
        let graph: DiGraphMap<usize, ()> = self.arrows().into_iter().collect();
        let circles = tarjan_scc(&graph).into_iter().filter(|circle| circle.len() > 1);
        let named = circles.map(|circle| {
            let mut names: Vec<String> = circle.into_iter().map(|module| self.modules[module].name()).collect();
            names.sort();
            names
        });
        named.collect()
    }

    fn arrows(&self) -> BTreeSet<(usize, usize)> {
        let mut arrows = BTreeSet::new();
        for (from, module) in self.modules.iter().enumerate() {
            let targets = module.uses.iter().filter_map(|path| self.resolve(from, path, 0));
            arrows.extend(targets.filter(|to| *to != from).map(|to| (from, to)));
        }
        arrows
    }

    /// The module that defines what a path in `from` leads to; `None` for another crate's.
    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Option<usize> {
        if depth > 20 {
            return None;
        }
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => 0,
            "self" => from,
            "super" => self.parent(from)?,
            name => match self.child(from, name) {
                Some(child) => child,
                None => self.behind(from, name, depth)?,
            },
        };
        while let Some((next, further)) = rest.split_first() {
            if next == "super" {
                at = self.parent(at)?;
            } else if let Some(child) = self.child(at, next) {
                at = child;
            } else if self.modules[at].defines.contains(next) {
                return Some(at);
            } else if let Some(target) = self.behind(at, next, depth) {
                at = target;
            } else {
                // A name from a macro, or one that is not brought in by name: it belongs to where the path has led.
                return Some(at);
            }
            rest = further;
        }
        Some(at)
    }

    fn parent(&self, module: usize) -> Option<usize> {
        let (_, parent) = self.modules[module].path.split_last()?;
        self.by_path.get(parent).copied()
    }

    fn child(&self, module: usize, name: &str) -> Option<usize> {
        let path: Vec<String> = self.modules[module].path.iter().cloned().chain([name.to_owned()]).collect();
        self.by_path.get(&path).copied()
    }

    /// Where a name that `module` only brings in is defined.
    fn behind(&self, module: usize, name: &str, depth: usize) -> Option<usize> {
        if let Some(path) = self.modules[module].imports.get(name) {
            // A name that is brought in under itself is another crate's.
            return if path.first().is_some_and(|first| first == name) && self.child(module, name).is_none() {
                None
            } else {
                self.resolve(module, path, depth + 1)
            };
        }
        let globs = self.modules[module].globs.iter().filter_map(|path| self.resolve(module, path, depth + 1));
        globs
            .filter(|at| *at != module)
            .find(|at| self.modules[*at].defines.contains(name) || self.modules[*at].imports.contains_key(name))
    }
}

/// The file of `mod name;`, and the folder of its own children.
fn file_of(child: &syn::ItemMod, name: &str, folder: &Path) -> (PathBuf, PathBuf) {
    let below = folder.join(name);
    if let Some(given) = child.attrs.iter().find_map(given_path) {
        let file = folder.join(given);
        let below = file.parent().map_or(below, Path::to_owned);
        return (file, below);
    }
    let beside = folder.join(format!("{name}.rs"));
    if beside.exists() { (beside, below) } else { (below.join("mod.rs"), below) }
}

/// What `#[path = "..."]` says.
fn given_path(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) if pair.path.is_ident("path") => {
            Some(text.value())
        }
        _ => None,
    }
}

/// True for `#[cfg(test)]`, with or without further conditions, and for `#[test]`.
pub(crate) fn is_for_tests(attribute: &syn::Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return attribute.path().is_ident("test") };
    let first_is = |tokens: TokenStream, wanted: &[&str]| {
        tokens.into_iter().next().is_some_and(|token| wanted.iter().any(|word| token.to_string() == *word))
    };
    if !list.path.is_ident("cfg") {
        return false;
    }
    let in_all = list.tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => first_is(group.stream(), &["test"]),
        _ => false,
    });
    first_is(list.tokens.clone(), &["test"]) || first_is(list.tokens.clone(), &["all"]) && in_all
}

/// The attributes of any item.
pub(crate) fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    use syn::Item;
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Collects a module's names and paths.
struct Reader {
    module: Module,
}

impl Reader {
    /// Each name that a `use` brings in; a private one is a use of it, too.
    fn bring_in(&mut self, tree: &syn::UseTree, before: &[String], is_private: bool) {
        let with = |name: String| -> Vec<String> {
            before.iter().cloned().chain((name != "self" || before.is_empty()).then_some(name)).collect()
        };
        let (name, path) = match tree {
            syn::UseTree::Path(part) => {
                return self.bring_in(&part.tree, &with(part.ident.to_string()), is_private);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|item| self.bring_in(item, before, is_private));
            }
            syn::UseTree::Glob(_) => {
                self.module.globs.push(before.to_vec());
                (None, before.to_vec())
            }
            syn::UseTree::Name(name) => {
                let path = with(name.ident.to_string());
                (path.last().cloned(), path)
            }
            syn::UseTree::Rename(renamed) => (Some(renamed.rename.to_string()), with(renamed.ident.to_string())),
        };
        if let Some(name) = name {
            self.module.imports.insert(name, path.clone());
        }
        if is_private {
            self.module.uses.insert(path);
        }
    }

    /// Paths among the tokens of a macro's call, which the parser leaves as they are.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = vec![];
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if path.is_empty() || colons == 2 => {
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => colons += 1,
                other => {
                    // `pub(super)` says who may use an item; it uses nothing.
                    let is_visibility = path == ["pub"];
                    self.module.uses.insert(std::mem::take(&mut path));
                    colons = 0;
                    match other {
                        TokenTree::Group(_) if is_visibility => {}
                        TokenTree::Group(group) => self.tokens(group.stream()),
                        TokenTree::Ident(ident) => path.push(ident.to_string()),
                        _ => {}
                    }
                }
            }
        }
        self.module.uses.insert(path);
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if attributes(item).iter().any(is_for_tests) {
            return;
        }
        let name = match item {
            syn::Item::Const(item) => Some(&item.ident),
            syn::Item::Enum(item) => Some(&item.ident),
            syn::Item::Fn(item) => Some(&item.sig.ident),
            syn::Item::Macro(item) => item.ident.as_ref(),
            syn::Item::Static(item) => Some(&item.ident),
            syn::Item::Struct(item) => Some(&item.ident),
            syn::Item::Trait(item) => Some(&item.ident),
            syn::Item::Type(item) => Some(&item.ident),
            syn::Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        self.module.defines.extend(name.map(ToString::to_string));
        syn::visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.bring_in(&item.tree, &[], matches!(item.vis, syn::Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.module.uses.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }

    /// `pub(in path)` names a module without using it.
    fn visit_visibility(&mut self, _visibility: &'ast syn::Visibility) {}

    /// Attributes name derives and lints, whose paths are other crates'.
    fn visit_attribute(&mut self, _attribute: &'ast syn::Attribute) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Tree::read(&folder.path().join("lib.rs")).unwrap().circles()
    }

    #[test]
    fn two_modules_that_use_one_another_are_a_circle() {
        let found = circles(&[
            ("lib.rs", "mod a;\nmod b;\npub use a::A;"),
            ("a.rs", "use crate::b::B; pub struct A(B);"),
            ("b/mod.rs", "pub struct B; fn f() { println!(\"{:?}\", crate::A::new()) }"),
        ]);
        assert_eq!(found, [["a", "b"]], "through a re-export and inside a macro's call");
    }

    #[test]
    fn a_parent_that_only_re_exports_its_child_does_not_use_it() {
        let child = ("a/b.rs", "use super::Shared; pub struct B(Shared);");
        let facade = ("a/mod.rs", "mod b;\npub use b::B;\npub struct Shared;");
        assert!(circles(&[("lib.rs", "mod a;"), facade, child]).is_empty());
        let user = ("a/mod.rs", "mod b;\npub use b::B;\npub struct Shared;\nfn f() -> B { todo!() }");
        assert_eq!(circles(&[("lib.rs", "mod a;"), user, child]), [["a", "a::b"]]);
    }

    #[test]
    fn a_visibility_inside_a_macro_is_no_use() {
        let child = ("a/b.rs", "record! { pub(super) struct B { pub(super) c: u32 } }");
        let user = ("a/mod.rs", "mod b;\nfn f() -> b::B { todo!() }");
        assert!(circles(&[("lib.rs", "mod a;"), user, child]).is_empty());
    }

    #[test]
    fn what_tests_alone_use_is_no_circle() {
        let tests =
            ("b.rs", "pub struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; }\n#[test]\nfn t() { crate::a::f() }");
        assert!(circles(&[("lib.rs", "mod a;\nmod b;"), ("a.rs", "use crate::b::B; pub fn f() {}"), tests]).is_empty());
    }
}
