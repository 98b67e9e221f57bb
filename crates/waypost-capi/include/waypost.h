/* Waypost: pathfinding for game maps in which every unit gets its next move within a fixed amount of work.
 *
 * - Handles are opaque. Each is freed once by its own function; the order does not matter.
 * - Results are written into the caller's arrays. Where one is too small, WAYPOST_TOO_SMALL comes with the number that is needed.
 * - Functions return a waypost_status; waypost_last_error says in words what went wrong in this thread.
 * - Structs of options begin with their own size: fill them with zeros and set it.
 * - Each function says from which threads it may be called. There is no global state.
 *
 * Made from the source of waypost-capi; do not edit. */

#ifndef WAYPOST_H
#define WAYPOST_H

#include <stddef.h>
#include <stdint.h>

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
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum waypost_status waypost_status;
#else
typedef int32_t waypost_status;
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
 Many units in one world. One thread at a time (WAYPOST_BUSY otherwise), not always the same; it keeps its world alive.
 */
typedef struct waypost_crowd waypost_crowd;

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
 A type of unit.
 */
typedef struct waypost_unit_type {
  /*
   Its name, UTF-8, one line.
   */
  const char *name;
  /*
   Cells on a side, from 1. Its position is its top left cell.
   */
  uint32_t cells;
} waypost_unit_type;

/*
 Told how far a build is: the stage in words, the parts done and those in all. Not 0 stops the build. Called from threads of
 Waypost's own, never by two at once, and never after the call that it was given to has returned. `stage` is valid during
 the call.
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
   The most memory that an index may take (0: 16 bytes a free cell, at least 64 MB).
   */
  uint64_t max_bytes;
  /*
   The most seconds that building may take, by an estimate that is the same on every machine (0: 60).
   */
  double max_seconds;
  /*
   Types of units beside the one of one cell, which is called `unit`.
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
   Weighted operations (about nanoseconds) of a tick that may be spent on plans.
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
   The top left corner of the cell 0,0 in the game's coordinates.
   */
  float origin[2];
  /*
   The sides of a cell; the second is negative where y grows upwards (0: 1).
   */
  float cell[2];
} waypost_crowd_options;

/*
 Names a unit of a crowd; never names another one, also after the unit was removed.
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
 Makes a map from the bytes of a map file: MovingAI, and PNG or Tiled where the library was built with them. Free it with
 `waypost_map_free`. Any thread.

 Pointers:
 `bytes` is valid for reads of `length` bytes, `out` for a write.
 */
waypost_status waypost_map_from_file_bytes(const uint8_t *bytes,
                                           size_t length,
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
 Gives the number of columns and rows; either may be NULL. One thread at a time.

 Pointers:
 `map` is a map that was not freed, or NULL; `width` and `height` are NULL or valid for a write.
 */
waypost_status waypost_map_size(const struct waypost_map *map, uint32_t *width, uint32_t *height);

/*
 Frees a map; worlds built from it stay. NULL is ignored.

 Pointers:
 `map` is a map that was not freed, or NULL, and no other thread uses it.
 */
void waypost_map_free(struct waypost_map *map);

/*
 Builds the world of a map, on all cores: chooses the index that suits the map. The map is copied. `options` may be NULL. Free it with
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
 Writes the file to ship with the map into `out` and its length into `size`, which may be NULL. WAYPOST_TOO_SMALL where
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
 Gives the same world as another type of unit sees it. Free it with `waypost_nav_free`, in any order. Any thread.

 Pointers:
 `nav` was not freed; `name` is a text; `out` is valid for a write.
 */
waypost_status waypost_nav_for_unit(const struct waypost_nav *nav,
                                    const char *name,
                                    struct waypost_nav **out);

/*
 Adds a type of unit, builds its index and gives the world as that type sees it; a type of the same name is replaced. Free it
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
 Frees a handle of a world; the world ends with its last handle or crowd. NULL is ignored.

 Pointers:
 `nav` was not freed, or is NULL, and no other thread uses it.
 */
void waypost_nav_free(struct waypost_nav *nav);

/*
 Finds a shortest path: writes its points, start and goal included, into `points`, their number into `count` and its length (a straight
 step being 1) into `length`; the last two may be NULL. WAYPOST_TOO_SMALL where there are more than `capacity`: those that
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
 Gives the number of columns and rows; either may be NULL. Any thread.

 Pointers:
 `nav` was not freed; `width` and `height` are NULL or valid for a write.
 */
waypost_status waypost_nav_size(const struct waypost_nav *nav, uint32_t *width, uint32_t *height);

/*
 Whether a unit may stand there: 1 or 0, also 0 outside the map and for a NULL handle. Any thread.

 Pointers:
 `nav` was not freed, or is NULL.
 */
int32_t waypost_nav_is_free(const struct waypost_nav *nav, struct waypost_point point);

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
 Carries repairs and rebuilds of indexes on for about so many operations for each unit type; `published` (may be NULL) is the number of
 indexes that serve from now on. Ticks of crowds do this by themselves; a world without crowds does it here. Any thread; a job that is due
 is waited for.

 Pointers:
 `nav` was not freed; `published` is NULL or valid for a write.
 */
waypost_status waypost_nav_advance(const struct waypost_nav *nav,
                                   uint64_t operations,
                                   size_t *published);

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
 Makes a crowd without units, of the handle's unit type. `options` may be NULL. Free it with `waypost_crowd_free`. Any thread.

 Pointers:
 `nav` was not freed; `options` is NULL or valid with all that it points to; `out` is valid for a write.
 */
waypost_status waypost_crowd_new(const struct waypost_nav *nav,
                                 const struct waypost_crowd_options *options,
                                 struct waypost_crowd **out);

/*
 Puts a unit on the map and gives its id. One thread at a time.

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
 Withdraws a unit's goal: it stands still. One thread at a time.

 Pointers:
 `crowd` was not freed.
 */
waypost_status waypost_crowd_stop(struct waypost_crowd *crowd, waypost_unit_id unit);

/*
 Moves every unit that has a goal by one step, and writes where all units are, in the order of their ids. `positions` and
 `report` may be NULL. WAYPOST_TOO_SMALL where there are more units than `capacity` and `positions` is not NULL: the tick
 was done all the same. One thread at a time.

 Pointers:
 `crowd` was not freed; `positions` is valid for writes of `capacity` points, or NULL; `report` is NULL or valid for a write.
 */
waypost_status waypost_crowd_tick(struct waypost_crowd *crowd,
                                  struct waypost_point *positions,
                                  size_t capacity,
                                  struct waypost_tick *report);

/*
 Writes what happened in the last tick, units in the order of their ids, and the number of events into `count`, which may be NULL.
 WAYPOST_TOO_SMALL where there are more than `capacity`. One thread at a time.

 Pointers:
 `crowd` was not freed; `out` is valid for writes of `capacity` events, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_crowd_events(const struct waypost_crowd *crowd,
                                    struct waypost_event *out,
                                    size_t capacity,
                                    size_t *count);

/*
 Writes all units, in the order of their ids, and their number into `count`, which may be NULL. WAYPOST_TOO_SMALL where there are more
 than `capacity`. One thread at a time.

 Pointers:
 `crowd` was not freed; `out` is valid for writes of `capacity` units, or NULL; `count` is NULL or valid for a write.
 */
waypost_status waypost_crowd_units(const struct waypost_crowd *crowd,
                                   struct waypost_unit *out,
                                   size_t capacity,
                                   size_t *count);

/*
 Writes two numbers a unit, in the order of ids: where it is in the game's coordinates, `part` of the way from the last tick to this one.
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
 Gives the number of units, and whether every one that was sent somewhere has arrived (1 or 0); either may be NULL. One thread at a time.

 Pointers:
 `crowd` was not freed; `units` and `all_arrived` are NULL or valid for a write.
 */
waypost_status waypost_crowd_count(const struct waypost_crowd *crowd,
                                   size_t *units,
                                   int32_t *all_arrived);

/*
 Frees a crowd and its units; the world stays for its other handles. NULL is ignored.

 Pointers:
 `crowd` was not freed, or is NULL, and no other thread uses it.
 */
void waypost_crowd_free(struct waypost_crowd *crowd);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WAYPOST_H */
