//! What `--algo` says: one algorithm or several, and what was probably meant.

use crate::catalogue;
use crate::separators::Mended;
use anyhow::{Result, bail};
use waypost::spec::AgentSpec;

/// The one algorithm that `--algo` names.
pub fn one(text: &str) -> Result<AgentSpec> {
    let parts = text.split(';').map(str::trim);
    let all: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let mended = Mended::of(text);
    let meant = match &mended {
        _ if all.len() > 1 && all.iter().all(|part| AgentSpec::parse(part).is_ok()) => {
            Some(all.join(";"))
        }
        Some(mended) if mended.algorithms > 1 => Some(mended.text.clone()),
        _ => None,
    };
    if let Some(meant) = meant {
        bail!(
            "--algo {text}: this command takes one algorithm; `waypost bench MAP --scen FILE --algo '{meant}'` runs several"
        );
    }
    parsed(text)
}

/// The algorithms that `--algo` names, with `;` between them.
pub fn several(texts: &[String]) -> Result<Vec<AgentSpec>> {
    let mut specs = Vec::new();
    for text in texts {
        let parts = text.split(';').map(str::trim);
        for part in parts.filter(|part| !part.is_empty()) {
            // What is wrong with a part may be the `;` before it.
            let spec = parsed(part).map_err(|error| Mended::error(text).unwrap_or(error))?;
            specs.push(spec);
        }
    }
    if specs.is_empty() {
        bail!("--algo names no algorithm; expected SPEC[;SPEC...], see `waypost algorithms`");
    }
    Ok(specs)
}

fn parsed(text: &str) -> Result<AgentSpec> {
    let name = text.split(':').next().unwrap_or(text).trim();
    if catalogue::star_written_out(name) != name {
        catalogue::algorithm(name)?;
    }
    if let Some((before, _)) = name.split_once('=')
        && let Some(named) = catalogue::named_in(name)
        && before.trim() == named
        && Mended::of(text).is_none()
    {
        let example = catalogue::algorithm(named)
            .ok()
            .and_then(catalogue::spec_with_key);
        let example = example.map_or(String::new(), |spec| format!(", such as {spec}"));
        bail!(
            "--algo {text}: expected `:` and a key before the value: {named}:KEY=VALUE{example}; `waypost algorithms {named}` has the keys"
        );
    }
    AgentSpec::parse(text).map_err(|error| Mended::error(text).unwrap_or(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_known_by_its_sign() {
        for text in ["A*", "a*:open=heap", "A*:"] {
            let error = parsed(text).err().map_or(String::new(), |e| e.to_string());
            assert!(error.contains("did you mean `astar`?"), "{error}");
        }
    }
}
