/* Forgets a map: what checks for leaks must find. */
#include "waypost.h"

int main(void) {
    uint8_t cell = 1;
    waypost_map *map = 0;
    if (waypost_map_from_cells(1, 1, &cell, 1, &map) != WAYPOST_OK) return 0;
    map = 0;
    return 0;
}
