// The entry for the classic track, over the one for the dynamic track.
#include "classic.h"

#include "dynamic.h"

namespace {

std::vector<uint8_t> packed(const std::vector<bool> &bits) {
    std::vector<uint8_t> bytes((bits.size() + 7) / 8, 0);
    for (size_t i = 0; i < bits.size(); ++i) bytes[i / 8] |= static_cast<uint8_t>(bits[i] << (i % 8));
    return bytes;
}

gppc_patch whole(const std::vector<uint8_t> &bytes, int width, int height) {
    return {bytes.data(), static_cast<uint16_t>(width), static_cast<uint16_t>(height), {0, 0}};
}

gppc_point point(xyLoc at) { return {static_cast<uint16_t>(at.x), static_cast<uint16_t>(at.y)}; }

}  // namespace

void PreprocessMap(const std::vector<bool> &bits, int width, int height, const std::string &filename) {
    const auto bytes = packed(bits);
    gppc_preprocess_init_map(whole(bytes, width, height), filename.c_str());
}

void *PrepareForSearch(const std::vector<bool> &bits, int width, int height, const std::string &filename) {
    const auto bytes = packed(bits);
    return gppc_search_init(whole(bytes, width, height), filename.c_str());
}

// False where more of the path is to come: the kit calls again and joins. An empty path means that there is none.
bool GetPath(void *data, xyLoc start, xyLoc goal, std::vector<xyLoc> &path) {
    const gppc_path segment = gppc_get_path(data, point(start), point(goal));
    path.reserve(path.size() + segment.length);
    for (uint32_t i = 0; i < segment.length; ++i)
        path.push_back({static_cast<int16_t>(segment.path[i].x), static_cast<int16_t>(segment.path[i].y)});
    return segment.incomplete == 0;
}

std::string GetName() { return gppc_get_name(); }
