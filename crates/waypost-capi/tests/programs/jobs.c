/* Types that are built beside the game, what a map says of itself, costs in whole units, and levels that are loaded again. */
#include "check.h"

enum { WIDTH = 24, HEIGHT = 16, WALL = 12 };

typedef struct {
    int calls, stops_at;
} patience;

static int32_t tell(void *user, const char *stage, uint64_t done, uint64_t total) {
    patience *told = user;
    CHECK(stage && stage[0] && done <= total);
    return ++told->calls == told->stops_at;
}

/* A wall from top to bottom with a gap of two cells; the ground left of it costs twice its length. */
static waypost_map *level(void) {
    double factors[WIDTH * HEIGHT], back[WIDTH * HEIGHT];
    waypost_map *map = NULL;
    waypost_point gap[2] = {{WALL, 7}, {WALL, 8}};
    waypost_door doors[2];
    size_t count = 0;
    uint32_t corners = 9, costs = 9;
    for (int at = 0; at < WIDTH * HEIGHT; ++at) {
        int x = at % WIDTH, y = at / WIDTH;
        factors[at] = x == WALL ? y == 7 || y == 8 : x < WALL ? 2 : 1;
    }
    DO(waypost_map_from_factors(WIDTH, HEIGHT, factors, WIDTH * HEIGHT, &map));
    CHECK(waypost_map_factors(map, back, 5, &count) == WAYPOST_TOO_SMALL && count == WIDTH * HEIGHT && back[4] == 2);
    DO(waypost_map_factors(map, back, WIDTH * HEIGHT, NULL));
    CHECK(memcmp(factors, back, sizeof factors) == 0);
    CHECK(waypost_map_factors(NULL, back, 5, &count) == WAYPOST_NULL);
    DO(waypost_map_doors(map, NULL, 0, &count));
    CHECK(count == 0);
    DO(waypost_map_set_doors(map, gap, 2));
    DO(waypost_map_doors(map, doors, 2, &count));
    CHECK(count == 2 && is_at(doors[1].at, WALL, 8) && doors[1].is_open == 1);
    DO(waypost_map_set_rules(map, WAYPOST_CORNERS_ONE, WAYPOST_COSTS_ONE_POINT_FOUR));
    DO(waypost_map_rules(map, &corners, &costs));
    CHECK(corners == WAYPOST_CORNERS_ONE && costs == WAYPOST_COSTS_ONE_POINT_FOUR);
    DO(waypost_map_rules(map, NULL, NULL));
    return map;
}

static void jobs(const waypost_nav *nav) {
    waypost_nav *tank = NULL, *other = NULL;
    waypost_type_job *job = NULL;
    waypost_unit_type type;
    waypost_edit wall = {{WALL, 8}, 1, 1, 0}, gap = {{WALL, 8}, 1, 1, 1};
    patience told = {0, -1};
    size_t place = 9;
    double length = 0;
    memset(&type, 0, sizeof type);
    type.size = sizeof type;
    type.name = "tank";
    type.cells = 2;
    DO(waypost_nav_type_job(nav, &type, &job));
    CHECK(waypost_type_job_add(job, nav, &tank) == WAYPOST_BAD_VALUE && !tank);
    DO(waypost_type_job_run(job, tell, &told));
    CHECK(told.calls > 0);
    CHECK(waypost_type_job_run(job, NULL, NULL) == WAYPOST_BAD_VALUE && strstr(waypost_last_error(), "run before"));
    /* What changes since is taken over. */
    DO(waypost_nav_patch(nav, &wall, 1, NULL));
    DO(waypost_type_job_add(job, nav, &tank));
    CHECK(waypost_type_job_add(job, nav, &other) == WAYPOST_BAD_VALUE && !other);
    waypost_type_job_free(job);
    CHECK(waypost_nav_distance(tank, point(2, 2), point(20, 2), &length) == WAYPOST_UNREACHABLE);
    CHECK(strstr(waypost_last_error(), "waypost_nav_nearest_reachable"));
    DO(waypost_nav_patch(nav, &gap, 1, NULL));
    DO(waypost_nav_distance(tank, point(2, 2), point(20, 2), &length));
    DO(waypost_nav_own_unit_type(tank, &place));
    CHECK(place == 1);
    DO(waypost_nav_own_unit_type(nav, &place));
    CHECK(place == 0 && waypost_nav_own_unit_type(nav, NULL) == WAYPOST_NULL);
    /* A name that is taken, a build that is stopped, another world, a job that nobody runs. */
    DO(waypost_nav_type_job(nav, &type, &job));
    CHECK(waypost_type_job_run(job, NULL, NULL) == WAYPOST_BAD_UNIT_TYPE);
    waypost_type_job_free(job);
    type.name = "ogre";
    DO(waypost_nav_type_job(nav, &type, &job));
    DO(waypost_type_job_run(job, NULL, NULL));
    DO(waypost_nav_add_unit_type(nav, &type, &other));
    waypost_nav_free(other);
    CHECK(waypost_type_job_add(job, nav, &other) == WAYPOST_BAD_UNIT_TYPE && !other);
    waypost_type_job_free(job);
    type.name = "cart";
    told.calls = 0;
    told.stops_at = 1;
    DO(waypost_nav_type_job(nav, &type, &job));
    CHECK(waypost_type_job_run(job, tell, &told) == WAYPOST_CANCELLED && told.calls == 1);
    waypost_type_job_free(job);
    DO(waypost_nav_type_job(nav, &type, &job));
    DO(waypost_type_job_run(job, NULL, NULL));
    DO(waypost_nav_fork(nav, &other));
    waypost_nav *added = NULL;
    CHECK(waypost_type_job_add(job, other, &added) == WAYPOST_BAD_UNIT_TYPE && !added);
    waypost_type_job_free(job);
    DO(waypost_nav_type_job(other, &type, &job));
    waypost_nav_free(other);
    DO(waypost_type_job_run(job, NULL, NULL));
    waypost_type_job_free(job);
    waypost_type_job_free(NULL);
    waypost_nav_free(tank);
}

static void costs(const waypost_nav *nav) {
    uint64_t there = 0, back = 0, none = 7;
    double length = 0;
    DO(waypost_nav_cost(nav, point(14, 2), point(20, 2), &there));
    DO(waypost_nav_distance(nav, point(14, 2), point(20, 2), &length));
    CHECK(there > 0 && length == 6 && there % 6 == 0);
    DO(waypost_nav_cost(nav, point(2, 2), point(20, 2), &there));
    DO(waypost_nav_cost(nav, point(20, 2), point(2, 2), &back));
    CHECK(there == back);
    DO(waypost_nav_cost(nav, point(2, 2), point(2, 2), &none));
    CHECK(none == 0 && waypost_nav_cost(nav, point(2, 2), point(WALL, 2), &none) == WAYPOST_WALL);
}

static void loaded_again(const waypost_nav *nav) {
    uint8_t cells[WIDTH * HEIGHT];
    size_t changed = 0;
    memset(cells, 1, sizeof cells);
    CHECK(waypost_nav_patch_cells(nav, WIDTH, HEIGHT, cells, 10, &changed) == WAYPOST_BAD_MAP);
    DO(waypost_nav_patch_cells(nav, WIDTH, HEIGHT, cells, sizeof cells, &changed));
    CHECK(changed == HEIGHT - 2 && waypost_nav_is_free(nav, point(WALL, 0)));
    memset(cells, 0, sizeof cells);
    DO(waypost_nav_patch_cells(nav, 2, 3, cells, 6, &changed));
    CHECK(changed == 6 && !waypost_nav_is_free(nav, point(1, 2)) && waypost_nav_is_free(nav, point(2, 2)));
}

/* A world within few bytes, and what a tick and a unit tell. */
static void small_world(const waypost_map *map) {
    waypost_build_options options;
    waypost_nav *nav = NULL, *own = NULL;
    waypost_crowd *crowd = NULL;
    waypost_unit_id unit = 0;
    waypost_unit found;
    waypost_tick tick;
    waypost_goal goal;
    memset(&options, 0, sizeof options);
    memset(&goal, 0, sizeof goal);
    options.size = sizeof options;
    options.fit_bytes = 1000;
    goal.at = point(20, 9);
    DO(waypost_nav_build(map, &options, &nav));
    DO(waypost_crowd_new(nav, NULL, &crowd));
    waypost_nav_free(nav);
    DO(waypost_crowd_spawn(crowd, point(3, 3), &unit));
    DO(waypost_crowd_send(crowd, unit, &goal));
    DO(waypost_crowd_tick(crowd, NULL, 0, &tick));
    CHECK(tick.moves + tick.provisional > 0 && tick.operations > 0);
    DO(waypost_crowd_unit(crowd, unit, &found));
    CHECK(found.cells == 1);
    DO(waypost_crowd_nav(crowd, 0, &own));
    CHECK(waypost_nav_is_free(own, point(20, 9)));
    waypost_crowd_free(crowd);
    waypost_nav_free(own);
}

int main(void) {
    waypost_map *map = level();
    waypost_nav *nav = NULL;
    DO(waypost_nav_build(map, NULL, &nav));
    jobs(nav);
    costs(nav);
    loaded_again(nav);
    small_world(map);
    waypost_nav_free(nav);
    waypost_map_free(map);
    puts("everything answered");
    return 0;
}
