//! `Map`: a level from arrays, files or seeds.

use crate::arrays::{copied, inside, kind, pair, to_array};
use crate::errors::{Failure, Outcome, write};
use crate::numbers;
use crate::pickle::{Packed, pack, unpack};
use crate::reading::{self, Files, rules};
use crate::terrain::{classes, footings};
use numpy::ndarray::Array2;
use numpy::{Ix2, PyArray2, PyReadonlyArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;
use waypost::formats::{self, Level, Reading};
use waypost::generate::{self, Kind};
use waypost::grid::{Grid, MAX_SIZE};
use waypost::terrain::{Classes, Footing};
use waypost::{MoveRules, Point, names};

/// A level: which cells can be walked on, what they cost, which are doors, and how units move.
///
/// Arrays are numpy's `[row, column]`; points are `(x, y)`, that is `(column, row)`, from (0, 0) at the top left.
///
/// >>> import numpy, waypost
/// >>> mask = numpy.ones((30, 40), dtype=bool)      # 30 rows, 40 columns
/// >>> mask[:25, 20] = False                        # a wall in column 20, open at the bottom
/// >>> m = waypost.Map.from_array(mask)
/// >>> m
/// Map(width=40, height=30, passable=1175)
/// >>> m.is_free((20, 10)), m.is_free((20, 28))
/// (False, True)
#[pyclass(frozen, module = "waypost")]
pub struct Map {
    pub level: Arc<Level>,
    pub rules: MoveRules,
    pub size: u32,
    pub map: Arc<waypost::Map>,
    /// The file that it was read from, or the kind, size and seed that it was made of.
    pub name: Option<String>,
}

impl Map {
    /// Finds out what has to be known of a level.
    pub fn of(level: Level, rules: MoveRules, size: u32) -> Outcome<Map> {
        let (width, height) = (level.grid.width(), level.grid.height());
        if size == 0 || size > MAX_SIZE.min(width.min(height)) {
            return Err(Failure::Value(format!(
                "size is {size}; give 1 to {MAX_SIZE}, and no more than the map of {width} x {height} cells"
            )));
        }
        let map = level.map(rules, size).map_err(Failure::value)?;
        Ok(Map {
            level: Arc::new(level),
            rules,
            size,
            map: Arc::new(map),
            name: None,
        })
    }

    /// The same level with the walls of a world that has changed.
    pub fn with_grid(&self, grid: Grid) -> Outcome<Map> {
        let mut level = (*self.level).clone();
        for door in &mut level.doors {
            door.is_open = grid.passable_cell(door.at).is_some();
        }
        level.grid = grid;
        let map = Map::of(level, self.rules, self.size)?;
        Ok(Map {
            name: self.name.clone(),
            ..map
        })
    }

    /// How it is called in tables.
    pub fn title(&self) -> String {
        let grid = &self.level.grid;
        let unnamed = || format!("{} x {} cells", grid.width(), grid.height());
        self.name.clone().unwrap_or_else(unnamed)
    }
}

/// A mask, copied.
fn mask<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<PyReadonlyArray<'py, bool, Ix2>> {
    let (kind, dtype, _) = kind(value, name)?;
    if kind != 'b' {
        let advice = match kind {
            'i' | 'u' => format!("{name} != 0 makes one of 0 and 1"),
            'f' => "costs go into terrain=, and numpy.isfinite(costs) is a mask".to_string(),
            _ => "True can be walked on".to_string(),
        };
        let text =
            format!("{name} has elements of type {dtype}; give booleans [row, column]: {advice}");
        return Err(Failure::Type(text).into());
    }
    copied(value, "bool", name)
}

fn grid_of(mask: &PyReadonlyArray<'_, bool, Ix2>) -> Outcome<Grid> {
    let (height, width) = (mask.shape()[0], mask.shape()[1]);
    let side = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let cells = mask.as_array();
    let at = |p: Point| cells[[p.y as usize, p.x as usize]];
    Grid::from_fn(side(width), side(height), at).map_err(Failure::value)
}

/// Doors of a file as they were told.
enum DoorsGiven<'py> {
    Letters(String),
    Image(PathBuf),
    Array(Bound<'py, PyAny>),
}

impl<'py> DoorsGiven<'py> {
    fn read(value: &Bound<'py, PyAny>) -> Outcome<DoorsGiven<'py>> {
        let text = value.extract::<String>();
        let file = value.extract::<PathBuf>().ok();
        let is_png = |file: &PathBuf| {
            file.extension()
                .is_some_and(|e| e.eq_ignore_ascii_case("png"))
        };
        match (text, file) {
            (_, Some(file)) if is_png(&file) => Ok(DoorsGiven::Image(file)),
            (Ok(text), _) if text.bytes().all(|letter| letter.is_ascii_alphabetic()) => {
                Ok(DoorsGiven::Letters(text))
            }
            (_, Some(file)) => Err(Failure::Value(format!(
                "doors is {:?}; give letters of the .map file (lower case open, upper case closed), the name of a PNG file, or a boolean array",
                file.display().to_string()
            ))),
            (_, None) => Ok(DoorsGiven::Array(value.clone())),
        }
    }
}

/// Makes doors of the cells that a mask marks.
fn add_doors(level: &mut Level, doors: &Bound<'_, PyAny>) -> PyResult<()> {
    let array = mask(doors, "doors")?;
    let shape = [array.shape()[0], array.shape()[1]];
    if !level.add_doors(&grid_of(&array)?) {
        let (height, width) = (level.grid.height() as usize, level.grid.width() as usize);
        let swapped = match shape == [width, height] {
            true => ": arrays are [row, column]; use doors.T",
            false => "",
        };
        let text = format!(
            "doors has the shape ({}, {}), the map ({height}, {width}){swapped}",
            shape[0], shape[1]
        );
        return Err(Failure::Value(text).into());
    }
    Ok(())
}

#[pymethods]
impl Map {
    /// A map from a boolean array `[row, column]` in which True can be walked on.
    ///
    /// `terrain` is an array of the same shape: factors from 0.1 to 100 as floats, rounded to hundredths, or classes as whole numbers or texts with
    /// `factors={class: factor}` (None is a wall; classes that this level does not have may be named too). A step costs its length times the mean of the factors of its two cells.
    /// `doors` is a boolean array: doors are open where the mask is True and closed where it is False.
    /// `corners` ("never", "one", "always"), `costs` ("sqrt2" or 1.4) and `moves` (8 or 4) are the rules; `size` is the number of
    /// cells along a side of the unit that the map is for.
    ///
    /// >>> import numpy, waypost
    /// >>> mask = numpy.ones((3, 5), dtype=bool)
    /// >>> mud = numpy.full((3, 5), 1.0)
    /// >>> mud[1:, 1:4] = 5.0
    /// >>> nav = waypost.Navigator(waypost.Map.from_array(mask, terrain=mud))
    /// >>> nav.path((0, 1), (4, 1)).points.tolist()
    /// [[0, 1], [1, 0], [2, 0], [3, 0], [4, 1]]
    #[staticmethod]
    #[pyo3(signature = (mask, terrain=None, *, factors=None, doors=None, corners="never", costs=None, moves=8, size=1))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn from_array(
        mask: &Bound<'_, PyAny>,
        terrain: Option<&Bound<'_, PyAny>>,
        factors: Option<&Bound<'_, PyAny>>,
        doors: Option<&Bound<'_, PyAny>>,
        corners: &str,
        costs: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = numbers::moves)] moves: u32,
        #[pyo3(from_py_with = numbers::size)] size: u32,
    ) -> PyResult<Map> {
        let py = mask.py();
        let rules = rules_of(py, corners, costs, moves)?;
        let array = self::mask(mask, "mask")?;
        let mut level = Level::plain(grid_of(&array)?);
        let factors = footings(factors, "factors")?;
        match terrain {
            Some(terrain) => {
                let shape = (array.shape()[0], array.shape()[1]);
                let classes = classes(terrain, &factors, shape)?;
                block_walls(&mut level.grid, &classes);
                level.classes = Some(classes);
            }
            None if !factors.is_empty() => {
                let text = "factors= names classes of terrain=, and there is none";
                return Err(Failure::Value(text.to_string()).into());
            }
            None => {}
        }
        if let Some(doors) = doors {
            add_doors(&mut level, doors)?;
        }
        Ok(py.detach(|| Map::of(level, rules, size))?)
    }

    /// A map from a file: MovingAI `.map`, PNG, Tiled `.tmx` or `.tmj`, LDtk `.ldtk`; the kind is seen from the contents.
    ///
    /// `terrain` says what kinds of ground cost (`{"S": 2.0, "T": None}`, None is a wall), `doors` are letters of a `.map` file (lower
    /// case open, upper case closed), the PNG file of a mask as large as the map whose bright pixels are doors, or a boolean array. `threshold` (0 to 255) is for images, `blocked_layer` for
    /// Tiled and LDtk, `blocked_property` for Tiled, `level` (the first, unless told) for LDtk; the rules are those of `from_array`.
    #[staticmethod]
    #[pyo3(signature = (file, *, terrain=None, doors=None, corners="never", costs=None, moves=8, size=1, threshold=None, blocked_layer=None, blocked_property=None, level=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn load(
        py: Python<'_>,
        file: PathBuf,
        terrain: Option<&Bound<'_, PyAny>>,
        doors: Option<&Bound<'_, PyAny>>,
        corners: &str,
        costs: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = numbers::moves)] moves: u32,
        #[pyo3(from_py_with = numbers::size)] size: u32,
        #[pyo3(from_py_with = numbers::threshold)] threshold: Option<u8>,
        blocked_layer: Option<String>,
        blocked_property: Option<String>,
        level: Option<String>,
    ) -> PyResult<Map> {
        let rules = rules_of(py, corners, costs, moves)?;
        let doors = doors.map(DoorsGiven::read).transpose()?;
        let letters = match &doors {
            Some(DoorsGiven::Letters(letters)) => letters.clone(),
            _ => String::new(),
        };
        let reading = Reading {
            footings: footings(terrain, "terrain")?,
            door_letters: letters,
        };
        let files = Files {
            threshold,
            blocked_layer,
            blocked_property,
            level,
        };
        let mut level = py.detach(|| reading::level(&file, &files, &reading))?;
        match doors {
            Some(DoorsGiven::Image(file)) => py.detach(|| reading::door_mask(&mut level, &file))?,
            Some(DoorsGiven::Array(mask)) => add_doors(&mut level, &mask)?,
            Some(DoorsGiven::Letters(_)) | None => {}
        }
        let map = py.detach(|| Map::of(level, rules, size))?;
        Ok(Map {
            name: Some(file.display().to_string()),
            ..map
        })
    }

    /// A map from a seed: `kind` is "rooms", "caves", "maze", "city", "random" or "arena"; `terrain=True` strews kinds of ground.
    ///
    /// >>> import waypost
    /// >>> waypost.Map.generate("caves", 64, 48, seed=7) == waypost.Map.generate("caves", 64, 48, seed=7)
    /// True
    #[staticmethod]
    #[pyo3(signature = (kind, width, height, seed=0, *, terrain=false, corners="never", costs=None, moves=8))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn generate(
        py: Python<'_>,
        kind: &str,
        #[pyo3(from_py_with = numbers::width)] width: u32,
        #[pyo3(from_py_with = numbers::height)] height: u32,
        #[pyo3(from_py_with = numbers::seed)] seed: u64,
        terrain: bool,
        corners: &str,
        costs: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = numbers::moves)] moves: u32,
    ) -> PyResult<Map> {
        let rules = rules_of(py, corners, costs, moves)?;
        let known: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        let kind = Kind::from_name(kind).ok_or_else(|| {
            let expected = names::expected(kind, &known);
            Failure::Value(format!("no map is called `{kind}`; {expected}"))
        })?;
        let make = || -> Outcome<Map> {
            let grid = generate::generate(kind, width, height, seed).map_err(Failure::value)?;
            let level = match terrain {
                true => generate::terrain::strew(&grid, seed),
                false => Level::plain(grid),
            };
            let ground = if terrain { "-terrain" } else { "" };
            let name = format!("{}-{width}x{height}-seed{seed}{ground}", kind.name());
            Ok(Map {
                name: Some(name),
                ..Map::of(level, rules, 1)?
            })
        };
        Ok(py.detach(make)?)
    }

    /// The same map with each cell made `factor` x `factor` cells; terrain and doors are left behind.
    fn scaled(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = numbers::factor)] factor: u32,
    ) -> PyResult<Map> {
        let make = || -> Outcome<Map> {
            let grid = generate::scale(&self.level.grid, factor).map_err(Failure::value)?;
            Ok(Map {
                name: self.name.as_ref().map(|name| format!("{name}-x{factor}")),
                ..Map::of(Level::plain(grid), self.rules, 1)?
            })
        };
        Ok(py.detach(make)?)
    }

    /// Writes a MovingAI `.map` file: letters for kinds of ground, `@` for walls, `d` and `D` for doors that are open and closed.
    ///
    /// `Map.load(file, terrain=level.terrain, doors="dD")`, with the rules of the map, gives an equal map. Ground under
    /// walls and doors that costs something of its own stands behind the rows. What a file of letters cannot say is refused with
    /// ValueError: classes whose names are longer than a letter. `pickle` keeps all maps.
    ///
    /// >>> import numpy, os, tempfile, waypost
    /// >>> ground = numpy.array([[".", "S", "."], ["S", "S", "."]])
    /// >>> level = waypost.Map.from_array(numpy.ones((2, 3), dtype=bool), ground, factors={"S": 2.0})
    /// >>> file = os.path.join(tempfile.mkdtemp(), "level.map")
    /// >>> level.save(file)
    /// >>> waypost.Map.load(file, terrain=level.terrain) == level
    /// True
    fn save(&self, py: Python<'_>, file: PathBuf) -> PyResult<()> {
        let level = &self.level;
        let save = || -> Outcome<()> {
            let bytes = formats::map::write_level(level).map_err(|error| {
                let advice = "pickle.dump(level, stream) keeps it as it is";
                Failure::Value(format!("{}: {error}; {advice}", file.display()))
            })?;
            write(&file, &bytes)
        };
        Ok(py.detach(save)?)
    }

    /// Columns.
    #[getter]
    fn width(&self) -> u32 {
        self.level.grid.width()
    }

    /// Rows.
    #[getter]
    fn height(&self) -> u32 {
        self.level.grid.height()
    }

    /// (rows, columns), as of the array.
    #[getter]
    fn shape(&self) -> (u32, u32) {
        (self.height(), self.width())
    }

    /// How many cells can be stood on.
    #[getter]
    fn passable(&self) -> u64 {
        self.map.grid().passable_count()
    }

    /// How many parts of the map are not connected with each other.
    #[getter]
    fn components(&self) -> usize {
        self.map.components().count()
    }

    /// Identifies the map in files: size, walls, costs and doors.
    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:016x}", self.map.file_fingerprint())
    }

    /// The kinds of ground and their factors; None is a wall.
    #[getter]
    fn terrain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for class in self.level.classes.iter().flat_map(|c| c.kinds()) {
            let factor = match class.footing {
                Footing::Factor(factor) => Some(f64::from(factor.hundredths()) / 100.0),
                Footing::Wall => None,
            };
            dict.set_item(&class.name, factor)?;
        }
        Ok(dict)
    }

    /// The cells that are doors, int32 [n, 2].
    #[getter]
    fn doors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        to_array(py, self.level.doors.iter().map(|door| door.at).collect())
    }

    /// Which cells can be stood on, as a new boolean array `[row, column]`.
    ///
    /// >>> import numpy, waypost
    /// >>> mask = numpy.array([[True, False], [True, True]])
    /// >>> waypost.Map.from_array(mask).to_array().tolist()
    /// [[True, False], [True, True]]
    fn to_array<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        let grid = self.map.grid();
        let shape = [grid.height() as usize, grid.width() as usize];
        let cells = py.detach(|| {
            Array2::from_shape_fn(shape, |(y, x)| {
                let point = Point {
                    x: x as u32,
                    y: y as u32,
                };
                grid.passable_cell(point).is_some()
            })
        });
        PyArray2::from_owned_array(py, cells)
    }

    /// Whether a point can be stood on.
    fn is_free(&self, point: &Bound<'_, PyAny>) -> PyResult<bool> {
        let point = inside(&self.map, pair(point, "point")?, "point")?;
        Ok(self.map.passable_cell(point).is_some())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Map>().is_ok_and(|other| {
            let other = other.get();
            (self.rules, self.size) == (other.rules, other.size)
                && self.map.file_fingerprint() == other.map.file_fingerprint()
                && self.level.is_same(&other.level)
        })
    }

    fn __hash__(&self) -> u64 {
        self.map.file_fingerprint()
    }

    fn __repr__(&self) -> String {
        let (width, height) = (self.width(), self.height());
        let mut extra = String::new();
        if let Some(classes) = self.level.classes.as_ref().filter(|c| c.matter()) {
            extra += &format!(", terrain={}", classes.kinds().len());
        }
        if !self.level.doors.is_empty() {
            extra += &format!(", doors={}", self.level.doors.len());
        }
        format!(
            "Map(width={width}, height={height}, passable={}{extra})",
            self.passable()
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Packed)> {
        let restore = slf.get_type().getattr("_restore")?;
        let map = slf.get();
        let parts = (&*map.level, map.rules, map.size, map.name.as_ref());
        Ok((restore, pack(slf.py(), parts)))
    }

    #[staticmethod]
    #[pyo3(signature = (*packed))]
    fn _restore(py: Python<'_>, packed: Packed) -> PyResult<Map> {
        let (level, rules, size, name) = unpack(py, &packed)?;
        let map = py.detach(|| Map::of(level, rules, size))?;
        Ok(Map { name, ..map })
    }
}

fn rules_of(
    py: Python<'_>,
    corners: &str,
    costs: Option<&Bound<'_, PyAny>>,
    moves: u32,
) -> PyResult<MoveRules> {
    let usual = pyo3::types::PyString::new(py, "sqrt2").into_any();
    rules(corners, costs.unwrap_or(&usual), moves)
}

/// Cells whose class is a wall cannot be walked on, whatever the mask says.
fn block_walls(grid: &mut Grid, classes: &Classes) {
    let walls: Vec<Point> = grid
        .cells()
        .map(|cell| grid.point(cell))
        .filter(|&p| classes.kinds()[usize::from(classes.at(p))].footing == Footing::Wall)
        .collect();
    for point in walls {
        grid.set(point, false);
    }
}

/// A map as functions take it: a `Map`, or the file of one.
pub fn given(value: &Bound<'_, PyAny>) -> PyResult<Py<Map>> {
    if let Ok(map) = value.cast::<Map>() {
        return Ok(map.clone().unbind());
    }
    let file: PathBuf = value.extract().map_err(|_| {
        let got = crate::arrays::shown(value);
        Failure::Type(format!(
            "map is {got}; give a waypost.Map or the path of a map file"
        ))
    })?;
    let read = || -> Outcome<Map> {
        let level = reading::level(&file, &Files::default(), &Reading::default())?;
        Map::of(level, MoveRules::default(), 1)
    };
    let map = Map {
        name: Some(file.display().to_string()),
        ..value.py().detach(read)?
    };
    Py::new(value.py(), map)
}
