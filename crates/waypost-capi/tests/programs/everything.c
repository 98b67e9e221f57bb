/* Every function of the library, with what it should answer. */
#include "check.h"

enum { WIDTH = 40, HEIGHT = 30, WALL = 20, DOOR = 7 };

static int32_t tell(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)stage;
    (void)done;
    (void)total;
    return --*(int *)user < 0;
}

/* A wall from top to bottom with one door in it. */
static waypost_map *walled(void) {
    uint8_t cells[WIDTH * HEIGHT], back[WIDTH * HEIGHT];
    waypost_map *map = NULL;
    waypost_point door = point(WALL, DOOR), outside = point(WALL, HEIGHT);
    uint32_t width = 0, height = 0;
    size_t count = 0;
    for (int at = 0; at < WIDTH * HEIGHT; ++at) cells[at] = at % WIDTH != WALL || at / WIDTH == DOOR;
    CHECK(waypost_map_from_cells(WIDTH, HEIGHT, cells, 10, &map) == WAYPOST_BAD_MAP && map == NULL);
    DO(waypost_map_from_cells(WIDTH, HEIGHT, cells, sizeof cells, &map));
    DO(waypost_map_set_doors(map, &door, 1));
    CHECK(waypost_map_set_doors(map, &outside, 1) == WAYPOST_OUTSIDE);
    DO(waypost_map_set_rules(map, WAYPOST_CORNERS_NEVER, WAYPOST_COSTS_SQRT2));
    CHECK(waypost_map_set_rules(map, 4, 0) == WAYPOST_BAD_VALUE);
    DO(waypost_map_size(map, &width, &height));
    CHECK(width == WIDTH && height == HEIGHT);
    CHECK(waypost_map_cells(map, NULL, 0, &count) == WAYPOST_TOO_SMALL && count == sizeof cells);
    DO(waypost_map_cells(map, back, sizeof back, NULL));
    CHECK(memcmp(cells, back, sizeof cells) == 0);
    return map;
}

static waypost_nav *built(const waypost_map *map) {
    waypost_nav *nav = NULL;
    waypost_unit_type types[2];
    waypost_build_options options;
    int patience = 1 << 30;
    memset(types, 0, sizeof types);
    memset(&options, 0, sizeof options);
    types[0].size = types[1].size = sizeof types[0];
    types[0].name = "tank";
    types[0].cells = 2;
    types[1].name = "scout";
    options.size = sizeof options;
    options.unit_types = types;
    options.unit_type_count = 2;
    options.progress = tell;
    options.user = &patience;
    DO(waypost_nav_build(map, &options, &nav));
    CHECK(patience < 1 << 30);
    patience = 0;
    waypost_nav *stopped = NULL;
    CHECK(waypost_nav_build(map, &options, &stopped) == WAYPOST_CANCELLED && stopped == NULL);
    options.size = 3;
    CHECK(waypost_nav_build(map, &options, &stopped) == WAYPOST_BAD_VALUE);
    return nav;
}

static void unit_types(const waypost_nav *nav) {
    waypost_nav *tank = NULL, *giant = NULL, *other = NULL;
    waypost_unit_type type;
    size_t count = 0, size = 0;
    uint32_t cells = 0;
    char name[8];
    DO(waypost_nav_unit_type_count(nav, &count));
    CHECK(count == 3);
    DO(waypost_nav_unit_type(nav, 1, name, sizeof name, &size, &cells));
    CHECK(strcmp(name, "tank") == 0 && size == 5 && cells == 2);
    CHECK(waypost_nav_unit_type(nav, 3, name, sizeof name, &size, &cells) == WAYPOST_NO_SUCH_UNIT_TYPE);
    CHECK(waypost_nav_for_unit(nav, "dragon", &tank) == WAYPOST_NO_SUCH_UNIT_TYPE && tank == NULL);
    DO(waypost_nav_for_unit(nav, "tank", &tank));
    /* The door is one cell wide. */
    CHECK(waypost_nav_distance(tank, point(1, 1), point(30, 1), NULL) == WAYPOST_UNREACHABLE);
    memset(&type, 0, sizeof type);
    type.size = sizeof type;
    type.name = "giant";
    type.cells = 100;
    CHECK(waypost_nav_add_unit_type(nav, &type, &giant) == WAYPOST_BAD_UNIT_TYPE);
    type.cells = 4;
    DO(waypost_nav_add_unit_type(nav, &type, &giant));
    CHECK(waypost_nav_add_unit_type(nav, &type, &other) == WAYPOST_BAD_UNIT_TYPE);
    CHECK(!waypost_nav_is_free(giant, point(17, 3)) && waypost_nav_is_free(giant, point(16, 3)));
    waypost_nav_free(giant);
    waypost_nav_free(tank);
}

static void paths(const waypost_nav *nav) {
    waypost_point points[100], corners[10], near;
    waypost_query queries[2] = {{{1, 1}, {38, 28}}, {{1, 1}, {WALL, 0}}};
    size_t count = 0, offsets[3];
    double length = 0, again = 0, lengths[2];
    DO(waypost_nav_path(nav, queries[0].from, queries[0].goal, points, 100, &count, &length));
    CHECK(is_at(points[0], 1, 1) && is_at(points[count - 1], 38, 28) && count > 38);
    DO(waypost_nav_distance(nav, queries[0].from, queries[0].goal, &again));
    CHECK(fabs(length - again) < 1e-9);
    CHECK(waypost_nav_path(nav, queries[0].from, queries[0].goal, points, 3, &count, &again) == WAYPOST_TOO_SMALL);
    CHECK(count > 38 && fabs(length - again) < 1e-9);
    DO(waypost_nav_path_corners(nav, queries[0].from, queries[0].goal, corners, 10, &count, &again));
    CHECK(is_at(corners[0], 1, 1) && is_at(corners[count - 1], 38, 28) && fabs(length - again) < 1e-9);
    CHECK(waypost_nav_path(nav, queries[1].from, queries[1].goal, points, 100, &count, NULL) == WAYPOST_WALL);
    CHECK(waypost_nav_path(nav, queries[1].from, point(WIDTH, 0), points, 100, &count, NULL) == WAYPOST_OUTSIDE);
    DO(waypost_nav_paths(nav, queries, 2, points, 100, offsets, lengths));
    CHECK(offsets[0] == 0 && offsets[1] == offsets[2] && fabs(lengths[0] - length) < 1e-9 && isinf(lengths[1]));
    DO(waypost_nav_nearest_reachable(nav, point(1, 1), point(WALL, 0), &near));
    CHECK(is_at(near, WALL - 1, 0) || is_at(near, WALL + 1, 0));
    DO(waypost_nav_nearest_free(nav, point(WALL, DOOR), &near));
    CHECK(is_at(near, WALL, DOOR));
}

static void questions(const waypost_nav *nav) {
    waypost_point goals[3] = {{38, 28}, {WALL, 0}, {3, 9}}, points[100];
    waypost_reached reached[9];
    int stays = 9;
    size_t nearest = 9, count = 0;
    double length = 0, straight = 0;
    DO(waypost_nav_path_to_nearest(nav, point(1, 1), goals, 3, &nearest, points, 100, &count, &length));
    CHECK(nearest == 2 && is_at(points[count - 1], 3, 9) && length > 8);
    CHECK(waypost_nav_path_to_nearest(nav, point(1, 1), &goals[1], 1, &nearest, NULL, 0, NULL, NULL) == WAYPOST_UNREACHABLE);
    DO(waypost_nav_smooth_path(nav, point(1, 1), goals[2], points, 100, &count, &straight));
    CHECK(count == 2 && straight < length);
    CHECK(waypost_nav_sees(nav, point(1, 1), goals[2]) && !waypost_nav_sees(nav, point(1, 1), goals[0]));
    DO(waypost_nav_range(nav, point(1, 1), 1, reached, 9, &count));
    CHECK(count == 5 && is_at(reached[2].at, 1, 1) && reached[2].cost == 0 && reached[0].cost == 1);
    CHECK(waypost_nav_range(nav, point(1, 1), 9, reached, 9, &count) == WAYPOST_TOO_SMALL && count > 9);
    CHECK(waypost_nav_range(nav, point(WALL, 0), 1, reached, 9, &count) != WAYPOST_OK);
    DO(waypost_nav_stays_connected(nav, NULL, 0, &goals[0], &goals[2], 1, &stays));
    CHECK(stays == 1);
    DO(waypost_nav_stays_connected(nav, &goals[2], 1, &goals[0], &goals[2], 1, &stays));
    CHECK(stays == 0 && waypost_nav_is_free(nav, goals[2]) && !waypost_nav_would_wait(nav, 1));
}

static void fields(const waypost_nav *nav) {
    waypost_point wells[2] = {{3, 9}, {38, 28}}, next = {0, 0};
    double more[2] = {0, 5}, value = 0;
    waypost_field *field = NULL, *away = NULL;
    waypost_reached reached[9];
    int32_t heading = 9;
    size_t count = 0;
    DO(waypost_nav_field(nav, wells, NULL, 2, &field));
    DO(waypost_field_value(field, point(3, 7), &value));
    CHECK(value == 2 && waypost_field_is_current(field, nav) && !waypost_field_is_current(field, NULL));
    CHECK(waypost_field_value(field, point(WALL, 0), &value) == WAYPOST_UNREACHABLE);
    DO(waypost_field_next(field, point(3, 7), &next, &heading));
    CHECK(is_at(next, 3, 8) && heading == 4);
    DO(waypost_field_next(field, wells[0], &next, &heading));
    CHECK(is_at(next, 3, 9) && heading == -1);
    DO(waypost_field_walk(field, point(3, 5), 9, &next));
    CHECK(is_at(next, 3, 9));
    DO(waypost_field_within(field, 0, reached, 9, &count));
    CHECK(count == 2 && is_at(reached[1].at, 38, 28));
    CHECK(waypost_field_within(field, 50, reached, 9, &count) == WAYPOST_TOO_SMALL && count > 9);
    DO(waypost_field_fleeing(field, &away));
    DO(waypost_field_walk(away, point(3, 8), 30, &next));
    DO(waypost_field_value(field, next, &value));
    CHECK(value > 5);
    waypost_field_free(away);
    waypost_field_free(field);
    DO(waypost_nav_field(nav, wells, more, 2, &field));
    DO(waypost_field_value(field, wells[1], &value));
    CHECK(value > 4.99 && value < 5.01);
    waypost_field_free(field);
    more[0] = -1;
    CHECK(waypost_nav_field(nav, wells, more, 2, &field) == WAYPOST_BAD_VALUE && field == NULL);
    DO(waypost_nav_field(nav, NULL, NULL, 0, &field));
    CHECK(waypost_field_value(field, wells[0], &value) == WAYPOST_UNREACHABLE);
    waypost_field_free(field);
    waypost_field_free(NULL);
}

/* A file that lacks a type of units, opened with limits and one thread. */
static void opened_with_options(const waypost_map *map) {
    static uint8_t bytes[1 << 16];
    waypost_unit_type tank;
    waypost_build_options options;
    waypost_nav *nav = NULL, *opened = NULL, *tanks = NULL;
    size_t size = 0;
    memset(&tank, 0, sizeof tank);
    tank.size = sizeof tank;
    tank.name = "tank";
    tank.cells = 2;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.threads = 1;
    DO(waypost_nav_build(map, &options, &nav));
    DO(waypost_nav_save(nav, bytes, sizeof bytes, &size));
    options.unit_types = &tank;
    options.unit_type_count = 1;
    DO(waypost_nav_open_with(map, bytes, size, NULL, NULL, &options, &opened));
    DO(waypost_nav_for_unit(opened, "tank", &tanks));
    waypost_nav_free(tanks);
    waypost_nav_free(opened);
    options.max_bytes = 1;
    CHECK(waypost_nav_open_with(map, bytes, size, NULL, NULL, &options, &opened) == WAYPOST_BUILD_FAILED);
    options.max_bytes = 0;
    options.threads = 5000;
    CHECK(waypost_nav_open_with(map, bytes, size, NULL, NULL, &options, &opened) == WAYPOST_BAD_VALUE);
    CHECK(waypost_nav_build(map, &options, &opened) == WAYPOST_BAD_VALUE);
    waypost_nav_free(nav);
}

/* Three columns: road, swamp, road; a rock below the swamp. */
static void terrain(void) {
    waypost_ground grounds[3] = {{"road", 1}, {"swamp", 4}, {"rock", 0}}, heron = {"swamp", 1}, bad = {"swamp", 1000};
    uint8_t classes[6] = {0, 1, 0, 0, 2, 0};
    double factors[6] = {1, 4, 1, 1, 0, 1}, length = 0;
    waypost_map *map = NULL;
    waypost_nav *nav = NULL, *other = NULL;
    waypost_unit_type type;
    waypost_crowd *crowd = NULL;
    waypost_unit_id unit = 0;
    memset(&type, 0, sizeof type);
    type.size = sizeof type;
    type.name = "heron";
    type.grounds = &heron;
    type.ground_count = 1;
    DO(waypost_map_from_factors(3, 2, factors, 6, &map));
    waypost_map_free(map);
    factors[0] = 1e9;
    CHECK(waypost_map_from_factors(3, 2, factors, 6, &map) == WAYPOST_BAD_MAP);
    CHECK(waypost_map_from_factors(3, 2, factors, 5, &map) == WAYPOST_BAD_MAP);
    CHECK(waypost_map_from_classes(3, 2, classes, 6, grounds, 2, &map) == WAYPOST_BAD_MAP);
    DO(waypost_map_from_classes(3, 2, classes, 6, grounds, 3, &map));
    DO(waypost_nav_build(map, NULL, &nav));
    DO(waypost_nav_distance(nav, point(0, 0), point(2, 0), &length));
    CHECK(fabs(length - 5) < 1e-9);
    DO(waypost_nav_path(nav, point(0, 0), point(2, 0), NULL, 0, NULL, &length) == WAYPOST_TOO_SMALL ? WAYPOST_OK : WAYPOST_PANIC);
    CHECK(fabs(length - 5) < 1e-9);
    DO(waypost_nav_add_unit_type(nav, &type, &other));
    DO(waypost_nav_distance(other, point(0, 0), point(2, 0), &length));
    CHECK(fabs(length - 2) < 1e-9);
    waypost_nav_free(other);
    type.grounds = &bad;
    CHECK(waypost_nav_add_unit_type(nav, &type, &other) == WAYPOST_BAD_MAP);
    DO(waypost_crowd_new(nav, NULL, &crowd));
    DO(waypost_crowd_spawn_type(crowd, "heron", point(0, 0), &unit));
    CHECK(waypost_crowd_spawn_type(crowd, "crane", point(0, 0), &unit) == WAYPOST_NO_SUCH_UNIT_TYPE && unit == 0);
    DO(waypost_crowd_spawn_type(crowd, "heron", point(2, 0), &unit));
    DO(waypost_crowd_nav(crowd, unit, &other));
    DO(waypost_nav_distance(other, point(0, 0), point(2, 0), &length));
    CHECK(fabs(length - 2) < 1e-9);
    waypost_nav_free(other);
    waypost_crowd_free(crowd);
    waypost_nav_free(nav);
    waypost_map_free(map);
}

static void requests(const waypost_nav *nav) {
    waypost_requests *requests = NULL;
    waypost_ticket near = 0, far = 0;
    waypost_request_state state;
    waypost_point points[100];
    uint64_t spent = 0;
    size_t count = 0, pending = 0;
    DO(waypost_requests_new(nav, 10, &requests));
    DO(waypost_requests_ask(requests, point(1, 1), point(38, 28), &far));
    DO(waypost_requests_ask(requests, point(1, 1), point(4, 4), &near));
    CHECK(waypost_requests_ask(requests, point(1, 1), point(WALL, 0), &far) == WAYPOST_WALL && far == 0);
    DO(waypost_requests_ask(requests, point(1, 1), point(38, 28), &far));
    DO(waypost_requests_pending(requests, &pending));
    CHECK(pending == 2);
    DO(waypost_requests_state(requests, far, &state, points, 100, &count));
    CHECK(state == WAYPOST_REQUEST_PENDING && count == 0);
    for (int tick = 0; pending > 0 && tick < 1000; ++tick) {
        DO(waypost_requests_tick(requests, 50, &spent));
        CHECK(spent <= 50);
        DO(waypost_requests_pending(requests, &pending));
    }
    CHECK(waypost_requests_state(requests, far, &state, points, 2, &count) == WAYPOST_TOO_SMALL);
    DO(waypost_requests_state(requests, far, &state, points, 100, &count));
    CHECK(state == WAYPOST_REQUEST_FOUND && is_at(points[0], 1, 1) && is_at(points[count - 1], 38, 28));
    DO(waypost_requests_close(requests, near));
    CHECK(waypost_requests_close(requests, near) == WAYPOST_BAD_VALUE);
    DO(waypost_requests_state(requests, near, &state, NULL, 0, NULL));
    CHECK(state == WAYPOST_REQUEST_UNKNOWN);
    waypost_requests_free(requests);
}

static void changes(const waypost_nav *nav) {
    waypost_nav *other = NULL;
    waypost_map *map = NULL;
    waypost_point door = point(WALL, DOOR);
    waypost_edit hole;
    waypost_index_info states[8];
    size_t changed = 0, count = 0;
    struct waypost_door shut;
    int patience = 1 << 30;
    DO(waypost_nav_fork(nav, &other));
    DO(waypost_nav_set_doors(other, NULL, 0, &door, 1, &changed));
    CHECK(changed == 1 && waypost_nav_distance(other, point(1, 1), point(30, 1), NULL) == WAYPOST_UNREACHABLE);
    CHECK(waypost_nav_is_free(nav, door) && !waypost_nav_is_free(other, door));
    CHECK(waypost_nav_doors(other, NULL, 0, &count) == WAYPOST_TOO_SMALL && count == 1);
    DO(waypost_nav_doors(other, &shut, 1, NULL));
    CHECK(shut.at.x == door.x && shut.at.y == door.y && !shut.is_open);
    memset(&hole, 0, sizeof hole);
    hole.at = point(WALL, 20);
    hole.width = 1;
    hole.height = 3;
    hole.passable = 1;
    DO(waypost_nav_patch(other, &hole, 1, &changed));
    CHECK(changed == 3);
    DO(waypost_nav_map(other, &map));
    waypost_map_free(map);
    DO(waypost_nav_rebuild(other, tell, &patience, &count));
    for (int step = 0; step < 100; ++step) DO(waypost_nav_advance(other, 1000000, NULL));
    DO(waypost_nav_index_states(other, states, 8, &count));
    CHECK(count == 4 && strcmp(states[1].unit_type, "tank") == 0);
    for (size_t i = 0; i < count; ++i) CHECK(states[i].state == WAYPOST_INDEX_CURRENT);
    CHECK(waypost_nav_path(other, point(1, 1), point(30, 1), NULL, 0, &count, NULL) == WAYPOST_TOO_SMALL);
    waypost_nav_free(other);
}

static void indexes(const waypost_nav *nav, const waypost_map *map) {
    waypost_nav *opened = NULL;
    size_t size = 0;
    uint32_t width = 0, height = 0;
    DO(waypost_nav_size(nav, &width, &height));
    CHECK(width == WIDTH && height == HEIGHT);
    CHECK(waypost_nav_save(nav, NULL, 0, &size) == WAYPOST_TOO_SMALL);
    uint8_t *file = malloc(size);
    DO(waypost_nav_save(nav, file, size, NULL));
    DO(waypost_nav_open(map, file, size, NULL, NULL, &opened));
    CHECK(waypost_nav_is_free(opened, point(1, 1)));
    waypost_nav_free(opened);
    file[size / 2] ^= 1;
    CHECK(waypost_nav_open(map, file, size, NULL, NULL, &opened) == WAYPOST_BAD_FILE && opened == NULL);
    free(file);
}

static void crowds(const waypost_nav *nav) {
    waypost_crowd *crowd = NULL;
    waypost_crowd_options options;
    waypost_unit_id squad[3], lone = 0, follower = 0;
    waypost_goal goal;
    waypost_tick tick;
    waypost_unit unit, units[8];
    waypost_event events[16];
    waypost_point positions[8], ahead[100];
    float places[16];
    size_t count = 0, arrived = 0;
    uint64_t bound = 0;
    uint8_t *bytes = NULL;
    int all = 0;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.exclusive = 1;
    options.method = "no such";
    CHECK(waypost_crowd_new(nav, &options, &crowd) == WAYPOST_BAD_METHOD && crowd == NULL);
    options.method = NULL;
    options.transform.origin[0] = -100;
    options.transform.cell[0] = options.transform.cell[1] = 2;
    DO(waypost_crowd_new(nav, &options, &crowd));
    for (int i = 0; i < 3; ++i) DO(waypost_crowd_spawn(crowd, point(1 + (uint32_t)i, 1), &squad[i]));
    CHECK(waypost_crowd_spawn(crowd, point(1, 1), &lone) == WAYPOST_TAKEN && lone == 0);
    DO(waypost_crowd_spawn(crowd, point(1, 20), &lone));
    DO(waypost_crowd_spawn(crowd, point(1, 25), &follower));
    DO(waypost_crowd_send_group(crowd, squad, 3, point(30, 10), WAYPOST_FORMATION_CLOSE, NULL, NULL));
    CHECK(waypost_crowd_send_group(crowd, squad, 3, point(30, 10), 2, NULL, NULL) == WAYPOST_BAD_VALUE);
    memset(&goal, 0, sizeof goal);
    goal.kind = WAYPOST_GOAL_AREA;
    goal.at = point(10, 18);
    goal.width = goal.height = 4;
    DO(waypost_crowd_send(crowd, lone, &goal));
    goal.kind = WAYPOST_GOAL_UNIT;
    goal.unit = lone;
    DO(waypost_crowd_send(crowd, follower, &goal));
    DO(waypost_crowd_set_pace(crowd, squad[0], 2));
    CHECK(waypost_crowd_set_pace(crowd, squad[0], 17) == WAYPOST_BAD_VALUE);
    DO(waypost_crowd_set_budget(crowd, 500000, 20000));
    CHECK(waypost_crowd_snapshot(crowd, NULL, 0, &count) == WAYPOST_TOO_SMALL && count > 0);
    bytes = malloc(count);
    DO(waypost_crowd_snapshot(crowd, bytes, count, &count));
    DO(waypost_crowd_tick(crowd, positions, 8, NULL));
    DO(waypost_crowd_restore(crowd, bytes, count));
    DO(waypost_crowd_unit(crowd, lone, &unit));
    CHECK(is_at(unit.at, 1, 20));
    bytes[count / 2] ^= 1;
    CHECK(waypost_crowd_restore(crowd, bytes, count) == WAYPOST_BAD_FILE);
    free(bytes);
    DO(waypost_crowd_unit_bound(crowd, &bound));
    CHECK(bound > 0);
    DO(waypost_crowd_hold(crowd, squad[1], 1));
    positions[0].x = 77;
    CHECK(waypost_crowd_tick(crowd, positions, 1, &tick) == WAYPOST_TOO_SMALL && positions[0].x == 77);
    DO(waypost_crowd_tick(crowd, positions, 8, &tick));
    CHECK(tick.units == 5 && is_at(positions[1], 2, 1));
    DO(waypost_crowd_unit(crowd, squad[1], &unit));
    CHECK(unit.status == WAYPOST_UNIT_HOLDING && unit.id == squad[1]);
    DO(waypost_crowd_hold(crowd, squad[1], 0));
    DO(waypost_crowd_path_ahead(crowd, squad[2], ahead, 100, &count));
    CHECK(count > 1 && is_at(ahead[0], positions[2].x, positions[2].y));
    DO(waypost_crowd_positions_between(crowd, 1.0f, places, 8, &count));
    CHECK(count == 5 && places[2] == -100.0f + 2 * 2.5f);
    for (int i = 0; i < 400 && arrived < 4; ++i) {
        DO(waypost_crowd_tick(crowd, positions, 8, NULL));
        DO(waypost_crowd_events(crowd, events, 16, &count));
        for (size_t j = 0; j < count; ++j) arrived += events[j].kind == WAYPOST_EVENT_ARRIVED && events[j].unit != follower;
    }
    CHECK(arrived >= 4);
    DO(waypost_crowd_units(crowd, units, 8, &count));
    CHECK(count == 5 && units[4].id == follower);
    DO(waypost_crowd_stop(crowd, follower));
    DO(waypost_crowd_planning(crowd, &count));
    CHECK(count <= 5);
    DO(waypost_crowd_count(crowd, &count, &all));
    CHECK(count == 5 && (all == 0 || all == 1));
    DO(waypost_crowd_despawn(crowd, lone));
    CHECK(waypost_crowd_despawn(crowd, lone) == WAYPOST_NO_SUCH_UNIT);
    waypost_crowd_free(crowd);
}

static void groups(void) {
    static const uint8_t cells[9] = {1, 1, 1, 1, 0, 1, 1, 1, 1};
    waypost_unit_id units[3], cannot[3] = {0, 0, 0};
    waypost_unit near[3];
    waypost_goal goal;
    waypost_map *map = NULL;
    waypost_nav *nav = NULL;
    waypost_crowd *crowd = NULL;
    size_t count = 9;
    DO(waypost_map_from_cells(9, 1, cells, sizeof cells, &map));
    DO(waypost_nav_build(map, NULL, &nav));
    DO(waypost_crowd_new(nav, NULL, &crowd));
    for (uint32_t i = 0; i < 3; ++i) DO(waypost_crowd_spawn(crowd, point(i * 4 - (i == 1), 0), &units[i]));
    CHECK(waypost_crowd_spawn(crowd, point(99, 0), &cannot[1]) == WAYPOST_OUTSIDE && cannot[1] == 0);
    CHECK(waypost_crowd_send_group(crowd, units, 3, point(99, 0), WAYPOST_FORMATION_CLOSE, NULL, NULL) == WAYPOST_OUTSIDE);
    DO(waypost_crowd_units_near(crowd, units[0], 3, near, 3, &count));
    CHECK(count == 1 && near[0].id == units[1]);
    CHECK(waypost_crowd_positions_between(crowd, NAN, NULL, 0, NULL) == WAYPOST_BAD_VALUE);
    memset(&goal, 0, sizeof goal);
    goal.kind = WAYPOST_GOAL_AREA;
    CHECK(waypost_crowd_send(crowd, units[0], &goal) == WAYPOST_BAD_VALUE);
    goal.kind = WAYPOST_GOAL_CELL;
    DO(waypost_crowd_send(crowd, units[2], &goal));
    DO(waypost_crowd_tick(crowd, NULL, 0, NULL));
    DO(waypost_crowd_unit(crowd, units[2], near));
    CHECK(near[0].status == WAYPOST_UNIT_UNREACHABLE && near[0].has_nearest && is_at(near[0].nearest, 5, 0));
    DO(waypost_crowd_send_group(crowd, units, 3, point(1, 0), WAYPOST_FORMATION_CLOSE, cannot, &count));
    CHECK(count == 1 && cannot[0] == units[2]);
    DO(waypost_crowd_send_group(crowd, units, 2, point(1, 0), WAYPOST_FORMATION_KEPT, cannot, &count));
    CHECK(count == 0);
    waypost_crowd_free(crowd);
    waypost_nav_free(nav);
    waypost_map_free(map);
}

int main(void) {
    waypost_transform transform = {{-100, 50}, {2, -2}};
    waypost_point cell = point(0, 0);
    waypost_map *bits = NULL, *map = walled();
    waypost_nav *nav = built(map);
    float place[2];
    uint8_t row[2] = {0xff, 0x03};
    CHECK(waypost_version() >= 256 && strchr(waypost_version_text(), '.'));
    CHECK(waypost_set_allocator(NULL) == WAYPOST_NULL);
    DO(waypost_map_from_bits(10, 1, row, 2, &bits));
    waypost_map_free(bits);
    CHECK(waypost_map_from_file_bytes(row, 2, &bits) == WAYPOST_BAD_MAP);
    DO(waypost_transform_position(&transform, point(3, 4), place));
    DO(waypost_transform_cell(&transform, place, &cell));
    CHECK(place[0] == -93 && place[1] == 41 && is_at(cell, 3, 4));
    unit_types(nav);
    paths(nav);
    questions(nav);
    fields(nav);
    opened_with_options(map);
    terrain();
    requests(nav);
    changes(nav);
    indexes(nav, map);
    crowds(nav);
    groups();
    waypost_map_free(map);
    waypost_nav_free(nav);
    puts("everything answered");
    return 0;
}
