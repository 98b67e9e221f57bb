//! Notes the commit that the program is built from, and its day, for reports. A source tree without git builds as well.

use std::process::Command;

fn main() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_string())
    };
    let commit = git(&["rev-parse", "--short=10", "HEAD"]).unwrap_or_default();
    println!("cargo::rustc-env=WAYPOST_COMMIT={commit}");
    let day = git(&["show", "-s", "--format=%cs", "HEAD"]).unwrap_or_default();
    println!("cargo::rustc-env=WAYPOST_DAY={day}");
    // HEAD alone does not change when a branch moves; its log does.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name])
            && std::path::Path::new(&path).exists()
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
}
