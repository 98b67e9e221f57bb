//! The words behind a task's name.

/// `--NAME VALUE` pairs and bare flags, as they were given.
pub struct Arguments(Vec<String>);

impl Arguments {
    /// Of this run.
    pub fn given() -> Arguments {
        Arguments(std::env::args().skip(2).collect())
    }

    /// Whether the flag is there.
    pub fn has(&self, flag: &str) -> bool {
        self.0.iter().any(|word| word == flag)
    }

    /// All of them.
    pub fn words(&self) -> Vec<&str> {
        self.0.iter().map(String::as_str).collect()
    }

    /// The minutes that were asked for. Refuses everything else but the flags that the task passes on.
    pub fn minutes(&self, default: f64, others: &[&str]) -> Result<f64, String> {
        let mut minutes = default;
        let mut words = self.0.iter();
        while let Some(word) = words.next() {
            let value = words.next();
            match (word.as_str(), value) {
                ("--minutes", Some(value)) => {
                    let parsed = value.parse().ok();
                    minutes = parsed
                        .filter(|minutes| (0.1..=100_000.0).contains(minutes))
                        .ok_or_else(|| format!("--minutes {value}: expected 0.1 to 100000"))?;
                }
                (flag, Some(_)) if others.contains(&flag) => {}
                (flag, _) => {
                    let mut known = vec!["--minutes"];
                    known.extend(others);
                    return Err(format!(
                        "`{flag}`: expected {} with a value",
                        known.join(", ")
                    ));
                }
            }
        }
        Ok(minutes)
    }
}
