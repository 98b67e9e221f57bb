//! Programs in C, C++ and C# against the built libraries, as users would compile them: the examples, and programs that use everything.

mod libraries;

use libraries::{SANITIZED, STRICT, SYSTEM, folder, has, home, libraries, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// An example or a program of the tests.
fn source(name: &str) -> PathBuf {
    let example = home().join("examples").join(name);
    match example.is_file() {
        true => example,
        false => home().join("tests/programs").join(name),
    }
}

/// Compiles a program of C or C++ against the static or the shared library.
fn compile(name: &str, out: &Path, is_static: bool, more: &[&str]) -> PathBuf {
    compile_file(&source(name), name, out, is_static, more)
}

fn compile_file(file: &Path, name: &str, out: &Path, is_static: bool, more: &[&str]) -> PathBuf {
    let libraries = libraries();
    let is_c = name.ends_with(".c");
    let kind = if is_static { "static" } else { "shared" };
    let program = out.join(format!("{}-{kind}", name.replace('.', "-")));
    let mut compiler = Command::new(if is_c { "gcc" } else { "g++" });
    compiler
        .args(STRICT)
        .arg(if is_c { "-std=c99" } else { "-std=c++17" })
        .args(["-O1", "-g"])
        .args(more)
        .arg("-I")
        .arg(home().join("include"))
        .arg(file)
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

/// The three examples and what they print, in C, C++ or C#.
fn examples(ending: &str) -> [(String, &'static str); 3] {
    [
        (
            "hello",
            "22.00 long, 22 steps, 5 corners\nstatus 5: 1,1 is a wall",
        ),
        ("crowd", "10000 arrived\n"),
        (
            "open_file",
            "98 points; the second goal is no place for a tank: yes\n",
        ),
    ]
    .map(|(name, said)| (format!("{name}.{ending}"), said))
}

const EVERYTHING: &str = "everything answered\n";

#[test]
fn c_programs_run() {
    if !has(&["gcc"], "C programs") {
        return;
    }
    let out = folder("c");
    for (name, expected) in examples("c") {
        let program = compile(&name, &out, true, &[]);
        let said = run(Command::new(program).current_dir(&out));
        assert!(said.starts_with(expected), "{name}: {said}");
    }
    for name in ["everything.c", "inspect.c", "jobs.c"] {
        for is_static in [true, false] {
            let program = compile(name, &out, is_static, &[]);
            assert_eq!(run(&mut Command::new(program)), EVERYTHING);
        }
    }
}

/// The first block of a language in a document of the repository.
fn block_of(document: &str, language: &str) -> String {
    let text = std::fs::read_to_string(home().join("../..").join(document)).expect("it is there");
    let begin = format!("```{language}\n");
    let block = text.split(&begin).nth(1).expect("a block");
    block.split("```").next().expect("its end").to_string()
}

const ENGINES: &str = "docs/guide/src/engines.md";

/// What Unreal has of its own, as far as the block of the guide uses it, and a program that uses the block.
const UNREAL: [&str; 2] = [
    "#include <cstdint>\n#include <cstdio>\n#include <vector>\n\
     using uint8 = std::uint8_t;\n\
     template <typename T> struct TArray {\n\
         std::vector<T> all;\n\
         const T *GetData() const { return all.data(); }\n\
         int Num() const { return int(all.size()); }\n\
     };\n\
     #define TEXT(text) text\n\
     #define UE_LOG(log, level, format, ...) std::printf(\"refused: %s\\n\", __VA_ARGS__)\n",
    "int main() {\n\
         const std::vector<std::uint8_t> cells(600, 1);\n\
         const waypost::Map map = waypost::Map::from_cells(30, 20, cells).value();\n\
         const TArray<uint8> good{waypost::Navigator::build(map).value().save().value()}, bad{{1, 2, 3}};\n\
         const bool opened = bool(OpenLevel(map, good)), refused = !OpenLevel(map, bad);\n\
         return opened && refused ? 0 : 1;\n\
     }\n",
];

#[test]
fn the_guides_block_for_unreal_runs() {
    if !has(&["g++"], "the guide's block for Unreal") {
        return;
    }
    let out = folder("unreal");
    let [before, after] = UNREAL;
    let text = format!("{before}{}{after}", block_of(ENGINES, "cpp"));
    std::fs::write(out.join("unreal.cpp"), text).expect("a file");
    let file = out.join("unreal.cpp");
    let program = compile_file(&file, "unreal.cpp", &out, true, &["-fno-exceptions"]);
    let said = run(&mut Command::new(program));
    assert!(said.starts_with("refused: "), "{said}");
}

/// What Unity has of its own, as far as the block of the guide uses it, and a program that uses the block.
const UNITY: &str = "
namespace UnityEngine {
    public class MonoBehaviour { }
    public class TextAsset { public byte[] bytes; }
    public static class Debug { public static void Log(object what) { System.Console.WriteLine(what); } }
}
static class Game {
    static int Main() {
        var units = new Units { width = 30, height = 20, cells = new byte[600] };
        for (int i = 0; i < units.cells.Length; ++i) units.cells[i] = 1;
        using (var map = Map.FromCells(units.width, units.height, units.cells))
        using (var nav = Navigator.Build(map))
            units.levelIndex = new TextAsset { bytes = nav.Save() };
        units.Start();
        units.crowd.Send(units.crowd.Spawn(new Point(1, 1)), new Point(4, 1));
        for (int tick = 0; tick < 5; ++tick) units.FixedUpdate();
        return units.crowd.AllArrived ? 0 : 1;
    }
}
";

#[test]
fn the_guides_block_for_unity_runs() {
    if !has(&["mcs", "mono"], "the guide's block for Unity") {
        return;
    }
    let out = folder("unity");
    let library = libraries().join("libwaypost_capi.so");
    std::fs::copy(library, out.join("libwaypost.so")).expect("a library to copy");
    let file = out.join("unity.cs");
    std::fs::write(&file, block_of(ENGINES, "csharp") + UNITY).expect("a file");
    let said = run_csharp(&file, &out);
    assert!(said.contains("Arrived"), "{said}");
}

/// Compiles a program of C# beside the whole of the C# side, and runs it.
fn run_csharp(file: &Path, out: &Path) -> String {
    let program = out.join(file.with_extension("exe").file_name().expect("a name"));
    let mut compiler = Command::new("mcs");
    compiler.args(["-unsafe", "-langversion:7", "-warnaserror"]);
    compiler.arg(format!("-out:{}", program.display()));
    compiler.arg(home().join("csharp/Waypost.cs"));
    run(compiler.arg(file));
    let mut mono = Command::new("mono");
    mono.arg(&program).current_dir(out);
    run(mono.env("LD_LIBRARY_PATH", out))
}

#[test]
fn the_program_of_the_readme_runs() {
    if !has(&["gcc"], "the README's program") {
        return;
    }
    let out = folder("readme");
    let program = block_of("README.md", "c");
    std::fs::write(out.join("readme.c"), program).expect("a file");
    let program = compile_file(&out.join("readme.c"), "readme.c", &out, true, &[]);
    assert_eq!(
        run(&mut Command::new(program)),
        "10.00 long, 11 cells, walked in 10 ticks\n"
    );
}

#[test]
fn memory_comes_from_the_programs_allocator() {
    if !has(&["gcc"], "the allocator's program") {
        return;
    }
    let out = folder("allocator");
    for is_static in [true, false] {
        let program = compile("allocator.c", &out, is_static, &["-std=c11"]);
        let said = run(&mut Command::new(program));
        assert!(said.contains("blocks of"), "{said}");
    }
}

#[test]
fn cpp_programs_run() {
    if !has(&["g++"], "C++ programs") {
        return;
    }
    let out = folder("cpp");
    let everything = ("everything.cpp".to_string(), EVERYTHING);
    for (name, expected) in examples("cpp").into_iter().chain([everything]) {
        let program = compile(&name, &out, false, &[]);
        let said = run(Command::new(program).current_dir(&out));
        assert!(said.starts_with(expected), "{name}: {said}");
    }
    let bare = ["-fno-exceptions", "-DWAYPOST_NO_EXCEPTIONS"];
    for name in ["hello.cpp", "everything.cpp"] {
        run(&mut Command::new(compile(name, &out, true, &bare)));
    }
}

/// Programs and the argument that makes them small.
const CHECKED: [(&str, &str); 10] = [
    ("hello.c", ""),
    ("crowd.c", "200"),
    ("open_file.c", "c.nav"),
    ("everything.c", ""),
    ("inspect.c", ""),
    ("jobs.c", ""),
    ("hello.cpp", ""),
    ("crowd.cpp", "200"),
    ("open_file.cpp", "cpp.nav"),
    ("everything.cpp", ""),
];

#[test]
fn the_address_sanitizer_finds_nothing() {
    if !has(&["gcc", "g++"], "programs under AddressSanitizer") {
        return;
    }
    let out = folder("asan");
    for (name, argument) in CHECKED {
        let program = compile(name, &out, false, &SANITIZED);
        let mut command = Command::new(program);
        command.arg(argument).current_dir(&out);
        run(command.env("ASAN_OPTIONS", "detect_leaks=1:abort_on_error=0"));
    }
}

#[test]
fn a_leak_would_be_found() {
    if !has(&["gcc"], "a leaking program") {
        return;
    }
    let out = folder("leak");
    let program = compile("leak.c", &out, true, &SANITIZED);
    let output = Command::new(program).output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("LeakSanitizer"),
        "{said}"
    );
}

#[test]
fn valgrind_finds_nothing() {
    if !has(&["gcc", "g++", "valgrind"], "programs under valgrind") {
        return;
    }
    let out = folder("valgrind");
    for (name, argument) in CHECKED {
        let program = compile(name, &out, false, &[]);
        let mut valgrind = Command::new("valgrind");
        valgrind
            .args(["--quiet", "--error-exitcode=9", "--leak-check=full"])
            .args(["--show-leak-kinds=definite,indirect"])
            .args(["--errors-for-leak-kinds=definite,indirect"])
            .arg(&program)
            .arg(argument)
            .current_dir(&out);
        run(&mut valgrind);
    }
}

#[test]
fn headers_are_c99_and_cpp17() {
    if !has(&["gcc", "g++"], "the compilers of the headers") {
        return;
    }
    let out = folder("header");
    for (compiler, standard, header) in [
        ("gcc", "-std=c99", "waypost.h"),
        ("gcc", "-std=c11", "waypost.h"),
        ("g++", "-std=c++17", "waypost.h"),
        ("g++", "-std=c++20", "waypost.h"),
        ("g++", "-std=c++17", "waypost.hpp"),
        ("g++", "-std=c++20", "waypost.hpp"),
    ] {
        let source = out.join(format!("{compiler}{standard}-{header}.source"));
        let text = format!(
            "#include \"{header}\"\n#include \"{header}\"\nint main(void) {{ return 0; }}\n"
        );
        std::fs::write(&source, text).expect("a source can be written");
        let mut command = Command::new(compiler);
        command.args(STRICT).arg(standard).arg("-fsyntax-only");
        command.args(["-x", if compiler == "gcc" { "c" } else { "c++" }]);
        run(command.arg("-I").arg(home().join("include")).arg(&source));
    }
}

#[test]
fn csharp_programs_run() {
    if !has(&["mcs", "mono"], "C# programs") {
        return;
    }
    let out = folder("csharp");
    let library = libraries().join("libwaypost_capi.so");
    std::fs::copy(library, out.join("libwaypost.so")).expect("a library to copy");
    let everything = ("everything.cs".to_string(), EVERYTHING);
    for (name, expected) in examples("cs").into_iter().chain([everything]) {
        let said = run_csharp(&source(&name), &out);
        assert!(said.starts_with(expected), "{name}: {said}");
    }
}
