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

    /// The words behind `--only`, separated by commas; none where it is not there.
    pub fn only(&self) -> Vec<String> {
        let at = self.0.iter().position(|word| word == "--only");
        let list = at.and_then(|at| self.0.get(at + 1));
        let words = list.map(|list| list.split(',').map(str::to_string));
        words.into_iter().flatten().collect()
    }

    /// Refuses everything but flags with a value, of which these are known.
    pub fn expect(&self, known: &[&str]) -> Result<(), String> {
        for pair in self.0.chunks(2) {
            if pair.len() < 2 || !known.contains(&pair[0].as_str()) {
                let known = known.join(", ");
                return Err(format!("`{}`: expected {known} with a value", pair[0]));
            }
        }
        Ok(())
    }

    /// The minutes that were asked for. Refuses everything else but the flags that the task passes on.
    pub fn minutes(&self, default: f64, others: &[&str]) -> Result<f64, String> {
        let known: Vec<&str> = ["--minutes"].iter().chain(others).copied().collect();
        self.expect(&known)?;
        let given = self.0.chunks(2).filter(|pair| pair[0] == "--minutes");
        given.map(|pair| &pair[1]).try_fold(default, |_, value| {
            let minutes = value.parse().ok();
            minutes
                .filter(|minutes| (0.1..=100_000.0).contains(minutes))
                .ok_or_else(|| format!("--minutes {value}: expected 0.1 to 100000"))
        })
    }
}
