//! The colours of the page as people see them who lack one kind of cone: what must be told apart is far apart for all of them.

/// The page's own list.
const LIST: &str = include_str!("../web/colours.js");

/// What is seen of linear red, green and blue (Machado, Oliveira and Fernandes 2009, the whole kind of cone lacking).
const EYES: [(&str, [[f64; 3]; 3]); 4] = [
    (
        "all cones",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

fn times(matrix: &[[f64; 3]; 3], colour: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(colour).map(|(a, b)| a * b).sum())
}

/// A colour `#rrggbb` in linear red, green and blue.
fn linear(colour: &str) -> [f64; 3] {
    [1, 3, 5].map(|at| {
        let value = u8::from_str_radix(&colour[at..at + 2], 16).expect("two digits");
        match f64::from(value) / 255.0 {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        }
    })
}

/// CIELAB under daylight.
fn lab(colour: [f64; 3]) -> [f64; 3] {
    let to_xyz = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ];
    let [x, y, z] = times(&to_xyz, colour);
    let [x, y, z] = [x / 0.95047, y, z / 1.08883].map(|t| match t > 216.0 / 24389.0 {
        true => t.cbrt(),
        false => (24389.0 / 27.0 * t + 16.0) / 116.0,
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// How far apart two colours are for those who tell them apart worst, and who they are.
fn apart(a: &str, b: &str) -> (f64, &'static str) {
    let far = EYES.map(|(name, eyes)| {
        let [a, b] = [a, b].map(|c| lab(times(&eyes, linear(c)).map(|v| v.clamp(0.0, 1.0))));
        let squares = a.iter().zip(b).map(|(p, q)| (p - q) * (p - q));
        (squares.sum::<f64>().sqrt(), name)
    });
    far.into_iter()
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .expect("eyes")
}

/// The colours behind a name in a theme.
fn colours(theme: &str, name: &str) -> Vec<&'static str> {
    let begin = LIST.find(&format!("  {theme}: {{")).expect("the theme");
    let text = &LIST[begin..];
    let text = &text[..text.find("\n  },").expect("its end")];
    let value = &text[text.find(&format!("{name}: ")).expect("the name") + name.len() + 2..];
    let end = match value.starts_with('[') {
        true => value.find(']'),
        false => value.find(','),
    };
    let value = &value[..end.expect("its end")];
    value.split('"').filter(|c| c.starts_with('#')).collect()
}

fn expect_apart(theme: &str, these: &[&str], those: &[&str], least: f64) {
    for a in these {
        for b in those.iter().filter(|b| *b != a) {
            let (far, who) = apart(a, b);
            assert!(
                far >= least,
                "{theme}: {a} and {b} are {far:.1} apart with {who}, expected {least}"
            );
        }
    }
}

#[test]
fn distances_are_those_of_the_books() {
    assert!((apart("#ffffff", "#000000").0 - 100.0).abs() < 0.1);
    // Equal lightness, red against green: next to nothing is left without red cones or green ones.
    let (far, who) = apart("#c04000", "#767600");
    assert!(far < 25.0 && who != "all cones", "{far} {who}");
}

#[test]
fn doors_are_told_from_ground_walls_units_and_ends() {
    for theme in ["dark", "light"] {
        let [open, closed] = ["openDoor", "closedDoor"].map(|name| colours(theme, name)[0]);
        let names = [
            "beyond", "wall", "floor", "grounds", "units", "start", "goal",
        ];
        let others: Vec<&str> = names.iter().flat_map(|name| colours(theme, name)).collect();
        assert_eq!(others.len(), 5 + 6 + 8);
        expect_apart(theme, &[open, closed], &others, 20.0);
        expect_apart(theme, &[open], &[closed], 20.0);
    }
}

#[test]
fn kinds_of_ground_and_states_of_units_are_told_apart() {
    for theme in ["dark", "light"] {
        let mut grounds = colours(theme, "grounds");
        grounds.extend(colours(theme, "wall"));
        expect_apart(theme, &grounds, &grounds, 10.0);
        // Most have a shape of their own besides.
        let units = colours(theme, "units");
        expect_apart(theme, &units, &units, 9.0);
    }
}
