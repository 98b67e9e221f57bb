/* What the dynamic start kit of the Grid-based Path Planning Competition asks of an entry. */
#ifndef WAYPOST_GPPC_DYNAMIC_H
#define WAYPOST_GPPC_DYNAMIC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint16_t x, y;
} gppc_point;

/* Bits row by row, the least significant first: 1 is free. */
typedef struct {
    const uint8_t *bitarray;
    uint16_t width, height;
    gppc_point pos;
} gppc_patch;

/* Segments are joined until `incomplete` is 0; no points mean no path. */
typedef struct {
    const gppc_point *path;
    uint32_t length;
    uint8_t incomplete;
} gppc_path;

void gppc_preprocess_init_map(gppc_patch init_map, const char *preprocess_filename);
void *gppc_search_init(gppc_patch map, const char *preprocess_filename);
void gppc_map_change(void *data, const gppc_patch *changes, uint32_t changes_count);
gppc_path gppc_get_path(void *data, gppc_point start, gppc_point goal);
void gppc_free_data(void *data);
const char *gppc_get_name(void);

#ifdef __cplusplus
}
#endif
#endif
