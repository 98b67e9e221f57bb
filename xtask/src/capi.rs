//! `cargo xtask capi`: the C library as C and C++ projects take it.

use crate::steps::cargo;
use std::io;
use std::path::Path;

/// What a static Rust library needs of the system.
pub const SYSTEM: [&str; 3] = ["-lpthread", "-ldl", "-lm"];
pub const SOURCES: &str = "crates/waypost-capi";

/// Builds the library and writes `target/capi/{include,lib,cmake}`.
pub fn write() -> bool {
    build() && said(lay_out(Path::new("target/capi")))
}

pub fn build() -> bool {
    cargo(
        &["build", "--release", "--package", "waypost-capi", "--lib"],
        &[],
    )
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
    for kind in ["a", "so"] {
        let built = format!("target/release/libwaypost_capi.{kind}");
        std::fs::copy(built, lib.join(format!("libwaypost.{kind}")))?;
    }
    let version = env!("CARGO_PKG_VERSION");
    std::fs::write(lib.join("pkgconfig/waypost.pc"), pkg_config(version))?;
    std::fs::write(cmake.join("waypost-config.cmake"), CMAKE)?;
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

/// Two targets: `waypost::shared` and `waypost::static`.
const CMAKE: &str = r#"get_filename_component(_waypost_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
find_package(Threads REQUIRED)
if(NOT TARGET waypost::shared)
  add_library(waypost::shared SHARED IMPORTED)
  set_target_properties(waypost::shared PROPERTIES
    IMPORTED_LOCATION "${_waypost_root}/lib/libwaypost.so"
    IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES "${_waypost_root}/include")
  add_library(waypost::static STATIC IMPORTED)
  set_target_properties(waypost::static PROPERTIES
    IMPORTED_LOCATION "${_waypost_root}/lib/libwaypost.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_waypost_root}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
endif()
unset(_waypost_root)
"#;

/// A version serves whoever asks for it or for an older one.
fn cmake_version(version: &str) -> String {
    format!(
        "set(PACKAGE_VERSION \"{version}\")\n\
         if(PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)\n  set(PACKAGE_VERSION_COMPATIBLE FALSE)\nelse()\n  \
         set(PACKAGE_VERSION_COMPATIBLE TRUE)\n  if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)\n    \
         set(PACKAGE_VERSION_EXACT TRUE)\n  endif()\nendif()\n"
    )
}
