// Build the index of a level, save it, open it again, ask for a path.
#include <cstdio>
#include <string>

#include "waypost.hpp"

static const std::string LEVEL =
    "type octile\nheight 5\nwidth 12\nmap\n............\n.@@@@@@@@@@.\n.@........@.\n.@.@@@@@@@@.\n............\n";

int main() {
    const std::vector<std::uint8_t> bytes(LEVEL.begin(), LEVEL.end());
    const waypost::Map map = waypost::Map::from_file_bytes(bytes).value();
    int told = 0;
    waypost::BuildOptions options;
    options.progress = [&](const char *, std::uint64_t, std::uint64_t) { return ++told < 0; };
    const auto file = waypost::Navigator::build(map, options).value().save().value();

    const waypost::Navigator nav = waypost::Navigator::open(map, file).value();
    const waypost::Path path = nav.path({9, 2}, {11, 0}).value();
    const auto corners = nav.path_corners({9, 2}, {11, 0}).value();
    std::printf("%.2f long, %d steps, %d corners\n", path.length, int(path.points.size()) - 1, int(corners.points.size()));

    // Without exceptions: look at the result.
    const auto refused = nav.path({9, 2}, {1, 1});
    if (!refused) std::printf("status %d: %s\n", int(refused.status()), refused.message().c_str());
#ifndef WAYPOST_NO_EXCEPTIONS
    // With them: `value` throws.
    try {
        nav.path({0, 0}, {100, 0}).value();
        return 1;
    } catch (const waypost::Error &error) {
        if (error.status() != WAYPOST_OUTSIDE) return 2;
    }
#endif
    return told > 0 && refused.status() == WAYPOST_WALL ? 0 : 3;
}
