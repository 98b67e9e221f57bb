/* Writes an index into a file, reads it into memory that the world borrows, and asks for many paths at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "waypost.h"

static void check(waypost_status status) {
    if (status != WAYPOST_OK) {
        fprintf(stderr, "waypost: %s\n", waypost_last_error());
        exit(1);
    }
}

static int released = 0;

static void release(void *user, const uint8_t *bytes, size_t length) {
    (void)bytes;
    (void)length;
    free(user);
    ++released;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "open_file.nav";
    /* Bits row by row: 100 x 40 cells, all free. */
    uint8_t bits[500];
    waypost_map *map = NULL;
    waypost_nav *nav = NULL, *tank = NULL;
    memset(bits, 0xff, sizeof bits);
    check(waypost_map_from_bits(100, 40, bits, sizeof bits, &map));

    waypost_unit_type type;
    waypost_build_options options;
    memset(&type, 0, sizeof type);
    type.size = sizeof type;
    type.name = "tank";
    type.cells = 3;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.unit_types = &type;
    options.unit_type_count = 1;
    check(waypost_nav_build(map, &options, &nav));
    size_t size = 0;
    waypost_nav_save(nav, NULL, 0, &size);
    uint8_t *bytes = malloc(size);
    check(waypost_nav_save(nav, bytes, size, &size));
    waypost_nav_free(nav);
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) return 2;
    free(bytes);

    file = fopen(name, "rb");
    bytes = malloc(size);
    if (!file || !bytes || fread(bytes, 1, size, file) != size) return 3;
    fclose(file);
    check(waypost_nav_open(map, bytes, size, release, bytes, &nav));
    check(waypost_nav_for_unit(nav, "tank", &tank));

    waypost_query queries[2] = {{{0, 0}, {97, 37}}, {{0, 0}, {99, 39}}};
    size_t offsets[3];
    double lengths[2];
    waypost_point points[256];
    check(waypost_nav_paths(tank, queries, 2, points, 256, offsets, lengths));
    printf("%d points; the second goal is no place for a tank: %s\n", (int)offsets[1],
           offsets[2] == offsets[1] ? "yes" : "no");
    waypost_nav_free(nav);
    if (released != 0) return 4; /* the tank looks at the bytes still */
    waypost_nav_free(tank);
    waypost_map_free(map);
    remove(name);
    return offsets[1] == 98 && offsets[2] == 98 && released == 1 ? 0 : 1;
}
