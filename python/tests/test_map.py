"""Maps from arrays, files and seeds."""

from __future__ import annotations

import pickle
import struct
import zlib
from pathlib import Path
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pytest
import waypost
from conftest import distances, random_mask, refused, walked


def test_a_mask_comes_back() -> None:
    mask = random_mask(1)
    level = waypost.Map.from_array(mask)
    assert (level.height, level.width) == mask.shape == level.shape
    assert level.passable == mask.sum()
    assert (level.to_array() == mask).all()


def test_a_view_of_any_layout_is_a_mask() -> None:
    mask = random_mask(2, 40, 50)
    for view in (mask[::2, ::3], mask.T, mask[::-1, ::-1], np.asfortranarray(mask)):
        assert (waypost.Map.from_array(view).to_array() == view).all()


def test_terrain_of_factors() -> None:
    mask, rng = random_mask(3, walls=0.15), np.random.default_rng(3)
    terrain = rng.choice([0.5, 1.0, 2.0, 4.5], mask.shape)
    nav = waypost.Navigator(waypost.Map.from_array(mask, terrain))
    free = [(int(x), int(y)) for y, x in np.argwhere(mask)]
    truth = distances(mask, free[0], terrain)
    for goal in free[::7]:
        path = nav.path(free[0], goal)
        if goal not in truth:
            assert path is None
            continue
        assert path is not None and path.cost == pytest.approx(truth[goal], rel=1e-4)
        walked(mask, path.points)


def test_terrain_of_classes() -> None:
    mask = np.ones((4, 6), dtype=bool)
    numbers = np.zeros((4, 6), dtype=int)
    numbers[:, 2] = 7
    letters = np.where(numbers == 7, "S", ".")
    for terrain, name in ((numbers, 7), (letters, "S")):
        slow = waypost.Map.from_array(mask, terrain, factors={name: 3.0})
        assert waypost.Navigator(slow).distance((0, 0), (5, 0)) == pytest.approx(5 + 2)
        wall = waypost.Map.from_array(mask, terrain, factors={name: None})
        assert wall.passable == 20
        assert waypost.Navigator(wall).path((0, 0), (5, 0)) is None
        assert slow.terrain[str(name)] == 3.0 and wall.terrain[str(name)] is None


def test_rules() -> None:
    mask = np.ones((3, 3), dtype=bool)
    mask[0, 1] = False
    ends = (0, 0), (1, 1)
    assert waypost.Navigator(waypost.Map.from_array(mask)).distance(*ends) == pytest.approx(2.0)
    one = waypost.Map.from_array(mask, corners="one")
    assert waypost.Navigator(one).distance(*ends) == pytest.approx(2**0.5)
    assert waypost.Navigator(waypost.Map.from_array(mask, corners="one", costs=1.4)).distance(*ends) == pytest.approx(1.4)
    assert waypost.Navigator(waypost.Map.from_array(mask, moves=4)).distance(*ends) == pytest.approx(2.0)
    with refused(ValueError, "corners is"):
        waypost.Map.from_array(mask, corners="sometimes")  # type: ignore[arg-type]
    with refused(ValueError, "costs is"):
        waypost.Map.from_array(mask, costs=1.5)
    with refused(ValueError, "moves is 6"):
        waypost.Map.from_array(mask, moves=6)  # type: ignore[arg-type]


def test_files(tmp_path: Path, caves: waypost.Map) -> None:
    caves.save(tmp_path / "caves.map")
    again = waypost.Map.load(tmp_path / "caves.map")
    assert again == caves and again.fingerprint == caves.fingerprint
    assert waypost.Map.load(str(tmp_path / "caves.map")) == caves
    strewn = waypost.Map.generate("rooms", 60, 40, seed=2, terrain=True)
    strewn.save(tmp_path / "strewn.map")
    costs = {name: factor for name, factor in strewn.terrain.items() if name not in ".@"}
    assert waypost.Map.load(tmp_path / "strewn.map", terrain=costs).passable == strewn.passable


def test_a_saved_map_is_read_back(tmp_path: Path) -> None:
    """Walls, doors and costs, whatever the ground under them."""
    rng = np.random.default_rng(5)
    for case in range(60):
        mask = rng.random((6, 8)) < 0.8
        names = np.array([".", "S", "x", "T"])[: rng.integers(1, 5)]
        ground = rng.choice(names, mask.shape)
        if case % 2:
            ground[~mask] = "."
        factors = {str(name): float(rng.choice([1.0, 2.5])) for name in names if name != "."} or {".": 1.0}
        doors = rng.random(mask.shape) < 0.1
        doors &= (ground == ".") | (case % 3 == 0)
        level = waypost.Map.from_array(mask, ground, factors=factors, doors=doors)
        level.save(tmp_path / "level.map")
        terrain = {name: factor for name, factor in level.terrain.items() if name in (tmp_path / "level.map").read_text()}
        again = waypost.Map.load(tmp_path / "level.map", terrain=terrain, doors="dD")
        assert again == level and again.fingerprint == level.fingerprint
        assert again.doors.tolist() == level.doors.tolist() and (again.to_array() == level.to_array()).all()


def test_a_map_that_a_file_cannot_hold(tmp_path: Path) -> None:
    mask = np.ones((2, 3), dtype=bool)
    named = np.array([["sand", "sand", "snow"]] * 2)
    with refused(ValueError, "a.map", "`sand`", "pickle"):
        waypost.Map.from_array(mask, named, factors={"sand": 2.0, "snow": 9.0}).save(tmp_path / "a.map")
    with refused(ValueError, "no letter", "pickle"):
        waypost.Map.from_array(mask, np.array([[1.0, 2.0, 2.5]] * 2)).save(tmp_path / "a.map")
    assert not (tmp_path / "a.map").exists()
    # A wall that was built is a wall, and the ground under it is still there.
    (tmp_path / "l.map").write_text("type octile\nheight 3\nwidth 5\nmap\n.SSS.\n.SSS.\n.SSS.\n")
    nav = waypost.Navigator(waypost.Map.load(tmp_path / "l.map"))
    nav.patch(block=[(2, 0), (2, 1), (2, 2)])
    nav.map.save(tmp_path / "l2.map")
    assert waypost.Navigator(waypost.Map.load(tmp_path / "l2.map")).path((0, 0), (4, 0)) is None
    nav = waypost.Navigator(waypost.Map.load(tmp_path / "l.map", terrain={"S": 2.0}))
    nav.patch(block=[(2, 0)])
    nav.map.save(tmp_path / "l2.map")
    again = waypost.Navigator(waypost.Map.load(tmp_path / "l2.map", terrain={"S": 2.0}))
    again.patch(open=[(2, 0)])
    nav.patch(open=[(2, 0)])
    found, known = again.path((0, 0), (4, 0)), nav.path((0, 0), (4, 0))
    assert found is not None and known is not None and found.cost == known.cost


def test_doors_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "doors.map").write_text("type octile\nheight 3\nwidth 5\nmap\n..@..\n..D..\n..@..\n")
    level = waypost.Map.load(tmp_path / "doors.map", doors="D")
    assert level.doors.tolist() == [[2, 1]]
    nav = waypost.Navigator(level)
    assert nav.path((0, 1), (4, 1)) is None
    assert nav.set_doors(open=[(2, 1)]) == 1
    assert nav.distance((0, 1), (4, 1)) == 4.0


def png(pixels: npt.NDArray[np.bool_]) -> bytes:
    """A grey image, by the book."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + bytes((row * 255).astype(np.uint8)) for row in pixels)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_doors_of_an_image(tmp_path: Path) -> None:
    (tmp_path / "level.map").write_text("type octile\nheight 3\nwidth 5\nmap\n..@..\n..@..\n..@..\n")
    mask = np.zeros((3, 5), dtype=bool)
    mask[1, 2] = True
    (tmp_path / "doors.png").write_bytes(png(mask))
    for doors in (tmp_path / "doors.png", str(tmp_path / "doors.png")):
        level = waypost.Map.load(tmp_path / "level.map", doors=doors)
        assert level.doors.tolist() == [[2, 1]] and level.passable == 12
        nav = waypost.Navigator(level)
        assert nav.doors.tolist() == [[2, 1]] and nav.set_doors(open=nav.doors) == 1
    for bad in ("doors.jpg", "d.", "@", tmp_path / "doors"):
        with refused(ValueError, "doors is", "letters", "PNG"):
            waypost.Map.load(tmp_path / "level.map", doors=bad)
    (tmp_path / "small.png").write_bytes(png(mask[:2]))
    with refused(ValueError, "small.png has 5 x 2 pixels and the map 5 x 3 cells"):
        waypost.Map.load(tmp_path / "level.map", doors=tmp_path / "small.png")
    with pytest.raises(FileNotFoundError):
        waypost.Map.load(tmp_path / "level.map", doors="nowhere.png")


def test_factors_are_hundredths() -> None:
    """By name as the command line takes them; arrays, which may be computed, are rounded."""
    mask, ground = np.ones((2, 5), dtype=bool), np.full((2, 5), "S")
    for bad in (1.234, 1.005, 0.0999, float("nan"), 1e9):
        with refused(ValueError, "factors\\['S'\\]", "at most two decimals"):
            waypost.Map.from_array(mask, ground, factors={"S": bad})
    assert waypost.Map.from_array(mask, ground, factors={"S": np.float32(2.3)}).terrain["S"] == 2.3
    assert set(waypost.Map.from_array(mask, np.full((2, 5), 1.234)).terrain) == {"1", "1.23"}


def test_any_mapping_will_do() -> None:
    factors = MappingProxyType({"S": 3.0})
    ground = np.full((2, 5), "S")
    level = waypost.Map.from_array(np.ones((2, 5), dtype=bool), ground, factors=factors)
    units = MappingProxyType({"boot": MappingProxyType({"size": 1, "terrain": MappingProxyType({"S": 1.0})})})
    nav = waypost.Navigator(level, units=units)  # type: ignore[arg-type]
    assert [nav.distance((0, 0), (4, 0), unit=unit) for unit in (None, "boot")] == [12.0, 4.0]
    with refused(TypeError, "dict such as"):
        waypost.Map.from_array(np.ones((2, 5), dtype=bool), ground, factors=3)  # type: ignore[arg-type]


PROJECT = """{"levels": [
 {"identifier": "Cellar", "layerInstances": [{"__identifier": "Walls", "__type": "IntGrid", "__cWid": 3, "__cHei": 1, "intGridCsv": [0, 1, 0]}]},
 {"identifier": "Attic", "layerInstances": null, "externalRelPath": "levels/Attic.ldtkl"}],
 "defs": {"layers": [{"identifier": "Walls", "intGridValues": [{"value": 1, "identifier": "wall"}, {"value": 2, "identifier": "mud"}]}]}}"""
ATTIC = """{"identifier": "Attic", "layerInstances": [
 {"__identifier": "Walls", "__type": "IntGrid", "__cWid": 3, "__cHei": 2, "intGridCsv": [0, 2, 0, 1, 1, 1]}]}"""


def test_levels_of_ldtk(tmp_path: Path) -> None:
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels" / "Attic.ldtkl").write_text(ATTIC)
    (tmp_path / "house.ldtk").write_text(PROJECT)
    assert waypost.Map.load(tmp_path / "house.ldtk").to_array().tolist() == [[True, False, True]]
    attic = waypost.Map.load(tmp_path / "house.ldtk", level="Attic")
    assert attic.shape == (2, 3) and attic.passable == 3
    nav = waypost.Navigator(attic, units={"boot": {"terrain": {"mud": 3.0}}})
    assert [nav.distance((0, 0), (2, 0), unit=unit) for unit in (None, "boot")] == [2.0, 4.0]
    with refused(ValueError, "no level", "Garden", "Cellar", "Attic"):
        waypost.Map.load(tmp_path / "house.ldtk", level="Garden")
    (tmp_path / "plain.map").write_text("type octile\nheight 1\nwidth 1\nmap\n.\n")
    with refused(ValueError, "level= is for LDtk"):
        waypost.Map.load(tmp_path / "plain.map", level="Attic")


def test_tilesets_beside_a_map(tmp_path: Path) -> None:
    (tmp_path / "level.tmx").write_text(
        '<map orientation="orthogonal" width="3" height="1" tilewidth="8" tileheight="8"><tileset firstgid="1" source="tiles/t.tsx"/>'
        '<layer name="ground" width="3" height="1"><data encoding="csv">1,2,1</data></layer></map>'
    )
    (tmp_path / "tiles").mkdir()
    tile = '<tile id="1"><properties><property name="solid" type="bool" value="true"/></properties></tile>'
    (tmp_path / "tiles" / "t.tsx").write_text(f'<tileset name="t" tilewidth="8" tileheight="8">{tile}</tileset>')
    assert waypost.Map.load(tmp_path / "level.tmx").to_array().tolist() == [[True, False, True]]


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere.map"):
        waypost.Map.load(tmp_path / "nowhere.map")
    with pytest.raises(IsADirectoryError):
        waypost.Map.load(tmp_path)
    for name, content in (("a.map", b"type octile\nheight 2\nwidth 2\nmap\n..\n"), ("b.png", b"\x89PNG\r\n"), ("c.tmx", b"<map")):
        (tmp_path / name).write_bytes(content)
        with refused(ValueError, name):
            waypost.Map.load(tmp_path / name)
    with refused(ValueError, "a.map", "threshold"):
        waypost.Map.load(tmp_path / "a.map", threshold=9)


@pytest.mark.parametrize("kind", ["rooms", "caves", "maze", "city", "random", "arena"])
def test_generators(kind: str) -> None:
    level = waypost.Map.generate(kind, 64, 48, seed=9)
    assert level == waypost.Map.generate(kind, 64, 48, seed=9) != waypost.Map.generate(kind, 64, 48, seed=10)
    assert level.passable > 0 and level.shape == (48, 64)
    assert level.scaled(2).passable == 4 * level.passable


def test_mistyped_generator() -> None:
    with refused(ValueError, "no map is called `cave`", "caves"):
        waypost.Map.generate("cave", 64, 48)


def test_pickle() -> None:
    mask = random_mask(4)
    doors = np.zeros_like(mask)
    doors[3, 4] = doors[5, 6] = True
    levels = [
        waypost.Map.from_array(mask, doors=doors, corners="one", costs=1.4),
        waypost.Map.from_array(mask, np.where(mask, 2.0, 1.0), moves=4),
        waypost.Map.from_array(mask, size=2),
    ]
    for level in levels:
        again = pickle.loads(pickle.dumps(level))
        assert again == level and again.fingerprint == level.fingerprint and repr(again) == repr(level)


def test_a_map_is_a_key(caves: waypost.Map) -> None:
    same = waypost.Map.from_array(caves.to_array())
    assert same == caves and {caves: 1}[same] == 1
    assert caves != 3


def test_one_table_serves_many_levels(tmp_path: Path) -> None:
    """Files and arrays may lack what it names."""
    table = "S=2,W=4.5,T=#"
    mask = np.ones((2, 3), dtype=bool)
    letters = np.array([[".", "S", "G"], ["W", "S", "."]])
    (tmp_path / "level.map").write_text("type octile\nheight 2\nwidth 3\nmap\n.SG\nWS.\n")
    loaded = waypost.Map.load(tmp_path / "level.map", terrain=table)
    level = waypost.Map.from_array(mask, letters, factors=table)
    ways = [waypost.Navigator(one).distance((0, 0), (2, 1)) for one in (loaded, level)]
    assert ways[0] == ways[1] is not None
    # Names of one's own, where all that the level has are named.
    own = waypost.Map.from_array(mask, np.array([["mud", "mud", "."]] * 2), factors={"mud": 2.0, "ice": 0.5})
    assert own.terrain == {".": 1.0, "mud": 2.0}
    numbered = waypost.Map.from_array(mask, np.array([[1, 2, 0]] * 2), factors={1: 2.0, 2: None, 3: 5.0})
    assert numbered.terrain == {"0": 1.0, "1": 2.0, "2": None}
