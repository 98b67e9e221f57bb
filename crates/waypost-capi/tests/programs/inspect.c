/* What indexes know, what unit types are, and maps of files that name others. */
#include "check.h"

enum { WIDTH = 40, HEIGHT = 30, WALL = 20, DOOR = 7 };

/* What the index that was chosen knows: labels, on a map of this size. */
static void inspection(const waypost_nav *nav) {
    waypost_inspection *known = NULL;
    waypost_index_kind kind;
    waypost_corner corners[64];
    waypost_region regions[4];
    waypost_point hubs[64];
    uint32_t seen[64];
    char text[400];
    size_t size = 0, count = 0, facts = 0;
    uint32_t side = 9;
    uint64_t bytes = 0;
    CHECK(waypost_nav_inspect(nav, 99, &known) == WAYPOST_BAD_VALUE && known == NULL);
    DO(waypost_nav_inspect(nav, 0, &known));
    DO(waypost_inspection_kind(known, &kind, &bytes));
    CHECK(kind == WAYPOST_INDEX_LABELS && bytes > 0);
    DO(waypost_inspection_reason(known, text, sizeof text, &size));
    CHECK(strlen(text) + 1 == size && strstr(text, "labels"));
    DO(waypost_inspection_facts(known, &facts, text, sizeof text, &size));
    for (const char *at = text; at < text + size; at += strlen(at) + 1) ++count;
    CHECK(facts > 0 && count == 2 * facts);
    DO(waypost_inspection_corners(known, corners, 64, &count));
    CHECK(count > 0 && corners[0].hubs > 0);
    DO(waypost_inspection_hubs(known, 0, hubs, 64, &size));
    CHECK(size == corners[0].hubs && waypost_nav_is_free(nav, hubs[0]));
    DO(waypost_inspection_hubs(known, count, hubs, 64, &size));
    CHECK(size == 0);
    DO(waypost_inspection_corners_seen(known, point(2, 3), seen, 64, &size));
    CHECK(size > 0 && seen[0] < count);
    DO(waypost_inspection_corners_seen(known, point(WALL, 0), seen, 64, &size));
    CHECK(size == 0);
    DO(waypost_inspection_chosen_record(known, nav, point(1, 1), point(30, 20), &bytes));
    CHECK(bytes == WAYPOST_NO_RECORD);
    DO(waypost_inspection_sectors(known, &side, regions, 4, &count));
    CHECK(side == 0 && count == 0);
    DO(waypost_inspection_chain(known, point(1, 1), point(30, 20), hubs, 64, &size));
    CHECK(size == 0);
    waypost_inspection_free(known);
}

/* Indexes that the world has not, built to be looked at. */
static void other_kinds(const waypost_nav *nav) {
    enum { CELLS = WIDTH * HEIGHT };
    static uint32_t groups[CELLS];
    static waypost_first_move moves[CELLS];
    waypost_inspection *known = NULL;
    waypost_region regions[CELLS];
    waypost_point record[64];
    size_t count = 0, records = 0;
    uint32_t side = 0, levels = 0;
    uint64_t chosen = 0;
    DO(waypost_nav_inspect(nav, WAYPOST_INDEX_SECTORS, &known));
    DO(waypost_inspection_sectors(known, &side, regions, CELLS, &count));
    CHECK(side > 0 && count > 0 && waypost_nav_is_free(nav, regions[0].at));
    DO(waypost_inspection_chain(known, point(1, 1), point(WIDTH - 2, HEIGHT - 2), record, 64, &count));
    CHECK(count > 1 && waypost_nav_is_free(nav, record[count - 1]));
    waypost_inspection_free(known);
    DO(waypost_nav_inspect(nav, WAYPOST_INDEX_SUBGOALS, &known));
    DO(waypost_inspection_record_count(known, &records));
    DO(waypost_inspection_record(known, 0, record, 64, &count));
    CHECK(records > 0 && count >= 2 && waypost_nav_is_free(nav, record[count - 1]));
    DO(waypost_inspection_chosen_record(known, nav, point(1, 1), point(30, 20), &chosen));
    CHECK(chosen < records || chosen == WAYPOST_NO_RECORD);
    DO(waypost_inspection_record(known, records, record, 64, &count));
    CHECK(count == 0);
    waypost_inspection_free(known);
    DO(waypost_nav_inspect(nav, WAYPOST_INDEX_HIERARCHY, &known));
    DO(waypost_inspection_groups(known, 1, &levels, groups, CELLS, &count));
    CHECK(levels > 1 && count == CELLS && groups[0] != WAYPOST_NO_GROUP && groups[WALL] == WAYPOST_NO_GROUP);
    waypost_inspection_free(known);
    DO(waypost_nav_inspect(nav, WAYPOST_INDEX_CPD, &known));
    DO(waypost_inspection_first_moves(known, point(WIDTH - 1, 0), moves, CELLS, &count));
    CHECK(count > 1000 && is_at(moves[0].from, 0, 0) && waypost_nav_is_free(nav, moves[0].to));
    DO(waypost_inspection_first_moves(known, point(WALL, 0), moves, CELLS, &count));
    CHECK(count == 0);
    waypost_inspection_free(known);
}

/* A map that names a tileset, and a project of two levels: read by the formats that the library was built with. */
static void files(void) {
    static const char tiled[] =
        "<map orientation=\"orthogonal\" width=\"3\" height=\"1\" tilewidth=\"8\" tileheight=\"8\"><tileset firstgid=\"1\" source=\"t.tsx\"/>"
        "<layer name=\"ground\" width=\"3\" height=\"1\"><data encoding=\"csv\">1,2,1</data></layer></map>";
    static const char tileset[] =
        "<tileset name=\"t\" tilewidth=\"8\" tileheight=\"8\"><tile id=\"1\"><properties>"
        "<property name=\"solid\" type=\"bool\" value=\"true\"/></properties></tile></tileset>";
    static const char project[] =
        "{\"levels\":[{\"identifier\":\"A\",\"layerInstances\":[{\"__identifier\":\"W\",\"__type\":\"IntGrid\",\"__cWid\":2,\"__cHei\":1,\"intGridCsv\":[0,1]}]},"
        "{\"identifier\":\"B\",\"layerInstances\":null,\"externalRelPath\":\"B.ldtkl\"}]}";
    static const char level[] =
        "{\"identifier\":\"B\",\"layerInstances\":[{\"__identifier\":\"W\",\"__type\":\"IntGrid\",\"__cWid\":4,\"__cHei\":1,\"intGridCsv\":[0,0,1,0]}]}";
    waypost_file beside[2];
    waypost_file_options options;
    waypost_map *map = NULL;
    uint8_t cells[4];
    size_t count = 0;
    beside[0].name = "t.tsx";
    beside[0].bytes = (const uint8_t *)tileset;
    beside[0].length = strlen(tileset);
    beside[1].name = "B.ldtkl";
    beside[1].bytes = (const uint8_t *)level;
    beside[1].length = strlen(level);
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.files = beside;
    options.file_count = 2;
    if (waypost_map_from_files((const uint8_t *)tiled, strlen(tiled), &options, &map) != WAYPOST_OK) {
        /* Without the formats the bytes are no map. */
        CHECK(strstr(waypost_last_error(), "octile") || strstr(waypost_last_error(), "MovingAI"));
        return;
    }
    DO(waypost_map_cells(map, cells, 4, &count));
    CHECK(count == 3 && cells[0] == 1 && cells[1] == 0 && cells[2] == 1);
    waypost_map_free(map);
    options.layer = "sky";
    CHECK(waypost_map_from_files((const uint8_t *)tiled, strlen(tiled), &options, &map) == WAYPOST_BAD_MAP && strstr(waypost_last_error(), "sky"));
    options.layer = NULL;
    options.level = "B";
    DO(waypost_map_from_files((const uint8_t *)project, strlen(project), &options, &map));
    DO(waypost_map_cells(map, cells, 4, &count));
    CHECK(count == 4 && cells[1] == 1 && cells[2] == 0);
    waypost_map_free(map);
    DO(waypost_map_from_files((const uint8_t *)project, strlen(project), NULL, &map));
    DO(waypost_map_cells(map, cells, 4, &count));
    CHECK(count == 2 && cells[1] == 0);
    waypost_map_free(map);
}

/* What a unit type makes of ground, read back. */
static void grounds(const waypost_map *map) {
    static const waypost_ground given[2] = {{"swamp", 2.5}, {"reeds", 0}};
    waypost_unit_type type;
    waypost_nav *nav = NULL, *heron = NULL;
    double factors[2];
    char names[16];
    size_t count = 0, size = 0;
    memset(&type, 0, sizeof type);
    type.size = sizeof type;
    type.name = "heron";
    type.grounds = given;
    type.ground_count = 2;
    DO(waypost_nav_build(map, NULL, &nav));
    DO(waypost_nav_unit_type_grounds(nav, 0, NULL, 0, &count, NULL, 0, &size));
    CHECK(count == 0 && size == 0);
    DO(waypost_nav_add_unit_type(nav, &type, &heron));
    CHECK(waypost_nav_unit_type_grounds(nav, 1, factors, 1, &count, names, sizeof names, &size) == WAYPOST_TOO_SMALL);
    CHECK(waypost_nav_unit_type_grounds(nav, 1, factors, 2, &count, names, 5, &size) == WAYPOST_TOO_SMALL && count == 2 && size == 12);
    DO(waypost_nav_unit_type_grounds(nav, 1, factors, 2, &count, names, sizeof names, &size));
    CHECK(memcmp(names, "reeds\0swamp", 12) == 0 && factors[0] == 0 && factors[1] == 2.5);
    CHECK(waypost_nav_unit_type_grounds(nav, 2, NULL, 0, NULL, NULL, 0, NULL) == WAYPOST_NO_SUCH_UNIT_TYPE);
    waypost_nav_free(heron);
    waypost_nav_free(nav);
}

int main(void) {
    static uint8_t cells[WIDTH * HEIGHT];
    static const waypost_ground kinds[4] = {{"grass", 1}, {"rock", 0}, {"swamp", 1}, {"reeds", 1}};
    waypost_map *map = NULL;
    waypost_nav *nav = NULL;
    for (int at = 0; at < WIDTH * HEIGHT; ++at) cells[at] = at % WIDTH == WALL && at / WIDTH != DOOR;
    DO(waypost_map_from_classes(WIDTH, HEIGHT, cells, sizeof cells, kinds, 4, &map));
    DO(waypost_nav_build(map, NULL, &nav));
    inspection(nav);
    other_kinds(nav);
    grounds(map);
    files();
    waypost_nav_free(nav);
    waypost_map_free(map);
    puts("everything answered");
    return 0;
}
