//! Names that people type: what is known, and what a mistyped name was probably meant to be.

/// The known name that a mistyped one is probably meant to be, where one is near.
///
/// ```
/// use waypost::names::nearest;
///
/// assert_eq!(nearest("jumpgraph", &["astar", "jump-graph"]), Some("jump-graph"));
/// assert_eq!(nearest("knn", &["lrta", "knn-lrta"]), Some("knn-lrta"));
/// assert_eq!(nearest("teleport", &["lrta", "knn-lrta"]), None);
/// ```
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let given = given.to_lowercase();
    let edits = |name: &str| strsim::damerau_levenshtein(&given, name);
    let near = known
        .iter()
        .filter(|name| edits(name) <= name.len().div_ceil(3));
    let holds_it = |name: &&&str| given.len() > 2 && name.contains(&given);
    near.min_by_key(|name| edits(name))
        .or_else(|| known.iter().find(holds_it))
        .copied()
}

/// What was expected instead of a name that is not known: all names, the nearest first as a question.
pub fn expected(given: &str, known: &[&str]) -> String {
    let all = match known {
        [] => "none".to_string(),
        names => names.join(", "),
    };
    match nearest(given, known) {
        Some(name) => format!("did you mean `{name}`? expected one of: {all}"),
        None => format!("expected one of: {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_typing_errors_are_recognised() {
        let known = ["all-methods", "knn-lrta-2009", "cpd-2011"];
        for (given, meant) in [
            ("all-method", Some("all-methods")),
            ("All-Methods", Some("all-methods")),
            ("knn-lrta", Some("knn-lrta-2009")),
            ("cpd2011", Some("cpd-2011")),
            ("cdp-2011", Some("cpd-2011")),
            ("entirely-different", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, &known), meant, "{given}");
        }
        assert_eq!(
            expected("cpd2011", &known[2..]),
            "did you mean `cpd-2011`? expected one of: cpd-2011"
        );
        assert_eq!(expected("x", &[]), "expected one of: none");
    }
}
