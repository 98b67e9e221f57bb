/* Build the index of a level, ship it, open it again, ask for a path. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "waypost.h"

static const char LEVEL[] =
    "type octile\nheight 5\nwidth 12\nmap\n............\n.@@@@@@@@@@.\n.@........@.\n.@.@@@@@@@@.\n............\n";

static void check(waypost_status status) {
    if (status != WAYPOST_OK) {
        fprintf(stderr, "waypost: %s\n", waypost_last_error());
        exit(1);
    }
}

static int32_t progress(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)stage;
    if (done <= total) ++*(int *)user;
    return 0;
}

static void release(void *user, const uint8_t *bytes, size_t length) {
    (void)bytes;
    (void)length;
    free(user);
}

int main(void) {
    int told = 0;
    waypost_map *map = NULL;
    check(waypost_map_from_file_bytes((const uint8_t *)LEVEL, strlen(LEVEL), &map));

    waypost_build_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.progress = progress;
    options.user = &told;
    waypost_nav *nav = NULL;
    check(waypost_nav_build(map, &options, &nav));

    size_t size = 0;
    if (waypost_nav_save(nav, NULL, 0, &size) != WAYPOST_TOO_SMALL) return 1;
    uint8_t *file = malloc(size);
    check(waypost_nav_save(nav, file, size, NULL));
    waypost_nav_free(nav);

    check(waypost_nav_open(map, file, size, release, file, &nav));
    waypost_map_free(map);
    waypost_point from = {9, 2}, goal = {11, 0}, points[64], corners[64];
    size_t count = 0, turns = 0;
    double length = 0.0;
    check(waypost_nav_path(nav, from, goal, points, 64, &count, &length));
    check(waypost_nav_path_corners(nav, from, goal, corners, 64, &turns, NULL));
    printf("%.2f long, %d steps, %d corners\n", length, (int)count - 1, (int)turns);

    waypost_point wall = {1, 1};
    waypost_status status = waypost_nav_path(nav, from, wall, NULL, 0, NULL, NULL);
    printf("status %d: %s\n", (int)status, waypost_last_error());
    waypost_nav_free(nav);
    return told > 0 && status == WAYPOST_WALL ? 0 : 1;
}
