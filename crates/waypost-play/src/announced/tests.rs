use super::*;
use crate::source::{Opened, gallery, read_file};
use waypost::formats::png;

fn size_of(text: &str) -> Option<Size> {
    size(text.as_bytes()).expect("readable")
}

#[test]
fn files_tell_their_size_first() {
    let opened = Opened::of_seed(&gallery()[0].1).expect("small");
    let image = png::write(opened.map.grid()).expect("an image");
    assert_eq!(size(&image), Ok(Some((96, 64))));
    let again = read_file("a.png", &image, "").expect("a map");
    assert_eq!(again.map.grid(), opened.map.grid());
    assert_eq!(size(b"\x89PNG"), Ok(None));
    assert_eq!(
        size_of("type octile\r\nheight 20\r\nwidth 30\r\nmap\r\n"),
        Some((30, 20))
    );
    assert_eq!(
        size_of("type octile\nwidth 3\nheight 70000\nmap\n"),
        Some((3, 70_000))
    );
    assert_eq!(size_of("nothing that is known"), None);
    let level = r#"{"levels":[{"layerInstances":[{"__cWid":4,"__cHei":3,"intGridCsv":[1,2]},{"__cWid":9,"__cHei":9}]},{"layerInstances":null}]}"#;
    assert_eq!(size_of(level), Some((9, 9)));
    let level = r#"{"layerInstances":[{"__cWid":4,"__cHei":3}]}"#;
    assert_eq!(size_of(level), Some((4, 3)));
}

#[test]
fn maps_of_tiled_tell_their_size_first() {
    let plain = "<?xml version='1.0'?><!-- <map width='1' height='1'> --><map note='a>b width=\"7\"' width = '300' height=\"200\">\
        <tileset><image width='64' height='64'/></tileset><layer width='300' height='200'><data/></layer></map>";
    assert_eq!(size_of(plain), Some((300, 200)));
    assert_eq!(
        size_of("<a:map xmlns:a='x' width='300' height='200'/>"),
        Some((300, 200))
    );
    assert_eq!(size_of("<map width='300'/>"), None);
    assert!(size(b"<map width='&#51;00' height='200'/>").is_err());
    assert_eq!(
        size_of("<map orientation='staggered' width='10' height='40'/>"),
        Some((31, 31))
    );
    let infinite = "<map infinite='1' width='3' height='3'><layer width='3' height='3'><data><chunk x='-16' y='0' width='16' height='16'/>\
        <chunk x='5000' y='-7000' width='16' height='16'/></data></layer><layer width='100' height='90'/></map>";
    assert_eq!(size_of(infinite), Some((5032, 7090)));
    let json = r#"{"width":30,"height":20,"layers":[{"width":30,"height":20,"data":"abc"}]}"#;
    assert_eq!(size_of(json), Some((30, 20)));
    let json = r#"{"infinite":true,"layers":[{"layers":[{"chunks":[{"x":-5,"y":2,"width":20000,"height":16,"data":"abc"}]}]}]}"#;
    assert_eq!(size_of(json), Some((20_000, 18)));
    assert!(size(br#"{"width":"many"}"#).is_err());
}
