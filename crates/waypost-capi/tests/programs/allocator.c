/* All memory of the library from functions of the program, set before all else. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "waypost.h"

static atomic_llong blocks, bytes, calls;

static void *allocate(void *user, size_t size, size_t alignment) {
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    void *block = user == &calls ? aligned_alloc(alignment, rounded) : NULL;
    if (!block) return NULL;
    memset(block, 0xa5, size); /* nobody may hope for zeros */
    ++calls;
    ++blocks;
    bytes += (long long)size;
    return block;
}

static void release(void *user, void *block, size_t size, size_t alignment) {
    if (user != &calls || (size_t)block % alignment != 0) abort();
    memset(block, 0x5a, size);
    free(block);
    --blocks;
    bytes -= (long long)size;
}

static int work(void) {
    static uint8_t cells[64 * 64];
    waypost_map *map = NULL;
    waypost_nav *nav = NULL;
    waypost_crowd *crowd = NULL;
    waypost_point from = {1, 1}, goal = {60, 60};
    waypost_unit_id unit = 0;
    double length = 0;
    for (int i = 0; i < 64 * 64; ++i) cells[i] = i % 7 != 3 || i / 64 % 5 == 2;
    if (waypost_map_from_cells(64, 64, cells, sizeof cells, &map) != WAYPOST_OK) return 1;
    if (waypost_nav_build(map, NULL, &nav) != WAYPOST_OK) return 1;
    if (waypost_nav_distance(nav, from, goal, &length) != WAYPOST_OK || length < 80) return 1;
    if (waypost_crowd_new(nav, NULL, &crowd) != WAYPOST_OK || waypost_crowd_spawn(crowd, from, &unit) != WAYPOST_OK) return 1;
    for (int tick = 0; tick < 10; ++tick)
        if (waypost_crowd_tick(crowd, NULL, 0, NULL) != WAYPOST_OK) return 1;
    waypost_map_free(map);
    waypost_nav_free(nav);
    waypost_crowd_free(crowd);
    return 0;
}

int main(void) {
    waypost_allocator allocator;
    memset(&allocator, 0, sizeof allocator);
    /* A refusal takes no memory: the right call still comes in time. */
    if (waypost_set_allocator(&allocator) != WAYPOST_BAD_VALUE) return 9;
    allocator.size = sizeof allocator;
    if (waypost_set_allocator(&allocator) != WAYPOST_NULL) return 9;
    allocator.allocate = allocate;
    allocator.release = release;
    allocator.user = &calls;
    if (waypost_set_allocator(&allocator) != WAYPOST_OK) return 1;
    if (waypost_set_allocator(&allocator) != WAYPOST_TOO_LATE) return 2;
    if (work() != 0) return 3;
    /* What stays belongs to the threads and messages of the library; what ended threads had comes back a little later. It does not grow. */
    long long kept = bytes;
    for (int round = 0; round < 200; ++round)
        if (work() != 0) return 4;
    printf("%lld calls, %lld blocks of %lld bytes kept\n", (long long)calls, (long long)blocks, (long long)bytes);
    return calls > 100 && bytes <= kept + 500000 && kept < 1000000 ? 0 : 5;
}
