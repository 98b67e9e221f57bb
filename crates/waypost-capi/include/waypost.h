/* Waypost: pathfinding for game maps in which every unit gets its next move within a fixed amount of work.
 *
 * - Handles are opaque. Each is freed once by its own function; the order does not matter.
 * - Results are written into the caller's arrays. Where one is too small, WAYPOST_TOO_SMALL comes with the number that is needed.
 * - Functions return a waypost_status; waypost_last_error says in words what went wrong in this thread.
 * - Structs of options begin with their own size: fill them with zeros and set it.
 * - Each function says from which threads it may be called. There is no global state but the
 *   message of a thread, the threads that builds share and, where the program sets one before all else, its allocator.
 * - A process that forks has none of these threads: build and open before fork, or exec after it.
 *
 * Made from the source of waypost-capi; do not edit. */

#ifndef WAYPOST_H
#define WAYPOST_H

#include <stddef.h>
#include <stdint.h>

/*
 The number of a cell that belongs to no group.
 */
#define WAYPOST_NO_GROUP UINT32_MAX

/*
 The number of no record.
 */
#define WAYPOST_NO_RECORD UINT64_MAX

/*
 What a call came to. Every call but those that free or cannot fail returns one; 0 is success.
 */
enum waypost_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Done.
   */
  WAYPOST_OK = 0,
  /*
   A pointer that is needed is NULL.
   */
  WAYPOST_NULL = 1,
  /*
   A value that cannot be, such as an unknown number or a wrong size.
   */
  WAYPOST_BAD_VALUE = 2,
  /*
   The caller's array is too small: its count says how many elements there are; those that fit were written.
   */
  WAYPOST_TOO_SMALL = 3,
  /*
   A point outside the map.
   */
  WAYPOST_OUTSIDE = 4,
  /*
   A point that cannot be stood on.
   */
  WAYPOST_WALL = 5,
  /*
   There is no way.
   */
  WAYPOST_UNREACHABLE = 6,
  /*
   No unit type has this name.
   */
  WAYPOST_NO_SUCH_UNIT_TYPE = 7,
  /*
   A unit type that cannot be.
   */
  WAYPOST_BAD_UNIT_TYPE = 8,
  /*
   The build was stopped by its progress callback.
   */
  WAYPOST_CANCELLED = 9,
  /*
   A map that could not be read or used.
   */
  WAYPOST_BAD_MAP = 10,
  /*
   An index that could not be built.
   */
  WAYPOST_BUILD_FAILED = 11,
  /*
   A file that could not be used: damaged, of another version or of another map.
   */
  WAYPOST_BAD_FILE = 12,
  /*
   A method of walking that is not known or cannot run here.
   */
  WAYPOST_BAD_METHOD = 13,
  /*
   No unit has this id: it was removed, or never was.
   */
  WAYPOST_NO_SUCH_UNIT = 14,
  /*
   Another unit stands there.
   */
  WAYPOST_TAKEN = 15,
  /*
   Another thread is using a handle that one thread at a time may use. Nothing was done.
   */
  WAYPOST_BUSY = 16,
  /*
   A mistake inside Waypost. The handle that was used for it can only be freed.
   */
  WAYPOST_PANIC = 17,
  /*
   An allocator that was set after memory had been asked for. Nothing was done.
   */
  WAYPOST_TOO_LATE = 18,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waypost_status waypost_status;
#else
typedef int32_t waypost_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 How a request stands.
 */
enum waypost_request_state
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   It waits, or is being searched.
   */
  WAYPOST_REQUEST_PENDING = 0,
  /*
   There is a path.
   */
  WAYPOST_REQUEST_FOUND = 1,
  /*
   There is none.
   */
  WAYPOST_REQUEST_NO_PATH = 2,
  /*
   It was closed, or is not of this queue.
   */
  WAYPOST_REQUEST_UNKNOWN = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waypost_request_state waypost_request_state;
#else
typedef uint32_t waypost_request_state;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 How an index stands to the map.
 */
enum waypost_index_state
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   It is of the map as it is, doors aside.
   */
  WAYPOST_INDEX_CURRENT = 0,
  /*
   Its repair is under way.
   */
  WAYPOST_INDEX_REPAIRING = 1,
  /*
   A new one is being built.
   */
  WAYPOST_INDEX_REBUILDING = 2,
  /*
   It is of an older map and waits for a rebuild. Paths stay shortest all the same.
   */
  WAYPOST_INDEX_STALE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waypost_index_state waypost_index_state;
#else
typedef uint32_t waypost_index_state;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What an index is; the same numbers as in its file.
 */
enum waypost_index_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Solved problems compressed to subgoals.
   */
  WAYPOST_INDEX_SUBGOALS = 1,
  /*
   Regions of the clique abstraction with an entry for every pair.
   */
  WAYPOST_INDEX_REGIONS = 2,
  /*
   A path database: the first move of a shortest path for every pair of cells.
   */
  WAYPOST_INDEX_CPD = 3,
  /*
   Distances to landmarks.
   */
  WAYPOST_INDEX_LANDMARKS = 4,
  /*
   The clique abstraction.
   */
  WAYPOST_INDEX_HIERARCHY = 5,
  /*
   The jump-point graph.
   */
  WAYPOST_INDEX_JUMP = 6,
  /*
   Hub labels on corners.
   */
  WAYPOST_INDEX_LABELS = 7,
  /*
   Sectors with next hops.
   */
  WAYPOST_INDEX_SECTORS = 8,
  /*
   Whichever of the others was chosen.
   */
  WAYPOST_INDEX_AUTO = 9,
  /*
   Next steps and distances for every pair of cells of a small map.
   */
  WAYPOST_INDEX_TABLES = 10,
  /*
   Regions that climbing crosses.
   */
  WAYPOST_INDEX_CLIMB_REGIONS = 11,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waypost_index_kind waypost_index_kind;
#else
typedef uint32_t waypost_index_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What happened.
 */
enum waypost_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   The unit stands on its goal.
   */
  WAYPOST_EVENT_ARRIVED = 0,
  /*
   There is no way to the unit's goal; `nearest` is the nearest cell that it can reach where `has_nearest` is not 0.
   */
  WAYPOST_EVENT_UNREACHABLE = 1,
  /*
   The unit's cell has become a wall.
   */
  WAYPOST_EVENT_BLOCKED = 2,
  /*
   The unit's cell is free again.
   */
  WAYPOST_EVENT_FREED = 3,
  /*
   A repaired or rebuilt index serves from now on; `late` where it came after the tick that it was due at.
   */
  WAYPOST_EVENT_INDEX_RENEWED = 4,
  /*
   Other units are in the unit's way and cannot all have their goals; `why` says more.
   */
  WAYPOST_EVENT_STUCK = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waypost_event_kind waypost_event_kind;
#else
typedef uint32_t waypost_event_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What a unit is doing.
 */
enum waypost_unit_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   It has no goal.
   */
  WAYPOST_UNIT_IDLE = 0,
  /*
   It is on its way.
   */
  WAYPOST_UNIT_MOVING = 1,
  /*
   It stands on its goal.
   */
  WAYPOST_UNIT_ARRIVED = 2,
  /*
   There is no way to its goal.
   */
  WAYPOST_UNIT_UNREACHABLE = 3,
  /*
   The cell that it stands in has become a wall.
   */
  WAYPOST_UNIT_BLOCKED = 4,
  /*
   Its next cell is taken by another unit.
   */
  WAYPOST_UNIT_WAITING = 5,
  /*
   It stands still, as it was told to, and keeps its goal.
   */
  WAYPOST_UNIT_HOLDING = 6,
  /*
   Other units are in its way and cannot all have their goals: it makes way for them.
   */
  WAYPOST_UNIT_STUCK = 7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waypost_unit_status waypost_unit_status;
#else
typedef uint32_t waypost_unit_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 What a diagonal step asks of the two cells that it passes between.
 */
enum waypost_corners
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   Both must be free (the default).
   */
  WAYPOST_CORNERS_NEVER = 0,
  /*
   One must be free.
   */
  WAYPOST_CORNERS_ONE = 1,
  /*
   Neither matters.
   */
  WAYPOST_CORNERS_ALWAYS = 2,
  /*
   There are no diagonal steps: four ways instead of eight.
   */
  WAYPOST_CORNERS_NO_DIAGONALS = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waypost_corners waypost_corners;
#else
typedef uint32_t waypost_corners;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 How long a diagonal step is.
 */
enum waypost_costs
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   The square root of 2 (the default).
   */
  WAYPOST_COSTS_SQRT2 = 0,
  /*
   1.4.
   */
  WAYPOST_COSTS_ONE_POINT_FOUR = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waypost_costs waypost_costs;
#else
typedef uint32_t waypost_costs;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 Kinds of goals.
 */
enum waypost_goal_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   The cell `at`.
   */
  WAYPOST_GOAL_CELL = 0,
  /*
   Any cell of the rectangle from `at`, `width` columns and `height` rows.
   */
  WAYPOST_GOAL_AREA = 1,
  /*
   Any cell at most `width` cells from `at`.
   */
  WAYPOST_GOAL_WITHIN = 2,
  /*
   Wherever `unit` is.
   */
  WAYPOST_GOAL_UNIT = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waypost_goal_kind waypost_goal_kind;
#else
typedef uint32_t waypost_goal_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 How a group stands when it has arrived.
 */
enum waypost_formation
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /*
   As near to the place as possible.
   */
  WAYPOST_FORMATION_CLOSE = 0,
  /*
   As it stands now, moved, where those cells are free.
   */
  WAYPOST_FORMATION_KEPT = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waypost_formation waypost_formation;
#else
typedef uint32_t waypost_formation;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 Many units in one world. One thread at a time (WAYPOST_BUSY otherwise), not always the same; it keeps its world alive.
 */
typedef struct waypost_crowd waypost_crowd;

/*
 A value for every cell: how far it is to the nearest of some places, for one type of unit on the map as it was. One field serves as many units
 as like to ask it. It does not keep its world alive.
 */
typedef struct waypost_field waypost_field;

/*
 What an index knows of a map, as it was when it was asked for. Any thread, also several at once.
 */
typedef struct waypost_inspection waypost_inspection;

/*
 A map before it becomes a world: cells, rules, doors. One thread at a time (WAYPOST_BUSY otherwise).
 */
typedef struct waypost_map waypost_map;

/*
 A world as one type of unit sees it. All functions on it may be called from any thread, also at the same time; paths see
 changes at once, crowds at their next tick. Handles that come from one world (`waypost_nav_for_unit`, crowds) keep it alive
 and may be freed in any order.
 */
typedef struct waypost_nav waypost_nav;

/*
 A queue of requests for paths, for maps whose exact paths take long. One thread at a time (WAYPOST_BUSY otherwise), not always the
 same; it keeps its world alive.
 */
typedef struct waypost_requests waypost_requests;

/*
 A type of unit on its way into a world: made, run on any thread, added. One thread at a time (WAYPOST_BUSY otherwise), not always the same; it
 does not keep the world alive.
 */
typedef struct waypost_type_job waypost_type_job;

/*
 Gives `size` bytes at a multiple of `alignment`, which is a power of two, or NULL where there are none: the program ends then.
 */
typedef void *(*waypost_allocate)(void *user, size_t size, size_t alignment);

/*
 Takes a block back that `waypost_allocate` gave for this size and alignment.
 */
typedef void (*waypost_release_memory)(void *user, void *block, size_t size, size_t alignment);

/*
 Where all memory of the library comes from. The functions are called from any thread, also by several at once, and must not call
 the library; they stay for as long as the program runs.
 */
typedef struct waypost_allocator {
  /*
   sizeof(waypost_allocator)
   */
  size_t size;
  /*
   Gives memory.
   */
  waypost_allocate allocate;
  /*
   Takes it back.
   */
  waypost_release_memory release;
  /*
   Given to both.
   */
  void *user;
} waypost_allocator;

/*
 Where cells lie in a game's own coordinates. Filled with zeros: cells of 1 x 1 from 0,0.
 */
typedef struct waypost_transform {
  /*
   The top left corner of the cell 0,0.
   */
  float origin[2];
  /*
   The sides of a cell; the second is negative where y grows upwards (0: 1).
   */
  float cell[2];
} waypost_transform;

/*
 A cell: column and row, from 0,0 at the top left.
 */
typedef struct waypost_point {
  /*
   The column.
   */
  uint32_t x;
  /*
   The row.
   */
  uint32_t y;
} waypost_point;

/*
 A file that another one names.
 */
typedef struct waypost_file {
  /*
   Its name as the other file has it, UTF-8, such as "tiles/walls.tsx".
   */
  const char *name;
  /*
   What it holds.
   */
  const uint8_t *bytes;
  /*
   How many bytes.
   */
  size_t length;
} waypost_file;

/*
 What of a map file is read. Fill with zeros and set `size`; what is 0 is as usual.
 */
typedef struct waypost_file_options {
  /*
   sizeof(waypost_file_options)
   */
  size_t size;
  /*
   LDtk: the level, by its name (NULL: the first).
   */
  const char *level;
  /*
   Tiled: the layer whose tiles are walls; LDtk: the layer of integers (NULL: found by their names).
   */
  const char *layer;
  /*
   Files that this one may name: tilesets of Tiled maps, levels of LDtk projects.
   */
  const struct waypost_file *files;
  /*
   How many.
   */
  size_t file_count;
} waypost_file_options;

/*
 A door, and whether it is open (1 or 0).
 */
typedef struct waypost_door {
  /*
   Where it is.
   */
  struct waypost_point at;
  /*
   1 where it is open, 0 where it is closed.
   */
  int32_t is_open;
} waypost_door;

/*
 A class of ground, by its name: the letter of a map file, the value of a property in Tiled, or whatever a map of the caller's calls it.
 */
typedef struct waypost_ground {
  /*
   Its name, UTF-8.
   */
  const char *name;
  /*
   How many times its length a step costs, 0.1 to 100 with at most two decimals; 0 is a wall.
   */
  double factor;
} waypost_ground;

/*
 A type of unit. Fill with zeros and set `size`; what is 0 is as usual.
 */
typedef struct waypost_unit_type {
  /*
   sizeof(waypost_unit_type)
   */
  size_t size;
  /*
   Its name, UTF-8, one line.
   */
  const char *name;
  /*
   Cells on a side (0: 1). Its position is its top left cell.
   */
  uint32_t cells;
  /*
   What it makes of classes of ground; classes that are not named are what the map says.
   */
  const struct waypost_ground *grounds;
  /*
   How many.
   */
  size_t ground_count;
} waypost_unit_type;

/*
 Told how far a build is: the stage in words, the parts done and those in all. Not 0 stops the build. Called from threads of
 Waypost's own, never by two at once, and never after the call that it was given to has returned. `stage` is valid during
 the call. It must not call the library: the thread that it is called on may have to wait for it.
 */
typedef int32_t (*waypost_progress)(void *user, const char *stage, uint64_t done, uint64_t total);

/*
 How a world is built. Fill with zeros and set `size`; what is 0 is as usual.
 */
typedef struct waypost_build_options {
  /*
   sizeof(waypost_build_options)
   */
  size_t size;
  /*
   The most memory that an index may take (0: 16 bytes a free cell, at least 67 MB).
   */
  uint64_t max_bytes;
  /*
   The most seconds that building may take, by an estimate that is the same on every machine (0: 60).
   */
  double max_seconds;
  /*
   Types of units beside the one of one cell, which is called `unit`; all of the same `size`.
   */
  const struct waypost_unit_type *unit_types;
  /*
   How many.
   */
  size_t unit_type_count;
  /*
   Told how far the build is, or NULL.
   */
  waypost_progress progress;
  /*
   Given to `progress`.
   */
  void *user;
  /*
   Cuts labels to so many bytes (0: not at all). Paths stay shortest: a search finds what the labels do not know.
   */
  uint64_t fit_bytes;
  /*
   Builds on so many threads of the build's own (0: on all cores). What is built does not depend on it.
   */
  size_t threads;
} waypost_build_options;

/*
 Told that memory lent to `waypost_nav_open` is no longer looked at. Called once, from whichever thread lets go last.
 */
typedef void (*waypost_release)(void *user, const uint8_t *bytes, size_t length);

/*
 Two ends of a path.
 */
typedef struct waypost_query {
  /*
   Where it begins.
   */
  struct waypost_point from;
  /*
   Where it ends.
   */
  struct waypost_point goal;
} waypost_query;

/*
 A cell that can be reached.
 */
typedef struct waypost_reached {
  /*
   Where it is.
   */
  struct waypost_point at;
  /*
   What the cheapest path to it costs.
   */
  double cost;
} waypost_reached;

/*
 Names a request; never names another one. Never 0.
 */
typedef uint64_t waypost_ticket;

/*
 A rectangle that becomes free or a wall.
 */
typedef struct waypost_edit {
  /*
   Its top left cell.
   */
  struct waypost_point at;
  /*
   Its columns.
   */
  uint32_t width;
  /*
   Its rows.
   */
  uint32_t height;
  /*
   Not 0 where it becomes free.
   */
  uint32_t passable;
} waypost_edit;

/*
 How an index of a unit type stands.
 */
typedef struct waypost_index_info {
  /*
   The name of the unit type, with a zero at its end, cut to fit.
   */
  char unit_type[64];
  /*
   The kind of index: 7 labels, 8 sectors, 9 whichever was chosen; the same numbers as in its file.
   */
  uint32_t kind;
  /*
   How it stands.
   */
  waypost_index_state state;
} waypost_index_info;

/*
 A corner of the map that paths bend at.
 */
typedef struct waypost_corner {
  /*
   Where it is.
   */
  struct waypost_point at;
  /*
   Hubs in its label.
   */
  uint32_t hubs;
} waypost_corner;

/*
 A region of a sector.
 */
typedef struct waypost_region {
  /*
   Its number.
   */
  uint32_t number;
  /*
   The cell that stands for it.
   */
  struct waypost_point at;
} waypost_region;

/*
 The first step of a path.
 */
typedef struct waypost_first_move {
  /*
   From here.
   */
  struct waypost_point from;
  /*
   To the cell beside it.
   */
  struct waypost_point to;
} waypost_first_move;

/*
 How a crowd is made. Fill with zeros and set `size`; what is 0 is as usual.
 */
typedef struct waypost_crowd_options {
  /*
   sizeof(waypost_crowd_options)
   */
  size_t size;
  /*
   The method that units walk by, as the command line names it (NULL: `waypost`).
   */
  const char *method;
  /*
   Weighted operations (about nanoseconds) of a tick that may be spent on plans, for each type of unit.
   */
  uint64_t plan_operations;
  /*
   Operations of a tick that may be spent on repairs and rebuilds of indexes.
   */
  uint64_t repair_operations;
  /*
   Not 0 where only one unit may stand in a cell.
   */
  uint32_t exclusive;
  /*
   Not 0 where an index that is late is not waited for: what happens then depends on threads too.
   */
  uint32_t free_running;
  /*
   Where cells lie in the game's coordinates.
   */
  struct waypost_transform transform;
} waypost_crowd_options;

/*
 Names a unit of a crowd; never names another one, also after the unit was removed. Never 0.
 */
typedef uint64_t waypost_unit_id;

/*
 Where a unit is sent. Filled with zeros but for `at` it is a cell.
 */
typedef struct waypost_goal {
  /*
   One of `waypost_goal_kind`.
   */
  uint32_t kind;
  /*
   A cell.
   */
  struct waypost_point at;
  /*
   Columns, or cells away.
   */
  uint32_t width;
  /*
   Rows.
   */
  uint32_t height;
  /*
   Another unit.
   */
  waypost_unit_id unit;
} waypost_goal;

/*
 What a tick did.
 */
typedef struct waypost_tick {
  /*
   Units that there are.
   */
  uint64_t units;
  /*
   Events that happened: `waypost_crowd_events` gives them.
   */
  uint64_t events;
  /*
   Steps made.
   */
  uint64_t moves;
  /*
   Units that reached their goal.
   */
  uint64_t arrived;
  /*
   Units that planned.
   */
  uint64_t planned;
  /*
   Units that stood still because their next cell was taken.
   */
  uint64_t waits;
  /*
   Units that took a provisional step because it was not their turn to plan.
   */
  uint64_t provisional;
  /*
   Weighted operations (about nanoseconds) of all units.
   */
  uint64_t operations;
} waypost_tick;

/*
 What happened to a unit or to the world in a tick.
 */
typedef struct waypost_event {
  /*
   What.
   */
  waypost_event_kind kind;
  /*
   Whether `nearest` is set.
   */
  uint32_t has_nearest;
  /*
   To which unit; 0 where the event is of the world.
   */
  waypost_unit_id unit;
  /*
   The nearest cell that it can reach.
   */
  struct waypost_point nearest;
  /*
   Not 0 where an index came late.
   */
  uint32_t late;
  /*
   The kind of the index, as in `waypost_index_info`.
   */
  uint32_t index_kind;
  /*
   Why a unit is stuck: 0 where units that hold their ground, or stand in walls, close every way; 1 where units cannot pass each other; 2 where
   another unit has the same goal.
   */
  uint32_t why;
  /*
   Nothing.
   */
  uint32_t reserved;
} waypost_event;

/*
 A unit as it is after the last tick.
 */
typedef struct waypost_unit {
  /*
   Its id.
   */
  waypost_unit_id id;
  /*
   The cell that it stands in.
   */
  struct waypost_point at;
  /*
   The cell that its last step led from; its own where there was none.
   */
  struct waypost_point previous;
  /*
   What it is doing.
   */
  waypost_unit_status status;
  /*
   For how many ticks it has waited.
   */
  uint32_t waited;
  /*
   Cells along a side of it; `at` is the top left one.
   */
  uint32_t cells;
  /*
   Whether `nearest` is set: of a unit that cannot reach its goal, where it was asked for alone.
   */
  uint32_t has_nearest;
  /*
   The cell nearest to that goal that it can reach.
   */
  struct waypost_point nearest;
  /*
   Why a unit is stuck, as in `waypost_event`.
   */
  uint32_t why;
  /*
   Nothing.
   */
  uint32_t reserved;
} waypost_unit;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The version as a number: major * 65536 + minor * 256 + patch. Within one major version functions and numbers are only added.
 Any thread.
 */
uint32_t waypost_version(void);

/*
 The version as a text; lives for ever. Any thread.
 */
const char *waypost_version_text(void);

/*
 What went wrong in this thread's last call that failed, and what to do about it; never NULL. UTF-8, valid until the next
 call of this thread that fails. Any thread.
 */
const char *waypost_last_error(void);

/*
 Sets where all memory of the library comes from, once, before any other function is called; WAYPOST_TOO_LATE after that. After
 WAYPOST_NULL and WAYPOST_BAD_VALUE the call can be made again. Without it memory comes from the system. What the library keeps for the whole program (its threads, messages of failures) is not given back;
 what threads of a build had comes back a little later.
 One thread, before all else.

 Pointers:
 `allocator` is valid; its functions do what they say.
 */
waypost_status waypost_set_allocator(const struct waypost_allocator *allocator);

/*
 Gives the middle of a cell as two numbers. Any thread.

 Pointers:
 `transform` is valid; `out` is valid for writes of two numbers.
 */
waypost_status waypost_transform_position(const struct waypost_transform *transform,
                                          struct waypost_point cell,
                                          float *out);

/*
 Gives the cell that holds a position of two numbers; WAYPOST_OUTSIDE left of or above the cell 0,0. Any thread.

 Pointers:
 `transform` is valid; `position` is valid for reads of two numbers; `out` is valid for a write.
 */
waypost_status waypost_transform_cell(const struct waypost_transform *transform,
                                      const float *position,
                                      struct waypost_point *out);

/*
 Makes a map from bits, row by row without padding, the least significant bit of a byte first: 1 is free. `length` is the
 number of bytes. Free it with `waypost_map_free`. Any thread.

 Pointers:
 `bits` is valid for reads of `length` bytes, `out` for a write.
 */
waypost_status waypost_map_from_bits(uint32_t width,
                                     uint32_t height,
                                     const uint8_t *bits,
                                     size_t length,
                                     struct waypost_map **out);

/*
 Makes a map from one byte a cell, row by row: not 0 is free. `length` is the number of bytes. Free it with
 `waypost_map_free`. Any thread.

 Pointers:
 `cells` is valid for reads of `length` bytes, `out` for a write.
 */
waypost_status waypost_map_from_cells(uint32_t width,
                                      uint32_t height,
                                      const uint8_t *cells,
                                      size_t length,
                                      struct waypost_map **out);

/*
 Makes a map from the bytes of a map file: MovingAI, and PNG, Tiled or LDtk where the library was built with them
 (`waypost_map_from_files` has a say in what is read of those). Free it with `waypost_map_free`. Any thread.

 Pointers:
 `bytes` is valid for reads of `length` bytes, `out` for a write.
 */
waypost_status waypost_map_from_file_bytes(const uint8_t *bytes,
                                           size_t length,
                                           struct waypost_map **out);

/*
 As `waypost_map_from_file_bytes`, with a say in what is read and with the files that the map names. `options` may be NULL. Any thread.

 Pointers:
 `bytes` is valid for reads of `length` bytes, `options` is NULL or valid with all that it points to, `out` is valid for a write.
 */
waypost_status waypost_map_from_files(const uint8_t *bytes,
                                      size_t length,
                                      const struct waypost_file_options *options,
                                      struct waypost_map **out);

/*
 Sets how units may move: one of `waypost_corners` and one of `waypost_costs`. One thread at a time.

 Pointers:
 `map` is a map that was not freed, or NULL.
 */
waypost_status waypost_map_set_rules(struct waypost_map *map, uint32_t corners, uint32_t costs);

/*
 Makes these cells doors, in the place of earlier ones: open where they are free now, closed where they are walls. Doors open
 and close at once (`waypost_nav_set_doors`) and make no index stale. One thread at a time.

 Pointers:
 `map` is a map that was not freed, or NULL; `doors` is valid for reads of `count` points.
 */
waypost_status waypost_map_set_doors(struct waypost_map *map,
                                     const struct waypost_point *doors,
                                     size_t count);

/*
 Frees a map; worlds built from it stay. NULL is ignored.

 Pointers:
 `map` is a map that was not freed, or NULL, and no other thread uses it.
 */
void waypost_map_free(struct waypost_map *map);

/*
 Gives the number of columns and rows; either may be NULL. One thread at a time.

 Pointers:
 `map` is a map that was not freed, or NULL; `width` and `height` are NULL or valid for a write.
 */
waypost_status waypost_map_size(const struct waypost_map *map, uint32_t *width, uint32_t *height);

/*
 Writes one byte a cell, row by row, 1 where it is free and 0 where it is a wall, and the number of cells into `count`, which may be NULL.
 WAYPOST_TOO_SMALL where there are more than `capacity`. One thread at a time.

 Pointers:
 `map` is a map that was not freed, or NULL; `out` is valid for writes of `capacity` bytes, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_map_cells(const struct waypost_map *map,
                                 uint8_t *out,
                                 size_t capacity,
                                 size_t *count);

/*
 Writes what a step costs in each cell, row by row, in lengths: 1 on plain ground, 0 for a wall, and the number of cells into `count`, which
 may be NULL. WAYPOST_TOO_SMALL where there are more than `capacity`. One thread at a time.

 Pointers:
 `map` is a map that was not freed, or NULL; `out` is valid for writes of `capacity` numbers, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_map_factors(const struct waypost_map *map,
                                   double *out,
                                   size_t capacity,
                                   size_t *count);

/*
 Writes the doors of a map, in the order of rows, and their number into `count`, which may be NULL. WAYPOST_TOO_SMALL where there are
 more than `capacity`. One thread at a time.

 Pointers:
 `map` is a map that was not freed, or NULL; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_map_doors(const struct waypost_map *map,
                                 struct waypost_door *out,
                                 size_t capacity,
                                 size_t *count);

/*
 Gives how units may move: one of `waypost_corners` and one of `waypost_costs`; either may be NULL. One thread at a time.

 Pointers:
 `map` is a map that was not freed, or NULL; `corners` and `costs` are NULL or valid for a write.
 */
waypost_status waypost_map_rules(const struct waypost_map *map,
                                 uint32_t *corners,
                                 uint32_t *costs);

/*
 Makes a map from classes of ground, one byte a cell, row by row, each a number of `grounds`: walls are cells whose class is one, and a
 step costs its length times the mean of the factors of its two cells. The first class is what a wall becomes when it is opened; WAYPOST_BAD_MAP where it is a wall itself. Free it
 with `waypost_map_free`. Any thread.

 Pointers:
 `cells` is valid for reads of `length` bytes, `grounds` of `ground_count` elements with their names, `out` for a write.
 */
waypost_status waypost_map_from_classes(uint32_t width,
                                        uint32_t height,
                                        const uint8_t *cells,
                                        size_t length,
                                        const struct waypost_ground *grounds,
                                        size_t ground_count,
                                        struct waypost_map **out);

/*
 Makes a map from one factor a cell, row by row: how many times its length a step costs there, 0.1 to 100, rounded to two decimals, and
 up to 254 different ones; 0 is a wall. `length` is the number of factors. Free it with `waypost_map_free`. Any thread.

 Pointers:
 `factors` is valid for reads of `length` numbers, `out` for a write.
 */
waypost_status waypost_map_from_factors(uint32_t width,
                                        uint32_t height,
                                        const double *factors,
                                        size_t length,
                                        struct waypost_map **out);

/*
 Gives the same world as another type of unit sees it. Free it with `waypost_nav_free`, in any order. Any thread.

 Pointers:
 `nav` was not freed; `name` is a text; `out` is valid for a write.
 */
waypost_status waypost_nav_for_unit(const struct waypost_nav *nav,
                                    const char *name,
                                    struct waypost_nav **out);

/*
 Adds a type of unit, builds its index and gives the world as that type sees it. A name that a type of the world has is refused, and so is `unit`, that of
 the first type. Patches and paths of other threads do not wait for the build. Free it
 with `waypost_nav_free`. Any thread.

 Pointers:
 `nav` was not freed; `unit_type` and its name are valid; `out` is valid for a write.
 */
waypost_status waypost_nav_add_unit_type(const struct waypost_nav *nav,
                                         const struct waypost_unit_type *unit_type,
                                         struct waypost_nav **out);

/*
 Gives the number of unit types. Any thread.

 Pointers:
 `nav` was not freed; `count` is valid for a write.
 */
waypost_status waypost_nav_unit_type_count(const struct waypost_nav *nav, size_t *count);

/*
 Gives the place of the handle's own unit type among them, for `waypost_nav_unit_type`. Any thread.

 Pointers:
 `nav` was not freed; `index` is valid for a write.
 */
waypost_status waypost_nav_own_unit_type(const struct waypost_nav *nav, size_t *index);

/*
 Gives the name of a unit type, with a zero at its end, and its cells on a side. `size` is the number of bytes with that zero; `size` and
 `cells` may be NULL. Any thread.

 Pointers:
 `nav` was not freed; `name` is valid for writes of `capacity` bytes, or NULL; `size` and `cells` are NULL or valid for a write.
 */
waypost_status waypost_nav_unit_type(const struct waypost_nav *nav,
                                     size_t index,
                                     char *name,
                                     size_t capacity,
                                     size_t *size,
                                     uint32_t *cells);

/*
 Gives what a unit type makes of the classes of ground that it names, in the order of their names: a factor each, 0 for a wall, and the
 names, each with a zero at its end, one after the other. `count` is how many classes there are and `size` the number of bytes of the names; both
 may be NULL. WAYPOST_TOO_SMALL where factors or names do not fit. Any thread.

 Pointers:
 `nav` was not freed; `factors` is valid for writes of `capacity` numbers, or NULL; `names` is valid for writes of `name_capacity`
 bytes, or NULL; `count` and `size` are NULL or valid for a write.
 */
waypost_status waypost_nav_unit_type_grounds(const struct waypost_nav *nav,
                                             size_t index,
                                             double *factors,
                                             size_t capacity,
                                             size_t *count,
                                             char *names,
                                             size_t name_capacity,
                                             size_t *size);

/*
 Builds the world of a map, on all cores unless told otherwise: chooses the index that suits the map. The map is copied. `options` may be NULL. Free it with
 `waypost_nav_free`. Any thread; the map is used for a moment only.

 Pointers:
 `map` is a map that was not freed; `options` is NULL or valid with all that it points to; `out` is valid for a write.
 */
waypost_status waypost_nav_build(const struct waypost_map *map,
                                 const struct waypost_build_options *options,
                                 struct waypost_nav **out);

/*
 Opens what `waypost_nav_save` wrote, for the same map, doors and rules; WAYPOST_BAD_FILE for others. The bytes are used where
 they lie if that is a multiple of 8 (a memory map of the file will do) and must not change until `release` is called: once,
 also where opening fails. With `release` NULL they must stay until every handle of the world is freed. Free it with `waypost_nav_free`.
 Any thread; the map is used for a moment only.

 Pointers:
 `map` is a map that was not freed; `bytes` is valid for reads of `length` bytes until released; `out` is valid for a write.
 */
waypost_status waypost_nav_open(const struct waypost_map *map,
                                const uint8_t *bytes,
                                size_t length,
                                waypost_release release,
                                void *user,
                                struct waypost_nav **out);

/*
 As `waypost_nav_open` with the options of a build, which may be NULL: an index beyond the limits is WAYPOST_BUILD_FAILED, and types of units that the file does not
 have are built. Limits and threads hold for what is built for this world later, too. Any thread; the map is used for a moment only.

 Pointers:
 As there; `options` is NULL or valid with all that it points to.
 */
waypost_status waypost_nav_open_with(const struct waypost_map *map,
                                     const uint8_t *bytes,
                                     size_t length,
                                     waypost_release release,
                                     void *user,
                                     const struct waypost_build_options *options,
                                     struct waypost_nav **out);

/*
 Writes the file to ship with the map that the indexes are of: the map as it was built or, when every index is WAYPOST_INDEX_CURRENT again after a rebuild, as it
 is now. Goes into `out` and its length into `size`, which may be NULL. WAYPOST_TOO_SMALL where
 `capacity` is less, with nothing but `size` written: ask with a capacity of 0. Any thread.

 Pointers:
 `nav` was not freed; `out` is valid for writes of `capacity` bytes, or NULL with 0; `size` is NULL or valid for a write.
 */
waypost_status waypost_nav_save(const struct waypost_nav *nav,
                                uint8_t *out,
                                size_t capacity,
                                size_t *size);

/*
 Makes another world, equal to this one until either changes: what-if questions, another floor of the same plan. Free it with
 `waypost_nav_free`. Any thread.

 Pointers:
 `nav` was not freed; `out` is valid for a write.
 */
waypost_status waypost_nav_fork(const struct waypost_nav *nav,
                                struct waypost_nav **out);

/*
 Frees a handle of a world; the world ends with its last handle or crowd. NULL is ignored.

 Pointers:
 `nav` was not freed, or is NULL, and no other thread uses it.
 */
void waypost_nav_free(struct waypost_nav *nav);

/*
 Begins to add a type of unit without building anything yet: `waypost_nav_add_unit_type` in three parts, so that the build runs
 on a thread of the game's own, tells how far it is and can be stopped. Free it with `waypost_type_job_free`, added or not. Any thread.

 Pointers:
 `nav` was not freed; `unit_type` and all that it points to are valid; `out` is valid for a write.
 */
waypost_status waypost_nav_type_job(const struct waypost_nav *nav,
                                    const struct waypost_unit_type *unit_type,
                                    struct waypost_type_job **out);

/*
 Builds the index of a job, once; the world goes on meanwhile. `progress` may be NULL; what it stops is WAYPOST_CANCELLED. WAYPOST_BAD_UNIT_TYPE where
 the name is taken. One thread at a time.

 Pointers:
 `job` was not freed.
 */
waypost_status waypost_type_job_run(struct waypost_type_job *job,
                                    waypost_progress progress,
                                    void *user);

/*
 Adds what a job has built to the world that it was made from, with all changes since, and gives the world as that type sees it; once, also
 where it fails: WAYPOST_BAD_UNIT_TYPE where the name is taken by now, or the world is another one. Free that with `waypost_nav_free`. One thread
 at a time for the job, any for the world.

 Pointers:
 `job` and `nav` were not freed; `out` is valid for a write.
 */
waypost_status waypost_type_job_add(struct waypost_type_job *job,
                                    const struct waypost_nav *nav,
                                    struct waypost_nav **out);

/*
 Frees a job. NULL is ignored.

 Pointers:
 `job` was not freed, or is NULL, and no other thread uses it.
 */
void waypost_type_job_free(struct waypost_type_job *job);

/*
 Finds a shortest path: writes its points, start and goal included, into `points`, their number into `count` and its length (a straight
 step being 1; on terrain what it costs) into `length`; the last two may be NULL. WAYPOST_TOO_SMALL where there are more than `capacity`: those that
 fit are written, and `count` and `length` are right. WAYPOST_OUTSIDE, WAYPOST_WALL or WAYPOST_UNREACHABLE where there is none. Any thread.

 Pointers:
 `nav` was not freed; `points` is valid for writes of `capacity` points, or NULL; `count` and `length` are NULL or valid for a write.
 */
waypost_status waypost_nav_path(const struct waypost_nav *nav,
                                struct waypost_point from,
                                struct waypost_point goal,
                                struct waypost_point *points,
                                size_t capacity,
                                size_t *count,
                                double *length);

/*
 As `waypost_nav_path`, but writes only the points at which the path turns, start and goal included. Any thread.

 Pointers:
 As there.
 */
waypost_status waypost_nav_path_corners(const struct waypost_nav *nav,
                                        struct waypost_point from,
                                        struct waypost_point goal,
                                        struct waypost_point *points,
                                        size_t capacity,
                                        size_t *count,
                                        double *length);

/*
 Finds many shortest paths at once, on all cores; the world does not change meanwhile. The points of all paths are written
 one after the other; path i is points[offsets[i]] to points[offsets[i + 1] - 1], and has no points where there is none.
 `offsets` takes count + 1 numbers, `lengths` (may be NULL) takes count, infinite where there is no path. WAYPOST_TOO_SMALL where
 offsets[count] is more than `capacity`; `offsets` and `lengths` are right all the same. Any thread.

 Pointers:
 `nav` was not freed; the arrays are valid for as many elements as told.
 */
waypost_status waypost_nav_paths(const struct waypost_nav *nav,
                                 const struct waypost_query *queries,
                                 size_t count,
                                 struct waypost_point *points,
                                 size_t capacity,
                                 size_t *offsets,
                                 double *lengths);

/*
 Finds the goal that costs least to reach, the first of equals, and writes its number into `nearest`; the rest as `waypost_nav_path` for
 that goal. Goals that cannot be stood on are passed over; WAYPOST_UNREACHABLE where none can be reached. Any thread.

 Pointers:
 `nav` was not freed; `goals` is valid for reads of `goal_count` points; `nearest` is valid for a write; the rest as there.
 */
waypost_status waypost_nav_path_to_nearest(const struct waypost_nav *nav,
                                           struct waypost_point from,
                                           const struct waypost_point *goals,
                                           size_t goal_count,
                                           size_t *nearest,
                                           struct waypost_point *points,
                                           size_t capacity,
                                           size_t *count,
                                           double *length);

/*
 Gives what a shortest path costs in whole units, the same on every machine, for games that compare and add costs exactly: a straight
 step on plain ground is 985 and a diagonal one 1393 (5 and 7 with WAYPOST_COSTS_ONE_POINT_FOUR); where ground has factors, steps are scaled by one number
 for the whole map. Fails as `waypost_nav_path` does. Any thread.

 Pointers:
 `nav` was not freed; `cost` is valid for a write.
 */
waypost_status waypost_nav_cost(const struct waypost_nav *nav,
                                struct waypost_point from,
                                struct waypost_point goal,
                                uint64_t *cost);

/*
 As `waypost_nav_path`, but straightened where lines are free for the unit and cross one kind of ground: writes start, turns at any angle
 and goal. Never longer than the path. Any thread.

 Pointers:
 As there.
 */
waypost_status waypost_nav_smooth_path(const struct waypost_nav *nav,
                                       struct waypost_point from,
                                       struct waypost_point goal,
                                       struct waypost_point *points,
                                       size_t capacity,
                                       size_t *count,
                                       double *length);

/*
 Whether a straight line between two points touches no wall, for the whole of the unit: 1 or 0, also 0 where an end cannot be stood on
 and for a NULL handle. Any thread.

 Pointers:
 `nav` was not freed, or is NULL.
 */
int32_t waypost_nav_sees(const struct waypost_nav *nav,
                         struct waypost_point from,
                         struct waypost_point to);

/*
 Writes every cell whose cheapest path from a point costs at most `cost`, row by row, and their number into `count`, which may be NULL: where a
 unit can go this turn. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.

 Pointers:
 `nav` was not freed; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_nav_range(const struct waypost_nav *nav,
                                 struct waypost_point from,
                                 double cost,
                                 struct waypost_reached *out,
                                 size_t capacity,
                                 size_t *count);

/*
 Whether each of `pair_count` pairs of points would still have a way between them if these cells were blocked: 1 or 0 into `stays`. Nothing
 is changed: a game asks before it lets a wall be built. Takes about as long as a copy of the map. Any thread.

 Pointers:
 `nav` was not freed; the arrays are valid for reads of as many points as told; `stays` is valid for a write.
 */
waypost_status waypost_nav_stays_connected(const struct waypost_nav *nav,
                                           const struct waypost_point *block,
                                           size_t block_count,
                                           const struct waypost_point *from,
                                           const struct waypost_point *to,
                                           size_t pair_count,
                                           int32_t *stays);

/*
 Makes the field of some places: how far it is from everywhere to the nearest of them. `added` is NULL, or a length for each place, 0 or more: one that
 costs 5 more is gone to where it is nearer by more than 5. Places that cannot be stood on are left out. Visits every cell once. Free it with
 `waypost_field_free`. Any thread.

 Pointers:
 `nav` was not freed; `places` is valid for reads of `count` points; `added` is NULL or valid for reads of `count` numbers; `out` is valid for a write.
 */
waypost_status waypost_nav_field(const struct waypost_nav *nav,
                                 const struct waypost_point *places,
                                 const double *added,
                                 size_t count,
                                 struct waypost_field **out);

/*
 Makes the field of those who flee what this one leads to: the farther, the lower, so that they pass by a pursuer to get out of a dead end. Its
 values compare; they are no lengths. Free it with `waypost_field_free`. Any thread.

 Pointers:
 `field` was not freed; `out` is valid for a write.
 */
waypost_status waypost_field_fleeing(const struct waypost_field *field,
                                     struct waypost_field **out);

/*
 Gives the value of a cell: the length of a shortest path to the nearest place, on terrain what it costs. WAYPOST_UNREACHABLE where there is no way, on
 walls and outside. Any thread.

 Pointers:
 `field` was not freed; `value` is valid for a write.
 */
waypost_status waypost_field_value(const struct waypost_field *field,
                                   struct waypost_point at,
                                   double *value);

/*
 Gives the neighbouring cell to go to, and into `heading` (may be NULL) the direction of that step, 0 to 7 clockwise from up. Where there is no step, at a place, in
 a hiding place and where there is no way, that is the cell itself and -1. Any thread.

 Pointers:
 `field` was not freed; `next` is valid for a write; `heading` is NULL or valid for a write.
 */
waypost_status waypost_field_next(const struct waypost_field *field,
                                  struct waypost_point at,
                                  struct waypost_point *next,
                                  int32_t *heading);

/*
 Gives the cell where one is after so many steps: a goal to send a unit to. The cell itself where no step can be made. Any thread.

 Pointers:
 `field` was not freed; `out` is valid for a write.
 */
waypost_status waypost_field_walk(const struct waypost_field *field,
                                  struct waypost_point from,
                                  uint32_t steps,
                                  struct waypost_point *out);

/*
 Writes every cell whose value is at most this one, row by row, and their number into `count`, which may be NULL. WAYPOST_TOO_SMALL where there are
 more than `capacity`. Any thread.

 Pointers:
 `field` was not freed; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_field_within(const struct waypost_field *field,
                                    double value,
                                    struct waypost_reached *out,
                                    size_t capacity,
                                    size_t *count);

/*
 Whether the world is still as it was when the field was made, to units of its type: 1 or 0, also 0 for a NULL handle. Any thread.

 Pointers:
 `field` and `nav` were not freed, or are NULL.
 */
int32_t waypost_field_is_current(const struct waypost_field *field,
                                 const struct waypost_nav *nav);

/*
 Frees a field. NULL is ignored.

 Pointers:
 `field` was not freed, or is NULL, and no other thread uses it.
 */
void waypost_field_free(struct waypost_field *field);

/*
 Makes a queue for the handle's unit type. Requests whose ends are up to `short_steps` straight steps apart do not wait behind longer ones.
 Free it with `waypost_requests_free`. Any thread.

 Pointers:
 `nav` was not freed; `out` is valid for a write.
 */
waypost_status waypost_requests_new(const struct waypost_nav *nav,
                                    uint32_t short_steps,
                                    struct waypost_requests **out);

/*
 Asks for a path and gives a ticket, to be closed once. One thread at a time.

 Pointers:
 `requests` was not freed; `ticket` is valid for a write.
 */
waypost_status waypost_requests_ask(struct waypost_requests *requests,
                                    struct waypost_point from,
                                    struct waypost_point goal,
                                    waypost_ticket *ticket);

/*
 Spends at most so many expansions of cells on all requests; `spent` (may be NULL) is how many it was. One thread at a time.

 Pointers:
 `requests` was not freed; `spent` is NULL or valid for a write.
 */
waypost_status waypost_requests_tick(struct waypost_requests *requests,
                                     uint64_t expansions,
                                     uint64_t *spent);

/*
 Gives how a request stands and writes its path, start and goal included, where it was found; `count` (may be NULL) is the number of its
 points. WAYPOST_TOO_SMALL where there are more than `capacity`. One thread at a time.

 Pointers:
 `requests` was not freed; `state` is valid for a write; `points` is valid for writes of `capacity` points, or NULL; `count` is NULL or
 valid for a write.
 */
waypost_status waypost_requests_state(const struct waypost_requests *requests,
                                      waypost_ticket ticket,
                                      waypost_request_state *state,
                                      struct waypost_point *points,
                                      size_t capacity,
                                      size_t *count);

/*
 Gives a ticket back, answered or not: a request that nobody holds any more is given up. WAYPOST_BAD_VALUE where it is not of this
 queue or was closed. One thread at a time.

 Pointers:
 `requests` was not freed.
 */
waypost_status waypost_requests_close(struct waypost_requests *requests,
                                      waypost_ticket ticket);

/*
 Gives the number of requests without an answer. One thread at a time.

 Pointers:
 `requests` was not freed; `count` is valid for a write.
 */
waypost_status waypost_requests_pending(const struct waypost_requests *requests, size_t *count);

/*
 Frees a queue and its requests. NULL is ignored.

 Pointers:
 `requests` was not freed, or is NULL, and no other thread uses it.
 */
void waypost_requests_free(struct waypost_requests *requests);

/*
 Gives the number of columns and rows; either may be NULL. Any thread.

 Pointers:
 `nav` was not freed; `width` and `height` are NULL or valid for a write.
 */
waypost_status waypost_nav_size(const struct waypost_nav *nav, uint32_t *width, uint32_t *height);

/*
 Gives the map of a world as it is now for the handle's unit type, walls and doors after all changes. Free it with `waypost_map_free`. Any
 thread.

 Pointers:
 `nav` was not freed; `out` is valid for a write.
 */
waypost_status waypost_nav_map(const struct waypost_nav *nav,
                               struct waypost_map **out);

/*
 Whether a unit may stand there: 1 or 0, also 0 outside the map and for a NULL handle. Any thread.

 Pointers:
 `nav` was not freed, or is NULL.
 */
int32_t waypost_nav_is_free(const struct waypost_nav *nav, struct waypost_point point);

/*
 Writes all doors of the world, in the order of rows, and their number into `count`. WAYPOST_TOO_SMALL where there are more than `capacity`.
 Any thread.

 Pointers:
 `nav` was not freed; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_nav_doors(const struct waypost_nav *nav,
                                 struct waypost_door *out,
                                 size_t capacity,
                                 size_t *count);

/*
 Gives the length of a shortest path, a straight step being 1. Fails as `waypost_nav_path` does. Any thread.

 Pointers:
 `nav` was not freed; `length` is valid for a write.
 */
waypost_status waypost_nav_distance(const struct waypost_nav *nav,
                                    struct waypost_point from,
                                    struct waypost_point goal,
                                    double *length);

/*
 Gives the cell nearest to a goal that can be reached from a point: the goal itself where it can be. The goal may be a wall or
 outside the map. WAYPOST_UNREACHABLE where the point cannot be stood on. Any thread.

 Pointers:
 `nav` was not freed; `out` is valid for a write.
 */
waypost_status waypost_nav_nearest_reachable(const struct waypost_nav *nav,
                                             struct waypost_point from,
                                             struct waypost_point goal,
                                             struct waypost_point *out);

/*
 Gives the cell nearest to a point that can be stood on, whatever can be reached from it. WAYPOST_UNREACHABLE where no cell is
 free. Any thread.

 Pointers:
 `nav` was not freed; `out` is valid for a write.
 */
waypost_status waypost_nav_nearest_free(const struct waypost_nav *nav,
                                        struct waypost_point point,
                                        struct waypost_point *out);

/*
 Changes the world for all unit types: rectangles in order, the last word on a cell counts; what lies outside the map is ignored.
 `changed` (may be NULL) is the number of cells that changed. Paths see it at once, crowds at their next tick. Any thread; waits for
 paths that are being found.

 Pointers:
 `nav` was not freed; `edits` is valid for reads of `count` edits; `changed` is NULL or valid for a write.
 */
waypost_status waypost_nav_patch(const struct waypost_nav *nav,
                                 const struct waypost_edit *edits,
                                 size_t count,
                                 size_t *changed);

/*
 Makes a part of the world, from its top left cell on, as one byte a cell says, row by row: not 0 is free. `changed` (may be NULL) is the
 number of cells that changed. For all unit types, as `waypost_nav_patch`: a level that was loaded again. Any thread; waits for paths that are
 being found.

 Pointers:
 `nav` was not freed; `cells` is valid for reads of `length` bytes; `changed` is NULL or valid for a write.
 */
waypost_status waypost_nav_patch_cells(const struct waypost_nav *nav,
                                       uint32_t width,
                                       uint32_t height,
                                       const uint8_t *cells,
                                       size_t length,
                                       size_t *changed);

/*
 Opens and closes doors; no index becomes stale by that. Fails at the first point that is no door, and changes nothing then. `changed` (may
 be NULL) is the number of cells that changed. Any thread; waits for paths that are being found.

 Pointers:
 `nav` was not freed; the arrays are valid for reads of as many points as told; `changed` is NULL or valid for a write.
 */
waypost_status waypost_nav_set_doors(const struct waypost_nav *nav,
                                     const struct waypost_point *open,
                                     size_t open_count,
                                     const struct waypost_point *close,
                                     size_t close_count,
                                     size_t *changed);

/*
 Writes how the indexes of all unit types stand and their number into `count`, which may be NULL. WAYPOST_TOO_SMALL where there are more
 than `capacity`. Any thread.

 Pointers:
 `nav` was not freed; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_nav_index_states(const struct waypost_nav *nav,
                                        struct waypost_index_info *out,
                                        size_t capacity,
                                        size_t *count);

/*
 Carries repairs and rebuilds of indexes on for about this many operations for each unit type; `published` (may be NULL) is the number of
 indexes that serve from now on. Ticks of crowds do this by themselves; a world without crowds does it here. Any thread; a job that is due
 is waited for.

 Pointers:
 `nav` was not freed; `published` is NULL or valid for a write.
 */
waypost_status waypost_nav_advance(const struct waypost_nav *nav,
                                   uint64_t operations,
                                   size_t *published);

/*
 Whether a tick in lockstep with so many operations of upkeep would wait for an index that is due and not there yet: 1 or 0, also 0 for a
 NULL handle. A game that must not stand still asks before, and ticks later. Any thread.

 Pointers:
 `nav` was not freed, or is NULL.
 */
int32_t waypost_nav_would_wait(const struct waypost_nav *nav,
                               uint64_t operations);

/*
 Builds again what is stale, on this thread: call it from a thread of the game's own while the game goes on. `ran` (may be NULL)
 is the number of indexes that were built; they are published by `waypost_nav_advance` or by ticks, in lockstep with them. `progress`
 may be NULL; what it stops, the world builds itself when it is due. Any thread, also several at the same time; `progress` must not
 advance or tick this world, which may wait for the build.

 Pointers:
 `nav` was not freed; `ran` is NULL or valid for a write.
 */
waypost_status waypost_nav_rebuild(const struct waypost_nav *nav,
                                   waypost_progress progress,
                                   void *user,
                                   size_t *ran);

/*
 Gives what an index of the handle's unit type knows: of the one that was chosen where `kind` is 0, else of that kind (one of
 `waypost_index_kind`), which is built where the world has none of it; WAYPOST_BUILD_FAILED where it cannot be. Free it with
 `waypost_inspection_free`; it may outlive `nav`. Any thread.

 Pointers:
 `nav` was not freed; `out` is valid for a write.
 */
waypost_status waypost_nav_inspect(const struct waypost_nav *nav,
                                   uint32_t kind,
                                   struct waypost_inspection **out);

/*
 Gives the kind of index and the bytes that it takes beyond the map; either may be NULL. Any thread.

 Pointers:
 `inspection` was not freed; `kind` and `memory_bytes` are NULL or valid for a write.
 */
waypost_status waypost_inspection_kind(const struct waypost_inspection *inspection,
                                       waypost_index_kind *kind,
                                       uint64_t *memory_bytes);

/*
 Says why the index was chosen, in one line of UTF-8 with a zero at its end, which is all there is of one that was asked for by its kind.
 `size`, which may be NULL, is the number of bytes with that zero. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.

 Pointers:
 `inspection` was not freed; `out` is valid for writes of `capacity` bytes, or NULL; `size` is NULL or valid for a write.
 */
waypost_status waypost_inspection_reason(const struct waypost_inspection *inspection,
                                         char *out,
                                         size_t capacity,
                                         size_t *size);

/*
 Writes facts for people, texts of UTF-8 with a zero at the end of each: a name, its value, the next name, and so on. `count` is the
 number of facts, `size` that of bytes; both may be NULL. WAYPOST_TOO_SMALL where there are more than `capacity` bytes. Any thread.

 Pointers:
 `inspection` was not freed; `out` is valid for writes of `capacity` bytes, or NULL; `count` and `size` are NULL or valid for a write.
 */
waypost_status waypost_inspection_facts(const struct waypost_inspection *inspection,
                                        size_t *count,
                                        char *out,
                                        size_t capacity,
                                        size_t *size);

/*
 Writes the corners that paths bend at and their number into `count`, which may be NULL; none where the index is not one of labels.
 WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.

 Pointers:
 `inspection` was not freed; `out` is valid for writes of `capacity` elements, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_inspection_corners(const struct waypost_inspection *inspection,
                                          struct waypost_corner *out,
                                          size_t capacity,
                                          size_t *count);

/*
 Writes the hubs in the label of a corner, by its place in the corners, and their number into `count`, which may be NULL; none where there
 is no such corner. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.

 Pointers:
 As `waypost_inspection_corners`.
 */
waypost_status waypost_inspection_hubs(const struct waypost_inspection *inspection,
                                       size_t corner,
                                       struct waypost_point *out,
                                       size_t capacity,
                                       size_t *count);

/*
 Writes the corners that a point sees, by their places in the corners, and their number into `count`, which may be NULL: those at which a path
 from there may turn first. None where the index is not one of labels or the point is a wall. WAYPOST_TOO_SMALL where there are more than
 `capacity`. Any thread.

 Pointers:
 As `waypost_inspection_corners`.
 */
waypost_status waypost_inspection_corners_seen(const struct waypost_inspection *inspection,
                                               struct waypost_point from,
                                               uint32_t *out,
                                               size_t capacity,
                                               size_t *count);

/*
 Writes the chain of regions that leads from a point to another, by the cells that stand for them, and their number into `count`, which may be
 NULL; none where the index is not one of sectors or there is no way. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.

 Pointers:
 As `waypost_inspection_corners`.
 */
waypost_status waypost_inspection_chain(const struct waypost_inspection *inspection,
                                        struct waypost_point from,
                                        struct waypost_point goal,
                                        struct waypost_point *out,
                                        size_t capacity,
                                        size_t *count);

/*
 Gives the side of a sector in cells (0 where the index is not one of sectors) and writes the regions and their number into `count`,
 which may be NULL. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.

 Pointers:
 As `waypost_inspection_corners`; `side` is valid for a write.
 */
waypost_status waypost_inspection_sectors(const struct waypost_inspection *inspection,
                                          uint32_t *side,
                                          struct waypost_region *out,
                                          size_t capacity,
                                          size_t *count);

/*
 Gives the number of records; 0 where the index is not one of subgoals. Any thread.

 Pointers:
 `inspection` was not freed; `count` is valid for a write.
 */
waypost_status waypost_inspection_record_count(const struct waypost_inspection *inspection,
                                               size_t *count);

/*
 The record that kNN LRTA* chooses on the map of `nav`, for `waypost_inspection_record`; WAYPOST_NO_RECORD where it goes without one or the index
 is not one of subgoals for this map. Any thread.

 Pointers:
 `inspection` and `nav` were not freed; `record` is valid for a write.
 */
waypost_status waypost_inspection_chosen_record(const struct waypost_inspection *inspection,
                                                const struct waypost_nav *nav,
                                                struct waypost_point from,
                                                struct waypost_point goal,
                                                uint64_t *record);

/*
 Writes the start, the subgoals and the goal of a record and their number into `count`, which may be NULL; none where there is no such
 record. WAYPOST_TOO_SMALL where there are more than `capacity`. Any thread.

 Pointers:
 As `waypost_inspection_corners`.
 */
waypost_status waypost_inspection_record(const struct waypost_inspection *inspection,
                                         size_t record,
                                         struct waypost_point *out,
                                         size_t capacity,
                                         size_t *count);

/*
 Writes the number of the group that each cell belongs to at a level of the clique abstraction (from 1), row by row, WAYPOST_NO_GROUP for walls
 and cells without a move, and the number of cells into `count`, which may be NULL; none where the index is another one. `levels`, which may be NULL, is
 the number of levels. WAYPOST_TOO_SMALL where there are more cells than `capacity`. Any thread.

 Pointers:
 As `waypost_inspection_corners`; `levels` is NULL or valid for a write.
 */
waypost_status waypost_inspection_groups(const struct waypost_inspection *inspection,
                                         uint32_t level,
                                         uint32_t *levels,
                                         uint32_t *out,
                                         size_t capacity,
                                         size_t *count);

/*
 Writes the first step of a shortest path to a goal from every cell that has one, row by row, and their number into `count`, which may be
 NULL; none where the index is not a path database or the goal is no free cell. WAYPOST_TOO_SMALL where there are more than `capacity`. Any
 thread.

 Pointers:
 As `waypost_inspection_corners`.
 */
waypost_status waypost_inspection_first_moves(const struct waypost_inspection *inspection,
                                              struct waypost_point goal,
                                              struct waypost_first_move *out,
                                              size_t capacity,
                                              size_t *count);

/*
 Frees an inspection. NULL is ignored.

 Pointers:
 `inspection` was not freed, or is NULL, and no other thread uses it.
 */
void waypost_inspection_free(struct waypost_inspection *inspection);

/*
 Makes a crowd without units, of the handle's unit type; others can be spawned in it too. `options` may be NULL. Free it with `waypost_crowd_free`. Any thread.

 Pointers:
 `nav` was not freed; `options` is NULL or valid with all that it points to; `out` is valid for a write.
 */
waypost_status waypost_crowd_new(const struct waypost_nav *nav,
                                 const struct waypost_crowd_options *options,
                                 struct waypost_crowd **out);

/*
 Puts a unit of any type of the world on the map and gives its id. Units of different types take no room from each other:
 WAYPOST_BAD_UNIT_TYPE in an exclusive crowd. One thread at a time.

 Pointers:
 `crowd` was not freed; `unit_type` is a text; `unit` is valid for a write.
 */
waypost_status waypost_crowd_spawn_type(struct waypost_crowd *crowd,
                                        const char *unit_type,
                                        struct waypost_point at,
                                        waypost_unit_id *unit);

/*
 Gives the world as a unit's type sees it, or as the crowd's own type where `unit` is 0. Free it with `waypost_nav_free`. One thread at a time.

 Pointers:
 `crowd` was not freed; `out` is valid for a write.
 */
waypost_status waypost_crowd_nav(const struct waypost_crowd *crowd,
                                 waypost_unit_id unit,
                                 struct waypost_nav **out);

/*
 Puts a unit of the crowd's own type on the map and gives its id. One thread at a time.

 Pointers:
 `crowd` was not freed; `unit` is valid for a write.
 */
waypost_status waypost_crowd_spawn(struct waypost_crowd *crowd,
                                   struct waypost_point at,
                                   waypost_unit_id *unit);

/*
 Takes a unit off the map. One thread at a time.

 Pointers:
 `crowd` was not freed.
 */
waypost_status waypost_crowd_despawn(struct waypost_crowd *crowd, waypost_unit_id unit);

/*
 Sends a unit to a goal, whatever it was doing. A goal that cannot be reached is taken too: an event tells so. One thread at a time.

 Pointers:
 `crowd` was not freed; `goal` is valid.
 */
waypost_status waypost_crowd_send(struct waypost_crowd *crowd,
                                  waypost_unit_id unit,
                                  const struct waypost_goal *goal);

/*
 Sends units of one type to one place, each to a cell of its own around it; `formation` is one of `waypost_formation`. A place that is a wall stands
 for the cell nearest to it that the first unit can reach. Who has no way to the place goes as near as it can, and is written into `cannot`;
 `cannot_count` is the number of those. Both may be NULL. One thread at a time.

 Pointers:
 `crowd` was not freed; `units` is valid for reads of `count` ids; `cannot` is NULL or valid for writes of `count` ids; `cannot_count` is NULL or
 valid for a write.
 */
waypost_status waypost_crowd_send_group(struct waypost_crowd *crowd,
                                        const waypost_unit_id *units,
                                        size_t count,
                                        struct waypost_point place,
                                        uint32_t formation,
                                        waypost_unit_id *cannot,
                                        size_t *cannot_count);

/*
 Sets how many ticks a move of a unit takes: 1, as at first, to 16. One thread at a time.

 Pointers:
 `crowd` was not freed.
 */
waypost_status waypost_crowd_set_pace(struct waypost_crowd *crowd,
                                      waypost_unit_id unit,
                                      uint32_t ticks);

/*
 Sets what a tick may spend from now on: weighted operations (about nanoseconds) of plans, and operations of repairs and rebuilds, for each
 type of unit. One thread at a time.

 Pointers:
 `crowd` was not freed.
 */
waypost_status waypost_crowd_set_budget(struct waypost_crowd *crowd,
                                        uint64_t plan_operations,
                                        uint64_t repair_operations);

/*
 The most weighted operations (about nanoseconds) that the move of one unit takes on the map as it is, its plan included; 0 where the method
 has no bound, or nobody is there. One thread at a time.

 Pointers:
 `crowd` was not freed; `operations` is valid for a write.
 */
waypost_status waypost_crowd_unit_bound(const struct waypost_crowd *crowd,
                                        uint64_t *operations);

/*
 Lets a unit hold its ground (`holds` not 0) or go on: one that holds it keeps its goal, does not move, and gives way to nobody. One
 thread at a time.

 Pointers:
 `crowd` was not freed.
 */
waypost_status waypost_crowd_hold(struct waypost_crowd *crowd,
                                  waypost_unit_id unit,
                                  int32_t holds);

/*
 Withdraws a unit's goal: it stands still. One thread at a time.

 Pointers:
 `crowd` was not freed.
 */
waypost_status waypost_crowd_stop(struct waypost_crowd *crowd, waypost_unit_id unit);

/*
 Moves every unit that has a goal by one step, and writes where all units are, in the order of `waypost_crowd_units`. `positions` and
 `report` may be NULL. WAYPOST_TOO_SMALL where there are more units than `capacity` and `positions` is not NULL: nobody has
 moved then. One thread at a time.

 Pointers:
 `crowd` was not freed; `positions` is valid for writes of `capacity` points, or NULL; `report` is NULL or valid for a write.
 */
waypost_status waypost_crowd_tick(struct waypost_crowd *crowd,
                                  struct waypost_point *positions,
                                  size_t capacity,
                                  struct waypost_tick *report);

/*
 Frees a crowd and its units; the world stays for its other handles. NULL is ignored.

 Pointers:
 `crowd` was not freed, or is NULL, and no other thread uses it.
 */
void waypost_crowd_free(struct waypost_crowd *crowd);

/*
 Writes what happened in the last tick, units in the order of `waypost_crowd_units`, and the number of events into `count`, which may be NULL.
 WAYPOST_TOO_SMALL where there are more than `capacity`. One thread at a time.

 Pointers:
 `crowd` was not freed; `out` is valid for writes of `capacity` events, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_crowd_events(const struct waypost_crowd *crowd,
                                    struct waypost_event *out,
                                    size_t capacity,
                                    size_t *count);

/*
 Writes all units, in the order of the low 32 bits of their ids, and their number into `count`, which may be NULL. WAYPOST_TOO_SMALL where there are more
 than `capacity`. One thread at a time.

 Pointers:
 `crowd` was not freed; `out` is valid for writes of `capacity` units, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_crowd_units(const struct waypost_crowd *crowd,
                                   struct waypost_unit *out,
                                   size_t capacity,
                                   size_t *count);

/*
 Writes two numbers a unit, in the order of `waypost_crowd_units`: where it is in the game's coordinates, `part` of the way from the last tick to this one.
 `count` (may be NULL) is the number of units; `capacity` counts units too. One thread at a time.

 Pointers:
 `crowd` was not freed; `out` is valid for writes of 2 * `capacity` numbers, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_crowd_positions_between(const struct waypost_crowd *crowd,
                                               float part,
                                               float *out,
                                               size_t capacity,
                                               size_t *count);

/*
 Gives one unit. One thread at a time.

 Pointers:
 `crowd` was not freed; `out` is valid for a write.
 */
waypost_status waypost_crowd_unit(const struct waypost_crowd *crowd,
                                  waypost_unit_id unit,
                                  struct waypost_unit *out);

/*
 Writes the other units that share a cell with one, or are at most `cells` columns and rows away from it, as `waypost_crowd_units` does. Looks at every
 unit. One thread at a time.

 Pointers:
 `crowd` was not freed; `out` is valid for writes of `capacity` units, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_crowd_units_near(const struct waypost_crowd *crowd,
                                        waypost_unit_id unit,
                                        uint32_t cells,
                                        struct waypost_unit *out,
                                        size_t capacity,
                                        size_t *count);

/*
 Writes the cells that a unit is going to walk, as far as its plan reaches, its own first, and their number into `count`, which may be NULL.
 WAYPOST_TOO_SMALL where there are more than `capacity`. One thread at a time.

 Pointers:
 `crowd` was not freed; `out` is valid for writes of `capacity` points, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_crowd_path_ahead(const struct waypost_crowd *crowd,
                                        waypost_unit_id unit,
                                        struct waypost_point *out,
                                        size_t capacity,
                                        size_t *count);

/*
 Gives the number of units that wait for a plan: where it grows from tick to tick, the crowd's budget is too small. One thread at a time.

 Pointers:
 `crowd` was not freed; `waiting` is valid for a write.
 */
waypost_status waypost_crowd_planning(const struct waypost_crowd *crowd,
                                      size_t *waiting);

/*
 Gives the number of units, and whether every one that was sent somewhere has arrived (1 or 0); either may be NULL. One thread at a time.

 Pointers:
 `crowd` was not freed; `units` and `all_arrived` are NULL or valid for a write.
 */
waypost_status waypost_crowd_count(const struct waypost_crowd *crowd,
                                   size_t *units,
                                   int32_t *all_arrived);

/*
 Writes what a crowd and its world are at this moment (units, goals, plans, changes of the map, repairs under way; not the indexes) into `out` and the
 number of bytes into `size`, which may be NULL. WAYPOST_TOO_SMALL where `capacity` is less: ask with a capacity of 0. One thread at a time.

 Pointers:
 `crowd` was not freed; `out` is valid for writes of `capacity` bytes, or NULL; `size` is NULL or valid for a write.
 */
waypost_status waypost_crowd_snapshot(const struct waypost_crowd *crowd,
                                      uint8_t *out,
                                      size_t capacity,
                                      size_t *size);

/*
 Goes back to a snapshot of this crowd, or on from one of another process with the same map, indexes and options: what happens next is what
 happened then. WAYPOST_BAD_FILE for bytes that are damaged or of another crowd, which changes nothing. Other crowds of the world have to be restored
 too. One thread at a time.

 Pointers:
 `crowd` was not freed; `bytes` is valid for reads of `length` bytes.
 */
waypost_status waypost_crowd_restore(struct waypost_crowd *crowd,
                                     const uint8_t *bytes,
                                     size_t length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WAYPOST_H */
