/* What the classic start kit of the Grid-based Path Planning Competition asks of an entry. */
#ifndef WAYPOST_GPPC_CLASSIC_H
#define WAYPOST_GPPC_CLASSIC_H

#include <cstdint>
#include <string>
#include <vector>

// A column and a row. Kits name it with or without a namespace, which is part of the name that the linker looks for.
namespace GPPC {
struct xyLoc {
    int16_t x, y;
};
}  // namespace GPPC
struct xyLoc {
    int16_t x, y;
};

void PreprocessMap(const std::vector<bool> &bits, int width, int height, const std::string &filename);
void *PrepareForSearch(const std::vector<bool> &bits, int width, int height, const std::string &filename);
bool GetPath(void *data, xyLoc start, xyLoc goal, std::vector<xyLoc> &path);
bool GetPath(void *data, GPPC::xyLoc start, GPPC::xyLoc goal, std::vector<GPPC::xyLoc> &path);
std::string GetName();

#endif
