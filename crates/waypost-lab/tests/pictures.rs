//! The pictures of the guide are what the program draws today.

#[allow(dead_code, reason = "`main` is for the example")]
#[path = "../examples/label_pictures.rs"]
mod label_pictures;

use std::path::Path;

#[test]
fn pictures_of_labels_are_those_that_are_drawn_today() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/src/methods/images");
    if !folder.is_dir() {
        eprintln!("skipped: the crate stands alone, without the guide");
        return;
    }
    for (name, bytes) in label_pictures::draw() {
        let kept = std::fs::read(folder.join(name)).expect("a picture of the guide");
        assert!(
            kept == bytes,
            "{name} is not what is drawn today: draw it with `cargo xtask pictures`, and look at it"
        );
    }
}
