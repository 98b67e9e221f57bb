//! Specs of algorithms: what is read comes back from writing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use waypost::spec::AgentSpec;

fuzz_target!(|text: &str| {
    if let Ok(spec) = AgentSpec::parse(text) {
        let again = AgentSpec::parse(&spec.to_string()).expect("what is written is read");
        assert_eq!(again.to_string(), spec.to_string());
    }
});
