// Calls of the competition entry in orders and with maps that no kit should send: answers or "no path", nothing else.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../../gppc/classic.h"
#include "../../gppc/dynamic.h"

namespace {

void require(bool holds, const char *what, int line) {
    if (holds) return;
    std::fprintf(stderr, "line %d: %s\n", line, what);
    std::exit(1);
}
#define REQUIRE(condition) require(condition, #condition, __LINE__)

gppc_patch open_map(std::vector<uint8_t> &bits, uint16_t width, uint16_t height) {
    bits.assign((size_t(width) * height + 7) / 8, 0xff);
    return {bits.data(), width, height, {0, 0}};
}

// All segments of a path, joined.
std::vector<gppc_point> whole_path(void *data, gppc_point start, gppc_point goal) {
    std::vector<gppc_point> points;
    for (;;) {
        const gppc_path part = gppc_get_path(data, start, goal);
        points.insert(points.end(), part.path, part.path + part.length);
        if (part.incomplete == 0) return points;
        REQUIRE(part.length > 0);
    }
}

bool is_at(gppc_point point, int x, int y) { return point.x == x && point.y == y; }

void maps_at_the_edge(const char *index) {
    std::vector<uint8_t> bits;
    const gppc_patch one = open_map(bits, 1, 1);
    gppc_preprocess_init_map(one, index);
    void *data = gppc_search_init(one, index);
    REQUIRE(data);
    REQUIRE(whole_path(data, {0, 0}, {0, 0}).size() == 1);
    REQUIRE(whole_path(data, {0, 0}, {1, 0}).empty() && whole_path(data, {65535, 65535}, {0, 0}).empty());
    gppc_free_data(data);

    // No cell at all, and only walls.
    gppc_preprocess_init_map({bits.data(), 0, 0, {0, 0}}, index);
    REQUIRE(gppc_search_init({bits.data(), 0, 5, {0, 0}}, index) == nullptr);
    std::vector<uint8_t> walls(13, 0);
    data = gppc_search_init({walls.data(), 10, 10, {0, 0}}, index);
    REQUIRE(data && whole_path(data, {1, 1}, {2, 2}).empty());
    gppc_free_data(data);

    // Nothing was made: questions are answered all the same.
    REQUIRE(gppc_get_path(nullptr, {0, 0}, {0, 0}).length == 0);
    gppc_map_change(nullptr, nullptr, 0);
    gppc_free_data(nullptr);
    REQUIRE(gppc_get_name()[0] != 0 && GetName() == gppc_get_name());
}

void indexes_that_do_not_fit(const char *index) {
    std::vector<uint8_t> bits, others;
    const gppc_patch map = open_map(bits, 60, 40);
    // No file, one of another map, and one that is none.
    std::remove(index);
    void *without = gppc_search_init(map, index);
    REQUIRE(without && whole_path(without, {0, 0}, {59, 0}).size() == 60);
    gppc_free_data(without);
    gppc_preprocess_init_map(open_map(others, 61, 40), index);
    void *other = gppc_search_init(map, index);
    REQUIRE(other && whole_path(other, {0, 0}, {59, 39}).size() == 60);
    gppc_free_data(other);
    std::FILE *file = std::fopen(index, "wb");
    REQUIRE(file && std::fputs("no index", file) >= 0 && std::fclose(file) == 0);
    void *damaged = gppc_search_init(map, index);
    REQUIRE(damaged && whole_path(damaged, {3, 3}, {3, 9}).size() == 7);
    gppc_free_data(damaged);
    gppc_preprocess_init_map(map, "no/such/folder/index.nav");
}

void questions_under_way(const char *index) {
    std::vector<uint8_t> bits, others;
    const gppc_patch map = open_map(bits, 100, 100);
    gppc_preprocess_init_map(map, index);
    // Two maps in a row, open at the same time.
    void *data = gppc_search_init(map, index);
    const gppc_patch small = open_map(others, 30, 30);
    gppc_preprocess_init_map(small, index);
    void *second = gppc_search_init(small, index);
    REQUIRE(data && second);
    const gppc_path first = gppc_get_path(data, {0, 50}, {99, 50});
    REQUIRE(first.incomplete == 1 && first.length > 20 && is_at(first.path[0], 0, 50));
    REQUIRE(whole_path(second, {0, 0}, {29, 29}).size() == 30);
    // Another start to the same goal is another question, asked before the first one was answered whole.
    auto path = whole_path(data, {0, 90}, {99, 50});
    REQUIRE(is_at(path.front(), 0, 90) && is_at(path.back(), 99, 50) && path.size() == 100);
    // The rest of a path, asked for from where its first part ended.
    const gppc_path begun = gppc_get_path(data, {0, 50}, {99, 50});
    const uint32_t parts = begun.length;
    const gppc_path rest = gppc_get_path(data, begun.path[parts - 1], {99, 50});
    REQUIRE(rest.incomplete == 0 && parts + rest.length == 100 && is_at(rest.path[0], int(parts), 50));
    // A change in the middle of a path: the next call begins again, around a wall that reaches beyond the map.
    REQUIRE(gppc_get_path(data, {0, 50}, {99, 50}).incomplete == 1);
    const std::vector<uint8_t> wall(99, 0);
    const gppc_patch change = {wall.data(), 1, 99, {50, 5}};
    gppc_map_change(data, &change, 1);
    path = whole_path(data, {0, 50}, {99, 50});
    REQUIRE(is_at(path.front(), 0, 50) && is_at(path.back(), 99, 50));
    for (const gppc_point &point : path) REQUIRE(point.x != 50 || point.y < 5);
    gppc_map_change(data, nullptr, 0);
    gppc_free_data(second);
    gppc_free_data(data);
}

template <class Location>
void classic(const std::string &index) {
    const std::vector<bool> bits(50 * 20, true);
    PreprocessMap(bits, 50, 20, index);
    void *data = PrepareForSearch(bits, 50, 20, index);
    std::vector<Location> path;
    while (!GetPath(data, Location{0, 3}, Location{49, 3}, path)) {
    }
    REQUIRE(path.size() == 50 && path.front().x == 0 && path.back().x == 49);
    path.clear();
    REQUIRE(GetPath(data, Location{-1, 3}, Location{49, 3}, path) && path.empty());
    // Fewer bits than cells, and sizes that cannot be.
    REQUIRE(PrepareForSearch(bits, 50, 21, index) == nullptr && PrepareForSearch(bits, -50, -20, index) == nullptr);
    gppc_free_data(data);
}

}  // namespace

int main() {
    maps_at_the_edge("entry.nav");
    indexes_that_do_not_fit("entry.nav");
    questions_under_way("entry.nav");
    classic<xyLoc>("entry.nav");
    classic<GPPC::xyLoc>("entry.nav");
    std::puts("the entry answered");
    return 0;
}
