//! `cargo xtask capi`: the C library as C and C++ projects take it, its header, fuzzed calls of it and what its border costs.

use crate::Answer;
use crate::arguments::Arguments;
use crate::instructions::collected;
use crate::steps::cargo;
use crate::tools::VALGRIND;
use std::io;
use std::path::Path;
use std::process::Command;

/// What a static Rust library needs of the system.
pub const SYSTEM: [&str; 3] = ["-lpthread", "-ldl", "-lm"];
pub const SOURCES: &str = "crates/waypost-capi";
/// What the library reads maps from, beside MovingAI's own.
const FORMATS: [&str; 2] = ["--features", "png,tiled,ldtk"];

/// Builds the library and writes `target/capi/{include,lib,cmake}`, or does what a flag asks for.
pub fn capi(arguments: &Arguments) -> Answer {
    match arguments.words()[..] {
        [] => Ok(build() && said(lay_out(Path::new("target/capi")))),
        ["--header"] => Ok(header()),
        ["--fuzz"] => Ok(fuzz(10_000_000)),
        ["--fuzz", calls] => match calls.parse() {
            Ok(calls) => Ok(fuzz(calls)),
            Err(_) => Err(format!("--fuzz {calls}: expected a number of calls")),
        },
        ["--overhead"] => Ok(overhead()),
        ref other => Err(format!("`{}`", other.join(" "))),
    }
}

/// Writes the header again from the source.
fn header() -> bool {
    cargo(
        &["test", "-p", "waypost-capi", "--test", "header"],
        &[("WAYPOST_UPDATE_HEADER", "1")],
    )
}

/// Calls with bad values, in bad orders, with bad sizes.
pub fn fuzz(calls: u64) -> bool {
    let arguments = ["test", "--release", "-p", "waypost-capi", "--test", "fuzz"];
    let shown = ["--", "--nocapture"];
    cargo(
        &[&arguments[..], &FORMATS, &shown].concat(),
        &[("WAYPOST_FUZZ_CALLS", &calls.to_string())],
    )
}

/// The same work from Rust and through C: times in turns, then instructions.
fn overhead() -> bool {
    let example = ["--release", "-p", "waypost-capi", "--example", "overhead"];
    if !cargo(&[&["run"][..], &example, &FORMATS].concat(), &[]) {
        return false;
    }
    if !VALGRIND.is_there_or_installed() {
        println!("skipped: instruction counts (valgrind is not installed; install it to run them)");
        return true;
    }
    ["path_rust", "path_array", "path_c", "tick_rust", "tick_c"]
        .into_iter()
        .all(|name| {
            let program = "target/release/examples/overhead";
            let counted = collected(&format!("*measured_{name}*"), program, name);
            let pieces = Command::new(program).arg(name).output().ok();
            let pieces = pieces.and_then(|o| {
                String::from_utf8_lossy(&o.stdout)
                    .trim()
                    .parse::<u64>()
                    .ok()
            });
            let (Some(counted), Some(pieces)) = (counted, pieces) else {
                return false;
            };
            let each = counted / pieces;
            println!("{name:<12} {each:>12} instructions each");
            true
        })
}

/// The library, with every format that maps come in.
pub fn build() -> bool {
    let library = ["build", "--release", "--package", "waypost-capi", "--lib"];
    cargo(&[&library[..], &FORMATS].concat(), &[])
}

pub fn said(done: io::Result<()>) -> bool {
    match done {
        Ok(()) => true,
        Err(error) => {
            eprintln!("error: {error}");
            false
        }
    }
}

fn lay_out(folder: &Path) -> io::Result<()> {
    let (include, lib, cmake) = (
        folder.join("include"),
        folder.join("lib"),
        folder.join("cmake"),
    );
    for made in [&include, &lib.join("pkgconfig"), &cmake] {
        std::fs::create_dir_all(made)?;
    }
    for header in ["waypost.h", "waypost.hpp"] {
        std::fs::copy(
            Path::new(SOURCES).join("include").join(header),
            include.join(header),
        )?;
    }
    for (built, name) in [shared(), static_library()] {
        std::fs::copy(Path::new("target/release").join(built), lib.join(name))?;
    }
    if cfg!(windows) {
        let import = "target/release/waypost_capi.dll.lib";
        std::fs::copy(import, lib.join("waypost.dll.lib"))?;
    }
    let version = env!("CARGO_PKG_VERSION");
    std::fs::write(lib.join("pkgconfig/waypost.pc"), pkg_config(version))?;
    std::fs::write(cmake.join("waypost-config.cmake"), cmake_targets())?;
    std::fs::write(
        cmake.join("waypost-config-version.cmake"),
        cmake_version(version),
    )?;
    println!("{}: include, lib, cmake", folder.display());
    Ok(())
}

/// Paths are relative to the file, so that the folder can be moved.
fn pkg_config(version: &str) -> String {
    let system = SYSTEM.join(" ");
    format!(
        "prefix=${{pcfiledir}}/../..\nName: waypost\nDescription: Pathfinding for game maps\nVersion: {version}\n\
         Cflags: -I${{prefix}}/include\nLibs: -L${{prefix}}/lib -lwaypost\nLibs.private: {system}\n"
    )
}

/// The shared library as it is built here, and as it is laid out.
fn shared() -> (String, String) {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    let name = |crate_name: &str| format!("{DLL_PREFIX}{crate_name}{DLL_SUFFIX}");
    (name("waypost_capi"), name("waypost"))
}

/// The static one.
fn static_library() -> (String, String) {
    let name = |crate_name: &str| match cfg!(windows) {
        true => format!("{crate_name}.lib"),
        false => format!("lib{crate_name}.a"),
    };
    (name("waypost_capi"), name("waypost"))
}

/// Two targets: `waypost::shared` and `waypost::static`.
fn cmake_targets() -> String {
    let (shared, static_library) = (shared().1, static_library().1);
    let system = match cfg!(windows) {
        true => "ws2_32;userenv;ntdll;bcrypt",
        false => "Threads::Threads;${CMAKE_DL_LIBS};m",
    };
    let import = match cfg!(windows) {
        true => "\n    IMPORTED_IMPLIB \"${_waypost_root}/lib/waypost.dll.lib\"",
        false => "",
    };
    format!(
        r#"get_filename_component(_waypost_root "${{CMAKE_CURRENT_LIST_DIR}}/.." ABSOLUTE)
find_package(Threads REQUIRED)
if(NOT TARGET waypost::shared)
  add_library(waypost::shared SHARED IMPORTED)
  set_target_properties(waypost::shared PROPERTIES
    IMPORTED_LOCATION "${{_waypost_root}}/lib/{shared}"{import}
    IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES "${{_waypost_root}}/include")
  add_library(waypost::static STATIC IMPORTED)
  set_target_properties(waypost::static PROPERTIES
    IMPORTED_LOCATION "${{_waypost_root}}/lib/{static_library}"
    INTERFACE_INCLUDE_DIRECTORIES "${{_waypost_root}}/include"
    INTERFACE_LINK_LIBRARIES "{system}")
endif()
unset(_waypost_root)
"#
    )
}

/// A version serves whoever asks for it or for an older one.
fn cmake_version(version: &str) -> String {
    format!(
        "set(PACKAGE_VERSION \"{version}\")\n\
         if(PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)\n  set(PACKAGE_VERSION_COMPATIBLE FALSE)\nelse()\n  \
         set(PACKAGE_VERSION_COMPATIBLE TRUE)\n  if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)\n    \
         set(PACKAGE_VERSION_EXACT TRUE)\n  endif()\nendif()\n"
    )
}
