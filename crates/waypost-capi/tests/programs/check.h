/* What programs of the tests share. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "waypost.h"

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%d: %s (%s)\n", __LINE__, #condition, waypost_last_error()); \
            exit(1); \
        } \
    } while (0)
#define DO(call) CHECK((call) == WAYPOST_OK)

static waypost_point point(uint32_t x, uint32_t y) {
    waypost_point at;
    at.x = x;
    at.y = y;
    return at;
}

static int is_at(waypost_point at, uint32_t x, uint32_t y) { return at.x == x && at.y == y; }
