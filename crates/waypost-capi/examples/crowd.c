/* Ten thousand units cross a wall with two doors, one of which closes before anybody is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "waypost.h"

enum { WIDTH = 256, HEIGHT = 200, UNITS = 10000, MAX_TICKS = 4000 };

static void check(waypost_status status) {
    if (status != WAYPOST_OK) {
        fprintf(stderr, "waypost: %s\n", waypost_last_error());
        exit(1);
    }
}

int main(int argc, char **argv) {
    int units = argc > 1 ? atoi(argv[1]) : UNITS;
    static uint8_t cells[WIDTH * HEIGHT];
    memset(cells, 1, sizeof cells);
    for (int y = 0; y < HEIGHT; ++y) cells[y * WIDTH + WIDTH / 2] = 0;
    waypost_point doors[2] = {{WIDTH / 2, 20}, {WIDTH / 2, 180}};
    for (int i = 0; i < 2; ++i) cells[doors[i].y * WIDTH + doors[i].x] = 1;

    waypost_map *map = NULL;
    waypost_nav *nav = NULL;
    waypost_crowd *crowd = NULL;
    check(waypost_map_from_cells(WIDTH, HEIGHT, cells, sizeof cells, &map));
    check(waypost_map_set_doors(map, doors, 2));
    check(waypost_nav_build(map, NULL, &nav));
    check(waypost_crowd_new(nav, NULL, &crowd));

    for (int i = 0; i < units; ++i) {
        waypost_point at = {(uint32_t)(i % 100), (uint32_t)(i / 100 % HEIGHT)};
        waypost_goal goal;
        waypost_unit_id unit = 0;
        memset(&goal, 0, sizeof goal);
        goal.at.x = WIDTH - 1 - at.x;
        goal.at.y = at.y;
        check(waypost_crowd_spawn(crowd, at, &unit));
        check(waypost_crowd_send(crowd, unit, &goal));
    }
    waypost_point *positions = malloc((size_t)units * sizeof *positions);
    waypost_event *events = malloc((size_t)units * sizeof *events);
    uint64_t arrived = 0;
    int ticks = 0, all = 0;
    for (; ticks < MAX_TICKS && !all; ++ticks) {
        waypost_tick tick;
        size_t count = 0;
        if (ticks == 10) check(waypost_nav_set_doors(nav, NULL, 0, &doors[0], 1, NULL));
        check(waypost_crowd_tick(crowd, positions, (size_t)units, &tick));
        check(waypost_crowd_events(crowd, events, (size_t)units, &count));
        for (size_t i = 0; i < count; ++i) arrived += events[i].kind == WAYPOST_EVENT_ARRIVED;
        check(waypost_crowd_count(crowd, NULL, &all));
    }
    printf("%d arrived\n", (int)arrived);
    int right = 1;
    for (int i = 0; i < units; ++i) right &= positions[i].x == WIDTH - 1 - (uint32_t)(i % 100);
    free(positions);
    free(events);
    /* Any order will do. */
    waypost_map_free(map);
    waypost_nav_free(nav);
    waypost_crowd_free(crowd);
    return right && all && arrived == (uint64_t)units ? 0 : 1;
}
