//! What there is to choose from: `waypost algorithms [NAME]` and `waypost indexes [NAME]`.

use anyhow::{Result, bail};
use std::collections::BTreeMap;
use waypost::index::{INDEX_TYPES, IndexKind, IndexRequest, IndexType};
use waypost::names;
use waypost::spec::{ALGORITHMS, AgentSpec, Algorithm};

/// What commands run where nothing else is asked for.
pub const DEFAULT_ALGORITHM: &str = "waypost";
/// The same on graphs.
pub const DEFAULT_ON_GRAPHS: &str = "astar";

/// All algorithms, one line each.
pub fn algorithms() -> String {
    let mut text = String::from("Algorithms, as --algo NAME or --algo NAME:KEY=VALUE,...\n\n");
    for algorithm in ALGORITHMS {
        text += &line(algorithm.name, algorithm.about);
    }
    text + "\n`waypost algorithms NAME` has the keys of one and an example, such as `waypost algorithms tba`.\n"
}

/// One algorithm: its keys, the index that it needs, and examples.
pub fn algorithm(name: &str) -> Result<&'static Algorithm> {
    let Some(algorithm) = ALGORITHMS.iter().find(|a| a.name == name) else {
        if let Some(named) = named_in(name) {
            bail!("{name}: this is more than a name; `waypost algorithms {named}` has its keys");
        }
        let known: Vec<_> = ALGORITHMS.iter().map(|a| a.name).collect();
        bail!(
            "unknown algorithm `{name}`; {}",
            names::expected(&star_written_out(name), &known)
        );
    };
    Ok(algorithm)
}

/// The known algorithm that a longer text begins with.
pub fn named_in(text: &str) -> Option<&'static str> {
    let begin = text.split([':', '=', ',', ';']).next()?.trim();
    let found = ALGORITHMS.iter().find(|a| a.name == begin && begin != text);
    found.map(|algorithm| algorithm.name)
}

/// The page of one algorithm.
pub fn algorithm_page(algorithm: &Algorithm) -> String {
    let mut text = format!("{}: {}\n", algorithm.name, algorithm.about);
    text += &keys(algorithm.keys);
    text += &format!("\n{}\n", index_line(algorithm));
    text += "\nExamples:\n";
    for example in algorithm_examples(algorithm) {
        text += &format!("  {example}\n");
    }
    text
}

/// What index an algorithm uses: alone, and with keys.
fn index_line(algorithm: &Algorithm) -> String {
    let own = index_of(algorithm.name);
    let mut uses: Vec<String> = own
        .iter()
        .map(|kind| format!("`{}`", kind.name()))
        .collect();
    for index in INDEX_TYPES.iter().filter(|index| own != Some(index.kind)) {
        let taker = taker(algorithm, index.kind, &defaults(index));
        uses.extend(taker.map(|spec| format!("`{}` with {spec}", index.kind.name())));
    }
    match uses.is_empty() {
        true => "Index: none.".to_string(),
        false => format!(
            "Index: {}; built in memory where no --index gives one.",
            uses.join(", ")
        ),
    }
}

/// Commands that use an algorithm, in an order in which they can be run.
pub fn algorithm_examples(algorithm: &Algorithm) -> Vec<String> {
    let name = algorithm.name;
    let mut examples = vec![gen_example()];
    let request = request_of(name);
    examples.extend(request.as_ref().map(build_example));
    let index = request.map_or(String::new(), |request| {
        format!(" --index {EXAMPLE}.{}", request.kind.name())
    });
    examples.push(format!(
        "waypost solve {EXAMPLE}.map --from random --to random --algo {name}{index} --png path.png"
    ));
    if let Some(spec) = spec_with_key(algorithm) {
        examples.push(format!(
            "waypost solve {EXAMPLE}.map --from random --to random --algo {spec}"
        ));
    }
    examples
}

/// All kinds of index, one line each.
pub fn indexes() -> String {
    let mut text = String::from("Indexes, for `waypost build KIND MAP -o FILE`\n\n");
    for index in INDEX_TYPES {
        text += &line(index.kind.name(), index.about);
    }
    text + "\n`waypost indexes NAME` has the parameters of one and an example, such as `waypost indexes labels`.\n"
}

/// One kind of index.
pub fn index(name: &str) -> Result<&'static IndexType> {
    let found = INDEX_TYPES.iter().find(|index| index.kind.name() == name);
    let Some(index) = found else {
        let known: Vec<_> = INDEX_TYPES.iter().map(|t| t.kind.name()).collect();
        bail!("unknown index `{name}`; {}", names::expected(name, &known));
    };
    Ok(index)
}

/// The page of one kind of index.
pub fn index_page(index: &IndexType) -> String {
    let name = index.kind.name();
    let mut text = format!("{name}: {}\n", index.about);
    text += &keys(index.keys);
    let takers = takers_of_type(index);
    if !takers.is_empty() {
        text += &format!("\nUsed by --algo {}.\n", takers.join(", "));
    }
    text += "\nExamples:\n";
    for example in index_examples(index) {
        text += &format!("  {example}\n");
    }
    text
}

/// Commands that build a kind of index, in an order in which they can be run.
pub fn index_examples(index: &IndexType) -> Vec<String> {
    let file = format!("{EXAMPLE}.{}", index.kind.name());
    let algorithm = takers_of_type(index).into_iter().next();
    let request = algorithm.as_deref();
    let request = request.and_then(|spec| request_for(spec, index.kind));
    let request = request.unwrap_or_else(|| IndexRequest::new(index.kind));
    let mut examples = vec![
        gen_example(),
        build_example(&request),
        format!("waypost verify {file} --map {EXAMPLE}.map"),
    ];
    if let Some(algorithm) = algorithm {
        examples.push(format!(
            "waypost solve {EXAMPLE}.map --from random --to random --algo {algorithm} --index {file}"
        ));
    }
    examples
}

/// The name of the files that examples are about: none that chapters of the guide make.
const EXAMPLE: &str = "small";

fn gen_example() -> String {
    format!("waypost gen caves --width 60 --height 40 -o {EXAMPLE}.map")
}

/// Builds what an algorithm asks for: parameters are named where they are not the defaults.
fn build_example(request: &IndexRequest) -> String {
    let kind = request.kind.name();
    let keys = IndexType::of(request.kind).map_or(&[][..], |index_type| index_type.keys);
    let is_default = |key: &str, value: &str| {
        let about = keys.iter().find(|(known, _)| *known == key);
        about.and_then(|(_, about)| default_in(about)) == Some(value)
    };
    let named = request.parameters.iter();
    let named = named.filter(|(key, value)| !is_default(key, value));
    let with: String = named
        .map(|(key, value)| format!(" --{key} {value}"))
        .collect();
    format!("waypost build {kind} {EXAMPLE}.map{with} -o {EXAMPLE}.{kind}")
}

/// The specs that use an index of a kind with these parameters, one of each algorithm: its name alone, or with the key that asks for it.
pub fn takers(kind: IndexKind, parameters: &BTreeMap<String, String>) -> Vec<String> {
    let takers = ALGORITHMS
        .iter()
        .map(|algorithm| taker(algorithm, kind, parameters));
    // Those that use it without being asked come first.
    let (alone, asked): (Vec<_>, Vec<_>) = takers.flatten().partition(|spec| !spec.contains(':'));
    [alone, asked].concat()
}

/// The same of an index that was built with the defaults of its kind.
pub fn takers_of_type(index: &IndexType) -> Vec<String> {
    takers(index.kind, &defaults(index))
}

fn taker(
    algorithm: &Algorithm,
    kind: IndexKind,
    parameters: &BTreeMap<String, String>,
) -> Option<String> {
    if request_for(algorithm.name, kind).is_some() {
        return Some(algorithm.name.to_string());
    }
    let words = |about: &'static str| about.split(|c: char| !c.is_ascii_alphanumeric());
    let specs = algorithm.keys.iter().flat_map(|&(key, about)| {
        let values = parameters.values().map(String::as_str).chain(words(about));
        values.map(move |value| format!("{}:{key}={value}", algorithm.name))
    });
    let fits = |spec: &String| {
        let request = request_for(spec, kind);
        let asked = request.iter().flat_map(|request| &request.parameters);
        request.is_some() && asked.into_iter().all(|(k, v)| parameters.get(k) == Some(v))
    };
    specs.into_iter().find(fits)
}

/// What a kind of index is built with where nothing else is said.
fn defaults(index: &IndexType) -> BTreeMap<String, String> {
    let defaults = index.keys.iter().filter_map(|(key, about)| {
        let value = default_in(about)?;
        Some((key.to_string(), value.to_string()))
    });
    defaults.collect()
}

/// The index of a kind that a spec asks for.
fn request_for(spec: &str, kind: IndexKind) -> Option<IndexRequest> {
    let needs = AgentSpec::parse(spec).ok()?.needs().into_iter();
    needs.into_iter().find(|request| request.kind == kind)
}

/// The kind of index that an algorithm uses where no key says otherwise.
pub fn index_of(name: &str) -> Option<IndexKind> {
    request_of(name).map(|request| request.kind)
}

/// The index that an algorithm asks for where no key says otherwise.
fn request_of(name: &str) -> Option<IndexRequest> {
    AgentSpec::parse(name).ok()?.needs().into_iter().next()
}

/// A spec with the first of the algorithm's keys whose default its text names.
pub fn spec_with_key(algorithm: &Algorithm) -> Option<String> {
    let specs = algorithm.keys.iter().filter_map(|(key, about)| {
        let value = default_in(about)?;
        Some(format!("{}:{key}={value}", algorithm.name))
    });
    specs
        .into_iter()
        .find(|spec| AgentSpec::parse(spec).is_ok())
}

/// The one word that follows `default` in a text, or the one word that stands in parentheses at its end.
fn default_in(about: &str) -> Option<&str> {
    let after = match about.split_once("default") {
        Some((_, rest)) => rest.trim_start_matches(':'),
        None => about.strip_suffix(')')?.rsplit_once('(')?.1,
    };
    let after = after.trim();
    let end = after.find([' ', ',', ')', ':', ';']).unwrap_or(after.len());
    // A word that others follow is part of a sentence about the default.
    let alone = !after[end..].starts_with(' ');
    (end > 0 && alone).then_some(&after[..end])
}

fn line(name: &str, about: &str) -> String {
    format!("  {name:<14} {about}\n")
}

fn keys(keys: &[(&str, &str)]) -> String {
    let mut text = String::new();
    if !keys.is_empty() {
        text += "\nKeys:\n";
    }
    for (key, about) in keys {
        text += &line(key, about);
    }
    text
}

/// The name of A* as it is typed here; any other name as it is.
pub fn star_written_out(name: &str) -> String {
    match name.eq_ignore_ascii_case("A*") {
        true => "astar".to_string(),
        false => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_found_in_texts() {
        assert_eq!(default_in("size of the database (10000)"), Some("10000"));
        assert_eq!(default_in("multiplies (default 1: all)"), Some("1"));
        assert_eq!(default_in("open list: a or b; default a"), Some("a"));
        assert_eq!(default_in("cells on a side (default: 16 up to 9)"), None);
        assert_eq!(default_in("refuse more"), None);
    }

    #[test]
    fn most_algorithms_with_keys_have_an_example_with_a_key() {
        let with_keys = ALGORITHMS.iter().filter(|a| !a.keys.is_empty());
        let without: Vec<&str> = with_keys
            .filter(|a| spec_with_key(a).is_none())
            .map(|a| a.name)
            .collect();
        assert!(without.len() <= 3, "{without:?}");
    }
}
