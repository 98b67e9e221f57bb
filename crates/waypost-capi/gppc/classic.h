/* What the classic start kit of the Grid-based Path Planning Competition asks of an entry. */
#ifndef WAYPOST_GPPC_CLASSIC_H
#define WAYPOST_GPPC_CLASSIC_H

#include <cstdint>
#include <string>
#include <vector>

struct xyLoc {
    int16_t x, y;
};

void PreprocessMap(const std::vector<bool> &bits, int width, int height, const std::string &filename);
void *PrepareForSearch(const std::vector<bool> &bits, int width, int height, const std::string &filename);
bool GetPath(void *data, xyLoc start, xyLoc goal, std::vector<xyLoc> &path);
std::string GetName();

#endif
