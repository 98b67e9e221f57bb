// Drives the entry as the competition does: preprocessing and searching in processes of their own, with nothing but the index
// file between them. Every path is checked: legal steps, right ends, the length that the scenario says.
//
//   runner -pre MAP INDEX            runner -check MAP INDEX SCENARIO [every]
//   runner -pre-dynamic SCENARIO PATCHES INDEX    runner -check-dynamic SCENARIO PATCHES INDEX
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "classic.h"
#include "dynamic.h"

namespace {

const double DIAGONAL = std::sqrt(2.0);
const double FIRST_LENGTH = 20.0;

struct Level {
    int width = 0, height = 0;
    std::vector<bool> bits;
    bool is_free(int x, int y) const {
        return x >= 0 && y >= 0 && x < width && y < height && bits[size_t(y) * size_t(width) + size_t(x)];
    }
};

[[noreturn]] void fail(const std::string &message) {
    std::cerr << "error: " << message << "\n";
    std::exit(1);
}

std::ifstream open(const std::string &name) {
    std::ifstream file(name);
    if (!file) fail("cannot read " + name);
    return file;
}

bool is_passable(char letter) { return letter == '.' || letter == 'G' || letter == 'S'; }

void read_rows(std::istream &file, Level &level) {
    std::string row;
    for (int y = 0; y < level.height && file >> row; ++y)
        for (int x = 0; x < level.width; ++x) level.bits.push_back(is_passable(row.at(size_t(x))));
}

Level read_map(const std::string &name) {
    auto file = open(name);
    Level level;
    std::string word;
    while (file >> word && word != "map") {
        if (word == "height") file >> level.height;
        if (word == "width") file >> level.width;
    }
    read_rows(file, level);
    if (level.bits.size() != size_t(level.width) * size_t(level.height)) fail(name + " is cut short");
    return level;
}

std::vector<uint8_t> packed(const std::vector<bool> &bits) {
    std::vector<uint8_t> bytes((bits.size() + 7) / 8, 0);
    for (size_t i = 0; i < bits.size(); ++i)
        if (bits[i]) bytes[i / 8] |= uint8_t(1u << (i % 8));
    return bytes;
}

// The length of a path; negative where it is not legal.
double length_of(const Level &level, const std::vector<xyLoc> &path) {
    double length = 0;
    for (size_t i = 0; i < path.size(); ++i) {
        if (!level.is_free(path[i].x, path[i].y)) return -1;
        if (i == 0) continue;
        const int dx = path[i].x - path[i - 1].x, dy = path[i].y - path[i - 1].y;
        if (std::abs(dx) > 1 || std::abs(dy) > 1 || (dx == 0 && dy == 0)) return -1;
        if (dx != 0 && dy != 0 && !(level.is_free(path[i - 1].x + dx, path[i - 1].y) && level.is_free(path[i - 1].x, path[i - 1].y + dy)))
            return -1;
        length += dx != 0 && dy != 0 ? DIAGONAL : 1.0;
    }
    return length;
}

// Processor time of this process, all its threads together, in microseconds: it does not run on while others do. A reading costs some
// tenths of a microsecond, which count against the entry.
double now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e6 + double(time.tv_nsec) / 1e3;
}

// Times as the competition takes them.
struct Times {
    double first = 0, longest_step = 0, total = 0;
    size_t queries = 0, wrong = 0;

    void print(const char *name, double changes) const {
        const double count = queries == 0 ? 1.0 : double(queries);
        std::printf("%-24s %8zu queries %4zu wrong  first 20: %8.2f us  longest step: %9.2f us  mean: %9.2f us  changes: %10.0f us\n", name,
                    queries, wrong, first / count, longest_step, total / count, changes);
    }
};

// One query: segments until the path is whole, then the check.
template <class Ask>
void query(const Level &level, xyLoc start, xyLoc goal, double expected, double tolerance, Times &times, Ask ask) {
    std::vector<xyLoc> path;
    double spent = 0, first = -1;
    for (bool done = false; !done;) {
        const double begun = now();
        done = ask(start, goal, path);
        const double step = now() - begun;
        spent += step;
        times.longest_step = std::max(times.longest_step, step);
        if (first < 0 && (done || length_of(level, path) >= FIRST_LENGTH)) first = spent;
    }
    times.first += first;
    times.total += spent;
    ++times.queries;
    const double length = length_of(level, path);
    const bool ends = !path.empty() && path.front().x == start.x && path.front().y == start.y && path.back().x == goal.x && path.back().y == goal.y;
    // A scenario writes -1, or 0 for two different cells, where there is no way.
    const bool is_one_cell = start.x == goal.x && start.y == goal.y;
    const bool has_none = expected < 0 || (expected == 0 && !is_one_cell) || !level.is_free(start.x, start.y) || !level.is_free(goal.x, goal.y);
    const bool is_right = has_none ? path.empty() : ends && length >= 0 && std::fabs(length - expected) <= tolerance;
    if (is_right) return;
    ++times.wrong;
    std::cerr << "wrong: " << start.x << "," << start.y << " to " << goal.x << "," << goal.y << ": " << length << ", expected " << expected
              << " (" << path.size() << " points)\n";
}

// Half a unit of the last digit that the scenario prints, and some for the sum.
double tolerance_of(const std::string &text) {
    const auto dot = text.find('.');
    const size_t digits = dot == std::string::npos ? 0 : text.size() - dot - 1;
    return 0.51 * std::pow(10.0, -double(digits)) + 1e-6;
}

int check(const std::string &map, const std::string &index, const std::string &scenario, int every) {
    const Level level = read_map(map);
    void *data = PrepareForSearch(level.bits, level.width, level.height, index);
    auto file = open(scenario);
    std::string line;
    std::getline(file, line);
    Times times;
    for (int number = 0; std::getline(file, line); ++number) {
        if (number % every != 0) continue;
        std::istringstream words(line);
        int bucket, width, height, sx, sy, gx, gy;
        std::string name, length;
        if (!(words >> bucket >> name >> width >> height >> sx >> sy >> gx >> gy >> length)) continue;
        const xyLoc start{int16_t(sx), int16_t(sy)}, goal{int16_t(gx), int16_t(gy)};
        query(level, start, goal, std::stod(length), tolerance_of(length), times,
              [&](xyLoc a, xyLoc b, std::vector<xyLoc> &path) { return GetPath(data, a, b, path); });
    }
    gppc_free_data(data);
    times.print(map.substr(map.find_last_of('/') + 1).c_str(), 0);
    return times.wrong == 0 && times.queries > 0 ? 0 : 1;
}

// The header of a dynamic scenario: all cells are free at first.
Level read_head(std::istream &file) {
    Level level;
    std::string word;
    while (file >> word && word != "commands") {
        if (word == "height") file >> level.height;
        if (word == "width") file >> level.width;
    }
    level.bits.assign(size_t(level.width) * size_t(level.height), true);
    return level;
}

std::vector<Level> read_patches(const std::string &name) {
    auto file = open(name);
    std::vector<Level> patches;
    std::string word;
    while (file >> word) {
        if (word == "height") {
            patches.emplace_back();
            file >> patches.back().height;
        } else if (word == "width") {
            file >> patches.back().width;
        } else if (word == "map") {
            read_rows(file, patches.back());
        }
    }
    return patches;
}

struct Change {
    size_t patch;
    int x, y;
};

void lay(Level &level, const Level &patch, const Change &one) {
    for (int y = 0; y < patch.height; ++y)
        for (int x = 0; x < patch.width; ++x)
            if (one.x + x < level.width && one.y + y < level.height)
                level.bits[size_t(one.y + y) * size_t(level.width) + size_t(one.x + x)] = patch.bits[size_t(y) * size_t(patch.width) + size_t(x)];
}

// The map that preprocessing and searching begin with: that of the first query, with what is laid on before it.
Level first_map(std::istream &file, const std::vector<Level> &patches) {
    Level level = read_head(file);
    std::string kind;
    auto place = file.tellg();
    while (file >> kind && kind == "P") {
        int frame;
        Change one{};
        file >> frame >> one.patch >> one.x >> one.y;
        lay(level, patches.at(one.patch), one);
        place = file.tellg();
    }
    file.clear();
    file.seekg(place);
    return level;
}

// Lays patches on the level and tells the entry; gives the time that it took.
double change(Level &level, const std::vector<Level> &patches, std::vector<Change> &changes, void *data) {
    std::vector<std::vector<uint8_t>> bytes;
    std::vector<gppc_patch> told;
    bytes.reserve(changes.size());
    for (const Change &one : changes) {
        const Level &patch = patches.at(one.patch);
        bytes.push_back(packed(patch.bits));
        told.push_back({bytes.back().data(), uint16_t(patch.width), uint16_t(patch.height), {uint16_t(one.x), uint16_t(one.y)}});
        lay(level, patch, one);
    }
    changes.clear();
    const double begun = now();
    gppc_map_change(data, told.data(), uint32_t(told.size()));
    return now() - begun;
}

int check_dynamic(const std::string &scenario, const std::string &patch_file, const std::string &index) {
    auto file = open(scenario);
    const auto patches = read_patches(patch_file);
    Level level = first_map(file, patches);
    const auto bytes = packed(level.bits);
    void *data = gppc_search_init({bytes.data(), uint16_t(level.width), uint16_t(level.height), {0, 0}}, index.c_str());
    Times times;
    std::vector<Change> changes;
    double spent = 0;
    std::string kind, length;
    int frame;
    while (file >> kind >> frame) {
        if (kind == "P") {
            Change one{};
            file >> one.patch >> one.x >> one.y;
            changes.push_back(one);
            continue;
        }
        int sx, sy, gx, gy;
        file >> sx >> sy >> gx >> gy >> length;
        if (!changes.empty()) spent += change(level, patches, changes, data);
        query(level, {int16_t(sx), int16_t(sy)}, {int16_t(gx), int16_t(gy)}, std::stod(length), 1e-6, times,
              [&](xyLoc a, xyLoc b, std::vector<xyLoc> &path) { return GetPath(data, a, b, path); });
    }
    gppc_free_data(data);
    times.print(scenario.substr(scenario.find_last_of('/') + 1).c_str(), spent);
    return times.wrong == 0 && times.queries > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() == 3 && words[0] == "-pre") {
        const Level level = read_map(words[1]);
        PreprocessMap(level.bits, level.width, level.height, words[2]);
        return 0;
    }
    if (words.size() >= 4 && words[0] == "-check")
        return check(words[1], words[2], words[3], words.size() > 4 ? std::max(1, std::stoi(words[4])) : 1);
    if (words.size() == 4 && words[0] == "-pre-dynamic") {
        auto file = open(words[1]);
        const Level level = first_map(file, read_patches(words[2]));
        const auto bytes = packed(level.bits);
        gppc_preprocess_init_map({bytes.data(), uint16_t(level.width), uint16_t(level.height), {0, 0}}, words[3].c_str());
        return 0;
    }
    if (words.size() == 4 && words[0] == "-check-dynamic") return check_dynamic(words[1], words[2], words[3]);
    std::cerr << "usage: runner -pre MAP INDEX | -check MAP INDEX SCENARIO [every] | -pre-dynamic SCENARIO PATCHES INDEX | -check-dynamic SCENARIO PATCHES INDEX\n";
    return 2;
}
