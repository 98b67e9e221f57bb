//! Programs in C, C++ and C# against the built libraries, as users would compile them.

mod libraries;

use libraries::{SYSTEM, folder, home, is_there, libraries, run, skipped};
use std::path::{Path, PathBuf};
use std::process::Command;

const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

/// Compiles an example of C or C++ against the static or the shared library.
fn compile(source: &str, out: &Path, is_static: bool, more: &[&str]) -> PathBuf {
    let libraries = libraries();
    let is_c = source.ends_with(".c");
    let program = out.join(format!(
        "{}-{}{}",
        source.replace('.', "-"),
        if is_static { "static" } else { "shared" },
        more.len()
    ));
    let mut compiler = Command::new(if is_c { "gcc" } else { "g++" });
    compiler
        .args(STRICT)
        .arg(if is_c { "-std=c99" } else { "-std=c++17" })
        .args(["-O1", "-g"])
        .args(more)
        .arg("-I")
        .arg(home().join("include"))
        .arg(home().join("examples").join(source))
        .arg("-o")
        .arg(&program);
    if is_static {
        compiler.arg(libraries.join("libwaypost_capi.a"));
    } else {
        compiler.arg("-L").arg(&libraries).arg("-lwaypost_capi");
        compiler.arg(format!("-Wl,-rpath,{}", libraries.display()));
    }
    run(compiler.args(SYSTEM));
    program
}

#[test]
fn c_programs_run() {
    if !is_there("gcc") {
        return skipped("C programs", "gcc");
    }
    let out = folder("c");
    let hello = compile("hello.c", &out, true, &[]);
    let said = run(&mut Command::new(&hello));
    assert!(said.contains("status 5: 1,1 is a wall"), "{said}");
    let crowd = compile("crowd.c", &out, false, &[]);
    assert_eq!(run(&mut Command::new(&crowd)), "10000 arrived\n");
    let opened = compile("open_file.c", &out, true, &[]);
    let said = run(Command::new(&opened).arg(out.join("tank.nav")));
    assert!(said.starts_with("98 points"), "{said}");
}

#[test]
fn c_programs_leak_nothing() {
    if !is_there("gcc") {
        return skipped("memory checks", "gcc");
    }
    let out = folder("memory");
    for source in ["hello.c", "open_file.c"] {
        let checked = compile(source, &out, true, &["-fsanitize=address,undefined"]);
        run(Command::new(&checked).arg(out.join("asan.nav")));
    }
    if !is_there("valgrind") {
        return skipped("valgrind", "valgrind");
    }
    for (source, argument) in [
        ("hello.c", "1"),
        ("open_file.c", "valgrind.nav"),
        ("crowd.c", "100"),
    ] {
        let program = compile(source, &out, true, &[]);
        let mut valgrind = Command::new("valgrind");
        valgrind
            .args(["--quiet", "--error-exitcode=9", "--leak-check=full"])
            .args([
                "--show-leak-kinds=definite",
                "--errors-for-leak-kinds=definite",
            ])
            .arg(&program)
            .arg(argument)
            .current_dir(&out);
        run(&mut valgrind);
    }
}

#[test]
fn the_header_is_c99_and_cpp17() {
    if !is_there("gcc") || !is_there("g++") {
        return skipped("the header's compilers", "gcc or g++");
    }
    let out = folder("header");
    for (compiler, standard, name) in [("gcc", "-std=c99", "h.c"), ("g++", "-std=c++17", "h.cpp")] {
        let source = out.join(name);
        std::fs::write(
            &source,
            "#include \"waypost.h\"\nint main(void) { return 0; }\n",
        )
        .expect("a source can be written");
        let mut command = Command::new(compiler);
        command.args(STRICT).arg(standard).arg("-fsyntax-only");
        run(command.arg("-I").arg(home().join("include")).arg(&source));
    }
}

#[test]
fn cpp_programs_run() {
    if !is_there("g++") {
        return skipped("C++ programs", "g++");
    }
    let out = folder("cpp");
    for more in [&[][..], &["-fno-exceptions", "-DWAYPOST_NO_EXCEPTIONS"]] {
        let tour = compile("tour.cpp", &out, more.is_empty(), more);
        let said = run(&mut Command::new(&tour));
        assert!(said.ends_with("10000 arrived\n"), "{said}");
    }
    let checked = compile("tour.cpp", &out, true, &["-fsanitize=address,undefined"]);
    run(&mut Command::new(&checked));
}

/// Mono's compiler and runtime, from the system's packages where they are missing and may be installed.
fn has_mono() -> bool {
    let there = || is_there("mcs") && is_there("mono");
    let install = ["install", "-y", "mono-mcs", "mono-runtime"];
    there() || (Command::new("apt-get").args(install).output().is_ok() && there())
}

#[test]
fn csharp_programs_run() {
    if !has_mono() {
        return skipped("C# programs", "mono-mcs or mono-runtime");
    }
    let out = folder("csharp");
    let program = out.join("tour.exe");
    let library = libraries().join("libwaypost_capi.so");
    std::fs::copy(library, out.join("libwaypost.so")).expect("a library to copy");
    let mut compiler = Command::new("mcs");
    compiler.args(["-unsafe", "-langversion:7", "-warnaserror"]);
    compiler.arg(format!("-out:{}", program.display()));
    compiler.arg(home().join("csharp/Waypost.cs"));
    run(compiler.arg(home().join("examples/tour.cs")));
    let mut mono = Command::new("mono");
    mono.arg(&program).arg(out.join("tour.nav"));
    let said = run(mono.env("LD_LIBRARY_PATH", &out));
    assert!(said.ends_with("10000 arrived\n"), "{said}");
}
