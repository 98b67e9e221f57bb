// The C++ header: hello, a crowd of ten thousand with a door, an index that was saved.
#include <cstdio>

#include "waypost.hpp"

using namespace waypost;

static int crowd_with_a_door() {
    const std::uint32_t width = 256, height = 200, units = 10000;
    std::vector<std::uint8_t> cells(width * height, 1);
    const std::vector<Point> doors{{width / 2, 20}, {width / 2, 180}};
    for (std::uint32_t y = 0; y < height; ++y) cells[y * width + width / 2] = 0;
    for (const Point &door : doors) cells[door.y * width + door.x] = 1;
    Map map = Map::from_cells(width, height, cells).value();
    map.set_doors(doors).value();
    const Navigator nav = Navigator::build(map).value();
    Crowd crowd = nav.crowd().value();
    for (std::uint32_t i = 0; i < units; ++i) {
        const Point at{i % 100, i / 100};
        crowd.send(crowd.spawn(at).value(), {width - 1 - at.x, at.y}).value();
    }
    std::vector<Point> positions(units);
    std::size_t arrived = 0;
    for (int tick = 0; tick < 4000 && !crowd.all_arrived(); ++tick) {
        if (tick == 10) nav.set_doors({}, Span<const Point>(doors.data(), 1)).value();
        crowd.tick(positions).value();
        for (const Event &event : crowd.events().value()) arrived += event.kind == WAYPOST_EVENT_ARRIVED;
    }
    std::printf("%d arrived\n", int(arrived));
    return arrived == units ? 0 : 1;
}

int main() {
    const std::vector<std::uint8_t> cells(40 * 30, 1);
    const Map map = Map::from_cells(40, 30, cells).value();
    BuildOptions options;
    int told = 0;
    options.unit_types.push_back({"tank", 2});
    options.progress = [&](const char *, std::uint64_t, std::uint64_t) { return ++told < 0; };
    const auto file = Navigator::build(map, options).value().save().value();
    const Navigator nav = Navigator::open(map, file).value();
    const Path path = nav.path({3, 4}, {35, 28}).value();
    std::printf("%.2f long, %d points, told %s\n", path.length, int(path.points.size()), told > 0 ? "yes" : "no");
    const auto refused = nav.for_unit("tank").value().path({39, 29}, {0, 0});
    if (refused || refused.status() != WAYPOST_WALL) return 1;
#ifndef WAYPOST_NO_EXCEPTIONS
    try {
        nav.path({0, 0}, {100, 0}).value();
        return 1;
    } catch (const Error &error) {
        std::printf("%s\n", error.what());
    }
#endif
    return crowd_with_a_door();
}
