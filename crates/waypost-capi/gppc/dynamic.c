/* The entry for the dynamic track, over the C library: the six functions of the start kit. */
#include "dynamic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "waypost.h"

/* The length of the first segment: a bit more than the 20 units that the competition times apart. */
enum { FIRST_POINTS = 24 };

/* What preprocessing may take: bytes of an index, and seconds by an estimate that is the same on every machine. */
static const uint64_t MAX_BYTES = (uint64_t)4 << 30;
static const double MAX_SECONDS = 1800;

typedef struct {
    waypost_nav *nav;
    /* The path as corners, and how far it was handed over. */
    waypost_point *corners;
    size_t corner_capacity, corner_count, next_corner;
    waypost_point start, at, goal;
    int is_under_way;
    /* The segment handed over last. */
    gppc_point *points;
    size_t point_capacity;
} entry;

static void complain(const char *what) {
    fprintf(stderr, "waypost: %s: %s\n", what, waypost_last_error());
}

static waypost_map *map_of(gppc_patch patch) {
    waypost_map *map = NULL;
    size_t bytes = ((size_t)patch.width * patch.height + 7) / 8;
    if (waypost_map_from_bits(patch.width, patch.height, patch.bitarray, bytes, &map) != WAYPOST_OK)
        complain("the map");
    return map;
}

void gppc_preprocess_init_map(gppc_patch init_map, const char *preprocess_filename) {
    waypost_map *map = map_of(init_map);
    waypost_nav *nav = NULL;
    waypost_build_options options;
    size_t size = 0;
    if (!map) return;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.max_bytes = MAX_BYTES;
    options.max_seconds = MAX_SECONDS;
    if (waypost_nav_build(map, &options, &nav) == WAYPOST_OK) {
        waypost_nav_save(nav, NULL, 0, &size);
        uint8_t *bytes = malloc(size);
        FILE *file = fopen(preprocess_filename, "wb");
        if (bytes && waypost_nav_save(nav, bytes, size, &size) != WAYPOST_OK) complain("the index");
        /* The other process builds for itself what it does not find whole. */
        int is_written = bytes && file && fwrite(bytes, 1, size, file) == size;
        if (file && fclose(file) != 0) is_written = 0;
        if (!is_written) perror(preprocess_filename);
        free(bytes);
    } else {
        complain("the build");
    }
    waypost_nav_free(nav);
    waypost_map_free(map);
}

static void release(void *user, const uint8_t *bytes, size_t length) {
    (void)bytes;
    (void)length;
    free(user);
}

/* The bytes of a file; NULL where it cannot be read. */
static uint8_t *read_file(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    uint8_t *bytes = NULL;
    long length = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) length = ftell(file);
    if (length >= 0 && fseek(file, 0, SEEK_SET) == 0) bytes = malloc((size_t)length + 1);
    if (bytes && fread(bytes, 1, (size_t)length, file) != (size_t)length) {
        free(bytes);
        bytes = NULL;
    }
    if (file) fclose(file);
    *size = bytes ? (size_t)length : 0;
    return bytes;
}

void *gppc_search_init(gppc_patch patch, const char *preprocess_filename) {
    waypost_map *map = map_of(patch);
    entry *data = calloc(1, sizeof *data);
    size_t size = 0;
    uint8_t *bytes = read_file(preprocess_filename, &size);
    if (!map || !data) {
        free(bytes);
        waypost_map_free(map);
        free(data);
        return NULL;
    }
    waypost_status status = bytes ? waypost_nav_open(map, bytes, size, release, bytes, &data->nav) : WAYPOST_BAD_FILE;
    if (status != WAYPOST_OK) {
        if (bytes) complain(preprocess_filename);
        else perror(preprocess_filename);
        if (waypost_nav_build(map, NULL, &data->nav) != WAYPOST_OK) complain("the build");
    }
    waypost_map_free(map);
    return data;
}

static int bit(const gppc_patch *patch, uint32_t x, uint32_t y) {
    size_t at = (size_t)y * patch->width + x;
    return patch->bitarray[at / 8] >> (at % 8) & 1;
}

/* A patch as rectangles one row high. */
static size_t edits_of(const gppc_patch *patch, waypost_edit *edits) {
    size_t count = 0;
    for (uint32_t y = 0; y < patch->height; ++y) {
        for (uint32_t x = 0; x < patch->width;) {
            uint32_t end = x + 1;
            int passable = bit(patch, x, y);
            while (end < patch->width && bit(patch, end, y) == passable) ++end;
            waypost_edit edit = {{patch->pos.x + x, patch->pos.y + y}, end - x, 1, (uint32_t)passable};
            edits[count++] = edit;
            x = end;
        }
    }
    return count;
}

void gppc_map_change(void *pointer, const gppc_patch *changes, uint32_t changes_count) {
    entry *data = pointer;
    size_t cells = 0, count = 0;
    for (uint32_t i = 0; i < changes_count; ++i) cells += (size_t)changes[i].width * changes[i].height;
    waypost_edit *edits = malloc((cells + 1) * sizeof *edits);
    if (!data || !edits) {
        free(edits);
        return;
    }
    for (uint32_t i = 0; i < changes_count; ++i) count += edits_of(&changes[i], edits + count);
    if (waypost_nav_patch(data->nav, edits, count, NULL) != WAYPOST_OK) complain("the change");
    data->is_under_way = 0;
    free(edits);
}

static int has_room(entry *data, size_t points) {
    if (points <= data->point_capacity) return 1;
    size_t capacity = points * 2;
    gppc_point *larger = realloc(data->points, capacity * sizeof *larger);
    if (!larger) return 0;
    data->points = larger;
    data->point_capacity = capacity;
    return 1;
}

static int is_same(waypost_point a, waypost_point b) { return a.x == b.x && a.y == b.y; }

static uint32_t towards(uint32_t from, uint32_t to) {
    return from < to ? from + 1 : from > to ? from - 1 : from;
}

/* Expands corners into points, as many as `limit`, from where the last segment ended. */
static gppc_path segment(entry *data, size_t limit) {
    gppc_path path = {NULL, 0, 0};
    size_t count = 0;
    while (data->next_corner < data->corner_count && count < limit) {
        waypost_point to = data->corners[data->next_corner];
        if (is_same(data->at, to)) {
            ++data->next_corner;
            continue;
        }
        data->at.x = towards(data->at.x, to.x);
        data->at.y = towards(data->at.y, to.y);
        if (!has_room(data, count + 1)) return path;
        data->points[count].x = (uint16_t)data->at.x;
        data->points[count++].y = (uint16_t)data->at.y;
    }
    data->is_under_way = !is_same(data->at, data->goal);
    path.path = data->points;
    path.length = (uint32_t)count;
    path.incomplete = (uint8_t)data->is_under_way;
    return path;
}

static waypost_status find(entry *data, waypost_point from, waypost_point goal) {
    waypost_status status = waypost_nav_path_corners(data->nav, from, goal, data->corners,
                                                     data->corner_capacity, &data->corner_count, NULL);
    if (status != WAYPOST_TOO_SMALL) return status;
    size_t capacity = data->corner_count * 2;
    waypost_point *larger = realloc(data->corners, capacity * sizeof *larger);
    if (!larger) return status;
    data->corners = larger;
    data->corner_capacity = capacity;
    return waypost_nav_path_corners(data->nav, from, goal, larger, capacity, &data->corner_count, NULL);
}

gppc_path gppc_get_path(void *pointer, gppc_point start, gppc_point goal) {
    entry *data = pointer;
    gppc_path none = {NULL, 0, 0};
    if (!data || !data->nav) return none;
    waypost_point from = {start.x, start.y}, to = {goal.x, goal.y};
    /* The rest of a path whose first segment was handed over: asked for from its start, or from where the segment ended. */
    int goes_on = is_same(from, data->start) || is_same(from, data->at);
    if (data->is_under_way && goes_on && is_same(to, data->goal)) return segment(data, SIZE_MAX);
    data->is_under_way = 0;
    if (find(data, from, to) != WAYPOST_OK) return none;
    data->start = from;
    data->at = from;
    data->goal = to;
    data->next_corner = 0;
    if (!has_room(data, FIRST_POINTS + 1)) return none;
    gppc_path path = segment(data, FIRST_POINTS);
    memmove(data->points + 1, data->points, path.length * sizeof *data->points);
    data->points[0] = start;
    path.path = data->points;
    ++path.length;
    return path;
}

void gppc_free_data(void *pointer) {
    entry *data = pointer;
    if (!data) return;
    waypost_nav_free(data->nav);
    free(data->corners);
    free(data->points);
    free(data);
}

const char *gppc_get_name(void) { return "Waypost"; }
