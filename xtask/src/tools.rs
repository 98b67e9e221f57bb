//! Programs of the system that tests use: asked for where they are missing and this may be done.

use crate::steps::succeeds;
use std::process::Command;

/// A program and the packages that bring it, by the manager that knows them.
pub struct Tool {
    pub program: &'static str,
    /// For `apt-get`, `dnf` and `apk`, with blanks between several; empty where there is none.
    packages: [&'static str; 3],
}

pub const VALGRIND: Tool = Tool {
    program: "valgrind",
    packages: ["valgrind", "valgrind", "valgrind"],
};

/// Python with what makes environments.
pub const PYTHON: Tool = Tool {
    program: "python3",
    packages: ["python3-venv", "python3", "python3"],
};

/// What runs the test of the playground, and its browser.
pub const NODE: Tool = Tool {
    program: "node",
    packages: ["nodejs npm", "nodejs npm", "nodejs npm"],
};
pub const CHROMIUM: Tool = Tool {
    program: "chromium",
    packages: ["chromium", "chromium", "chromium"],
};

/// What links and runs programs for 64-bit ARM.
pub const ARM: [Tool; 2] = [
    Tool {
        program: "aarch64-linux-gnu-gcc",
        packages: [
            "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
            "gcc-aarch64-linux-gnu",
            "gcc-aarch64-none-elf",
        ],
    },
    Tool {
        program: "qemu-aarch64",
        packages: ["qemu-user", "qemu-user", "qemu-aarch64"],
    },
];

/// What compiles, runs and watches the programs in C, C++ and C#.
pub const LANGUAGES: [Tool; 4] = [
    Tool {
        program: "gcc",
        packages: ["gcc", "gcc", "build-base"],
    },
    Tool {
        program: "g++",
        packages: ["g++", "gcc-c++", "build-base"],
    },
    Tool {
        program: "mcs",
        packages: ["mono-mcs", "mono-core", "mono"],
    },
    Tool {
        program: "mono",
        packages: ["mono-runtime", "mono-core", "mono"],
    },
];

impl Tool {
    fn is_there(&self) -> bool {
        succeeds(self.program, &["--version"])
    }

    /// Is it there? The system's package manager is asked for it where it is not and this runs as the administrator.
    pub fn is_there_or_installed(&self) -> bool {
        if self.is_there() {
            return true;
        }
        self.install();
        self.is_there()
    }

    /// Asks the system's package manager, where this runs as the administrator.
    pub fn install(&self) {
        if !is_administrator() {
            return;
        }
        println!("==> installing {}", self.program);
        let [apt, dnf, apk] = self.packages;
        let with = |program: &str, words: &[&str], packages: &str| {
            let packages: Vec<&str> = packages.split(' ').collect();
            succeeds(program, &[words, &packages].concat())
        };
        let has_apt = succeeds("apt-get", &["--version"]);
        // A fresh system has no list of packages yet.
        let _installed = has_apt
            && (with("apt-get", &["install", "-y"], apt)
                || succeeds("apt-get", &["update"]) && with("apt-get", &["install", "-y"], apt))
            || with("dnf", &["install", "-y"], dnf)
            || with("apk", &["add", "--no-progress"], apk);
    }
}

fn is_administrator() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
