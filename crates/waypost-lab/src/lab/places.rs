//! The maps of an experiment: made from seeds, or read from a folder, with their problems.

use super::suite::{MapRecipe, ProblemSet, Suite};
use crate::difficulty::{Difficulties, Range};
use crate::make::{MakeError, make_problems};
use crate::measure::Problem;
use crate::optimal::{Optimal, OptimalError};
use crate::problems::Wanted;
use std::path::{Path, PathBuf};
use thiserror::Error;
use waypost::Map;
use waypost::formats::{Level, Reading, map as map_format, scen};
use waypost::generate::{generate, scale, terrain};
use waypost::grid::{Cell, Grid};
use waypost::progress::{NoProgress, Progress};

/// Why there is no map or no problem.
#[derive(Debug, Error)]
pub enum PlaceError {
    /// A file or folder cannot be read.
    #[error("{path}: {error}", path = .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// There is no such folder.
    #[error("{path}: there is no such folder; expected a folder of MovingAI maps", path = .path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The folder has no maps.
    #[error("{path}: no .map files here; expected a folder of MovingAI maps", path = .path.display())]
    NoMaps {
        /// The folder.
        path: PathBuf,
    },
    /// A file is not what it should be.
    #[error("{path}: {message}", path = .path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// A map could not be made.
    #[error("the map `{name}` cannot be made: {message}")]
    Recipe {
        /// Its name.
        name: String,
        /// Why.
        message: String,
    },
    /// No shortest paths.
    #[error(transparent)]
    Optimal(#[from] OptimalError),
}

/// Where a map comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Made from a seed.
    Recipe(MapRecipe),
    /// A `.map` file.
    File(PathBuf),
}

/// All maps of a folder, in the order of names.
pub fn maps_in(folder: &Path) -> Result<Vec<Source>, PlaceError> {
    if !folder.is_dir() {
        let path = folder.to_path_buf();
        return Err(PlaceError::NoFolder { path });
    }
    let failed = |error| PlaceError::File {
        path: folder.to_path_buf(),
        error,
    };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(failed)?
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?
        .into_iter()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "map") && path.is_file())
        .collect();
    if paths.is_empty() {
        return Err(PlaceError::NoMaps {
            path: folder.to_path_buf(),
        });
    }
    paths.sort();
    Ok(paths.into_iter().map(Source::File).collect())
}

impl Source {
    /// The map's name in reports.
    pub fn name(&self) -> String {
        match self {
            Source::Recipe(recipe) => recipe.name.clone(),
            Source::File(path) => {
                let stem = path.file_stem().unwrap_or_default();
                stem.to_string_lossy().into_owned()
            }
        }
    }

    /// How the map came to be, in a few words.
    pub fn origin(&self) -> String {
        match self {
            Source::Recipe(recipe) => {
                let scaled = match recipe.scale {
                    1 => String::new(),
                    by => format!(", each cell made {by} x {by}"),
                };
                let strewn = if recipe.strewn { ", with terrain" } else { "" };
                format!(
                    "`{}`, seed {}{scaled}{strewn}",
                    recipe.kind.name(),
                    recipe.seed
                )
            }
            Source::File(path) => {
                let name = path.file_name().unwrap_or_default();
                format!("file {}", name.to_string_lossy())
            }
        }
    }

    /// Makes or reads the map, as the suite's unit meets it.
    pub fn load(&self, suite: &Suite) -> Result<Map, PlaceError> {
        let mut reading = Reading {
            footings: suite.unit.terrain.clone(),
            ..Reading::default()
        };
        let level = match self {
            Source::Recipe(recipe) => {
                let mut level = Level::plain(make(recipe)?);
                if recipe.strewn {
                    level = terrain::strew(&level.grid, recipe.seed);
                    if reading.footings.is_empty() {
                        reading.footings = terrain::footings();
                    }
                }
                match reading.footings.is_empty() {
                    true => Ok(level),
                    false => map_format::write_level(&level)
                        .map_err(|error| self.bad(&error))
                        .and_then(|text| self.parse(&text, &reading)),
                }
            }
            Source::File(path) => self.parse(&read(path)?, &reading),
        };
        let map = level?.map(suite.rules, suite.unit.size);
        map.map_err(|error| self.bad(&error))
    }

    fn parse(&self, text: &[u8], reading: &Reading) -> Result<Level, PlaceError> {
        map_format::parse_level(text, reading).map_err(|error| self.bad(&error))
    }

    fn bad(&self, error: &dyn std::fmt::Display) -> PlaceError {
        match self {
            Source::Recipe(recipe) => unmade(recipe, error),
            Source::File(path) => bad(path, error),
        }
    }

    /// The scenario file beside the map, where the suite wants it and it is there.
    pub fn scenario(&self, wanted: &ProblemSet) -> Result<Option<Vec<u8>>, PlaceError> {
        let Source::File(path) = self else {
            return Ok(None);
        };
        if !wanted.scenarios {
            return Ok(None);
        }
        let mut beside = path.as_os_str().to_owned();
        beside.push(".scen");
        let candidates = [PathBuf::from(beside), path.with_extension("scen")];
        match candidates.iter().find(|path| path.is_file()) {
            None => Ok(None),
            Some(path) => read(path).map(Some),
        }
    }

    /// The problems of the map; the inner error says why the map has none like those wanted.
    pub fn problems(
        &self,
        map: &Map,
        suite: &Suite,
        scenario: Option<&[u8]>,
    ) -> Result<Result<Vec<Problem>, String>, PlaceError> {
        let wanted = &suite.problems;
        let listed = match (scenario, self) {
            (Some(bytes), Source::File(path)) => {
                let listed = scen::parse(bytes).map_err(|error| bad(path, &error))?;
                if let Err(error) = scen::check_size(&listed, map.grid()) {
                    return Err(bad(path, &error));
                }
                let listed = as_hard(map, listed, wanted.difficulty())?;
                evenly(&listed, wanted.count)
            }
            _ => {
                let mut listed = Vec::new();
                for (seed, count) in wanted.draws() {
                    let wanted = Wanted {
                        count,
                        seed,
                        least: wanted.least,
                        most: wanted.most,
                        difficulty: wanted.difficulty_parts(),
                        map_name: String::new(),
                    };
                    match make_problems(map, &wanted, &NoProgress) {
                        Ok(drawn) => listed.extend(drawn),
                        Err(MakeError::Problems(error)) => return Ok(Err(error.to_string())),
                        Err(MakeError::Optimal(error)) => return Err(error.into()),
                    }
                }
                listed
            }
        };
        let problems = with_lengths(map, &listed, &NoProgress)?;
        if problems.is_empty() {
            return Ok(Err("none of its problems has a solution".to_string()));
        }
        Ok(Ok(problems))
    }
}

/// Those of a scenario's problems that are as hard as wanted.
fn as_hard(
    map: &Map,
    listed: Vec<scen::Problem>,
    wanted: Range,
) -> Result<Vec<scen::Problem>, PlaceError> {
    if wanted.is_any() {
        return Ok(listed);
    }
    let ends = |problem: &scen::Problem| problem.ends(map.grid()).unwrap_or(NO_ENDS);
    let pairs: Vec<(Cell, Cell)> = listed.iter().map(ends).collect();
    let difficulties = Difficulties::prepare(map)?.of_all(map, &pairs, &NoProgress)?;
    let hard = listed.into_iter().zip(difficulties);
    Ok(hard
        .filter(|&(_, difficulty)| wanted.contains(difficulty))
        .map(|(problem, _)| problem)
        .collect())
}

/// The ends of a problem that lies outside of the map.
const NO_ENDS: (Cell, Cell) = (Cell::NONE, Cell::NONE);

fn read(path: &Path) -> Result<Vec<u8>, PlaceError> {
    std::fs::read(path).map_err(|error| PlaceError::File {
        path: path.to_path_buf(),
        error,
    })
}

fn bad(path: &Path, error: &dyn std::fmt::Display) -> PlaceError {
    PlaceError::Bad {
        path: path.to_path_buf(),
        message: error.to_string(),
    }
}

fn make(recipe: &MapRecipe) -> Result<Grid, PlaceError> {
    let grid = generate(recipe.kind, recipe.width, recipe.height, recipe.seed)
        .map_err(|error| unmade(recipe, &error))?;
    if recipe.scale == 1 {
        return Ok(grid);
    }
    scale(&grid, recipe.scale).map_err(|error| unmade(recipe, &error))
}

fn unmade(recipe: &MapRecipe, error: &dyn std::fmt::Display) -> PlaceError {
    PlaceError::Recipe {
        name: recipe.name.clone(),
        message: error.to_string(),
    }
}

/// `limit` problems, evenly from the whole list.
pub fn evenly<T: Clone>(problems: &[T], limit: usize) -> Vec<T> {
    let count = problems.len();
    if limit >= count {
        return problems.to_vec();
    }
    (0..limit)
        .map(|i| problems[i * count / limit].clone())
        .collect()
}

/// The problems that have a solution, with the moves of a shortest one.
pub fn with_lengths(
    map: &Map,
    listed: &[scen::Problem],
    progress: &dyn Progress,
) -> Result<Vec<Problem>, OptimalError> {
    let optimal = Optimal::prepare(map, progress)?;
    let pairs: Vec<(Cell, Cell)> = listed
        .iter()
        .map(|problem| problem.ends(map.grid()).unwrap_or(NO_ENDS))
        .collect();
    let lengths = optimal.lengths(map, &pairs, progress)?;
    let solved = pairs.into_iter().zip(lengths);
    Ok(solved
        .filter_map(|((from, goal), length)| {
            length.map(|optimal| Problem {
                from,
                goal,
                optimal,
            })
        })
        .collect())
}
