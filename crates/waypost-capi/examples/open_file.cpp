// Writes an index into a file, reads it into memory that moves into the world, and asks for many paths at once.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "waypost.hpp"

int main(int argc, char **argv) {
    const std::string name = argc > 1 ? argv[1] : "open_file.nav";
    // Bits row by row: 100 x 40 cells, all free.
    const std::vector<std::uint8_t> bits(500, 0xff);
    const waypost::Map map = waypost::Map::from_bits(100, 40, bits).value();
    waypost::BuildOptions options;
    options.unit_types.push_back({"tank", 3});
    {
        const auto bytes = waypost::Navigator::build(map, options).value().save().value();
        std::ofstream(name, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
    }

    std::ifstream file(name, std::ios::binary);
    std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    // The world goes on for as long as the tank's view of it does.
    const waypost::Navigator tank = waypost::Navigator::open(map, std::move(bytes)).value().for_unit("tank").value();
    const std::vector<waypost::Query> queries{{{0, 0}, {97, 37}}, {{0, 0}, {99, 39}}};
    const waypost::Paths paths = tank.paths(queries).value();
    std::printf("%d points; the second goal is no place for a tank: %s\n", int(paths[0].size()), paths[1].size() == 0 ? "yes" : "no");
    file.close();
    std::remove(name.c_str());
    return paths[0].size() == 98 && paths[1].size() == 0 ? 0 : 1;
}
