// The entry for the classic track, over the one for the dynamic track.
#include "classic.h"

#include "dynamic.h"

namespace {

// A map of the kit's as the other kit has it; one that cannot be has no cells.
struct Packed {
    Packed(const std::vector<bool> &bits, int width, int height) {
        const bool is_legal = width > 0 && height > 0 && width <= UINT16_MAX && height <= UINT16_MAX && bits.size() >= size_t(width) * size_t(height);
        if (!is_legal) return;
        bytes.resize((bits.size() + 7) / 8, 0);
        for (size_t i = 0; i < bits.size(); ++i) bytes[i / 8] |= static_cast<uint8_t>(bits[i] << (i % 8));
        map = {bytes.data(), static_cast<uint16_t>(width), static_cast<uint16_t>(height), {0, 0}};
    }
    std::vector<uint8_t> bytes;
    gppc_patch map{};
};

// False where more of the path is to come: the kit calls again and joins. An empty path means that there is none.
template <class Location>
bool path_by(void *data, Location start, Location goal, std::vector<Location> &path) {
    const auto point = [](Location at) { return gppc_point{static_cast<uint16_t>(at.x), static_cast<uint16_t>(at.y)}; };
    const gppc_path segment = gppc_get_path(data, point(start), point(goal));
    path.reserve(path.size() + segment.length);
    for (uint32_t i = 0; i < segment.length; ++i)
        path.push_back({static_cast<int16_t>(segment.path[i].x), static_cast<int16_t>(segment.path[i].y)});
    return segment.incomplete == 0;
}

}  // namespace

void PreprocessMap(const std::vector<bool> &bits, int width, int height, const std::string &filename) {
    gppc_preprocess_init_map(Packed(bits, width, height).map, filename.c_str());
}

void *PrepareForSearch(const std::vector<bool> &bits, int width, int height, const std::string &filename) {
    return gppc_search_init(Packed(bits, width, height).map, filename.c_str());
}

bool GetPath(void *data, xyLoc start, xyLoc goal, std::vector<xyLoc> &path) { return path_by(data, start, goal, path); }
bool GetPath(void *data, GPPC::xyLoc start, GPPC::xyLoc goal, std::vector<GPPC::xyLoc> &path) { return path_by(data, start, goal, path); }

std::string GetName() { return gppc_get_name(); }
