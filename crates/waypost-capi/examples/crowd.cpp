// Ten thousand units cross a wall with two doors, one of which closes before anybody is there.
#include <cstdio>
#include <cstdlib>

#include "waypost.hpp"

using waypost::Point;

int main(int argc, char **argv) {
    const std::uint32_t width = 256, height = 200, units = argc > 1 ? std::uint32_t(std::atoi(argv[1])) : 10000;
    std::vector<std::uint8_t> cells(width * height, 1);
    const std::vector<Point> doors{{width / 2, 20}, {width / 2, 180}};
    for (std::uint32_t y = 0; y < height; ++y) cells[y * width + width / 2] = 0;
    for (const Point &door : doors) cells[door.y * width + door.x] = 1;

    waypost::Map map = waypost::Map::from_cells(width, height, cells).value();
    map.set_doors(doors).value();
    const waypost::Navigator nav = waypost::Navigator::build(map).value();
    waypost::Crowd crowd = nav.crowd().value();
    for (std::uint32_t i = 0; i < units; ++i) {
        const Point at{i % 100, i / 100 % height};
        crowd.send(crowd.spawn(at).value(), Point{width - 1 - at.x, at.y}).value();
    }
    std::vector<Point> positions(units);
    std::size_t arrived = 0;
    for (int tick = 0; tick < 4000 && !crowd.all_arrived(); ++tick) {
        if (tick == 10) nav.set_doors({}, {&doors[0], 1}).value();
        crowd.tick(positions).value();
        for (const auto &event : crowd.events().value()) arrived += event.kind == WAYPOST_EVENT_ARRIVED;
    }
    std::printf("%d arrived\n", int(arrived));
    for (std::uint32_t i = 0; i < units; ++i)
        if (positions[i].x != width - 1 - i % 100) return 1;
    return arrived == units ? 0 : 2;
}
