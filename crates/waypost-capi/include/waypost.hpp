// Waypost for C++17: handles that free themselves, arrays as pointer and size or vectors, and failures as exceptions or, with
// WAYPOST_NO_EXCEPTIONS defined, as results only.
//
//   waypost::Navigator nav = waypost::Navigator::build(waypost::Map::from_cells(w, h, cells).value()).value();
//   waypost::Path path = nav.path({3, 4}, {35, 28}).value();
//
// Every call gives a Result: `value()` throws waypost::Error where the call failed (it ends the program where exceptions are
// off); `if (result)` and `result.status()` do without. Threads are as waypost.h says at each function.
#ifndef WAYPOST_HPP
#define WAYPOST_HPP

#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#ifndef WAYPOST_NO_EXCEPTIONS
#include <stdexcept>
#endif

#include "waypost.h"

namespace waypost {

using Point = waypost_point;
using Query = waypost_query;
using Edit = waypost_edit;
using Event = waypost_event;
using Unit = waypost_unit;
using UnitId = waypost_unit_id;
using Tick = waypost_tick;
using Goal = waypost_goal;
using Ticket = waypost_ticket;
using Transform = waypost_transform;
using IndexInfo = waypost_index_info;
using Corner = waypost_corner;
using Region = waypost_region;
using Reached = waypost_reached;
using Door = waypost_door;
using FirstMove = waypost_first_move;
using CrowdOptions = waypost_crowd_options;
using Status = waypost_status;

inline std::uint32_t version() { return waypost_version(); }
inline const char *version_text() { return waypost_version_text(); }

// A view of elements that somebody else owns.
template <class T>
class Span {
public:
    Span() = default;
    Span(T *data, std::size_t size) : data_(data), size_(size) {}
    template <class Container, class = decltype(std::declval<Container &>().data())>
    Span(Container &container) : data_(container.data()), size_(container.size()) {}
    T *data() const { return data_; }
    std::size_t size() const { return size_; }
    T *begin() const { return data_; }
    T *end() const { return data_ + size_; }
    T &operator[](std::size_t at) const { return data_[at]; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

#ifndef WAYPOST_NO_EXCEPTIONS
class Error : public std::runtime_error {
public:
    Error(Status status, const std::string &message) : std::runtime_error(message), status_(status) {}
    Status status() const { return status_; }

private:
    Status status_;
};
#endif

struct Nothing {};

// What a call came to, and its value where it was done.
template <class T>
class Result {
public:
    Result(T value) : value_(std::move(value)) {}
    static Result failed(Status status) { return failed(status, waypost_last_error()); }
    static Result failed(Status status, const char *message) {
        Result result{T{}};
        result.status_ = status;
        result.message_ = message;
        return result;
    }
    explicit operator bool() const { return status_ == WAYPOST_OK; }
    Status status() const { return status_; }
    const std::string &message() const { return message_; }
    T &value() & {
        require();
        return value_;
    }
    T value() && {
        require();
        return std::move(value_);
    }

private:
    void require() const {
        if (status_ == WAYPOST_OK) return;
#ifndef WAYPOST_NO_EXCEPTIONS
        throw Error(status_, message_);
#else
        std::abort();
#endif
    }
    Status status_ = WAYPOST_OK;
    std::string message_;
    T value_;
};

namespace detail {

struct Free {
    void operator()(waypost_map *map) const { waypost_map_free(map); }
    void operator()(waypost_nav *nav) const { waypost_nav_free(nav); }
    void operator()(waypost_crowd *crowd) const { waypost_crowd_free(crowd); }
    void operator()(waypost_requests *requests) const { waypost_requests_free(requests); }
    void operator()(waypost_type_job *job) const { waypost_type_job_free(job); }
    void operator()(waypost_inspection *inspection) const { waypost_inspection_free(inspection); }
    void operator()(waypost_field *field) const { waypost_field_free(field); }
};

template <class T>
using Handle = std::unique_ptr<T, Free>;

inline Result<Nothing> done(Status status) {
    return status == WAYPOST_OK ? Result<Nothing>(Nothing{}) : Result<Nothing>::failed(status);
}

template <class T>
Result<T> answer(Status status, T value) {
    return status == WAYPOST_OK ? Result<T>(std::move(value)) : Result<T>::failed(status);
}

// Calls a function that writes one value.
template <class T, class Call>
Result<T> ask(Call call) {
    T value{};
    const Status status = call(&value);
    return answer<T>(status, std::move(value));
}

// Calls a function that makes a handle.
template <class Owner, class Raw, class Call>
Result<Owner> make(Call call) {
    Raw *raw = nullptr;
    const Status status = call(&raw);
    if (status != WAYPOST_OK) return Result<Owner>::failed(status);
    return Owner(raw);
}

// Calls a function that writes into an array until the array is large enough.
template <class T, class Call>
Result<std::vector<T>> fill(std::size_t guess, Call call) {
    std::vector<T> out(guess);
    for (;;) {
        std::size_t count = 0;
        const Status status = call(out.data(), out.size(), &count);
        if (status != WAYPOST_OK && status != WAYPOST_TOO_SMALL) return Result<std::vector<T>>::failed(status);
        out.resize(count);
        if (status == WAYPOST_OK) return out;
    }
}

// Texts one after the other, each with a zero at its end.
inline std::vector<std::string> texts(const std::vector<char> &all) {
    std::vector<std::string> found;
    for (std::size_t at = 0; at < all.size(); at += found.back().size() + 1) found.emplace_back(all.data() + at);
    return found;
}

}  // namespace detail

// Where all memory of the library comes from; before any other call, once.
inline Result<Nothing> set_allocator(waypost_allocator allocator) {
    allocator.size = sizeof allocator;
    return detail::done(waypost_set_allocator(&allocator));
}

// The middle of a cell in a game's coordinates, and the cell that holds a position.
inline Result<std::array<float, 2>> position_of(const Transform &transform, Point cell) {
    return detail::ask<std::array<float, 2>>([&](std::array<float, 2> *out) { return waypost_transform_position(&transform, cell, out->data()); });
}
inline Result<Point> cell_of(const Transform &transform, std::array<float, 2> position) {
    return detail::ask<Point>([&](Point *out) { return waypost_transform_cell(&transform, position.data(), out); });
}

// A class of ground by its name: how many times its length a step costs, 0.1 to 100; 0 is a wall.
struct Ground {
    std::string name;
    double factor = 1;
};

namespace detail {

// Points into the names: for as long as these live.
inline std::vector<waypost_ground> raw_grounds(Span<const Ground> grounds) {
    std::vector<waypost_ground> raw;
    for (const Ground &ground : grounds) raw.push_back({ground.name.c_str(), ground.factor});
    return raw;
}

}  // namespace detail

struct Size {
    std::uint32_t width = 0, height = 0;
};

// A file that another one names, by the name that it has there.
struct File {
    std::string name;
    Span<const std::uint8_t> bytes;
};

struct FileOptions {
    // LDtk: the level, by its name; the first where it is empty.
    std::string level = {};
    // Tiled: the layer whose tiles are walls; LDtk: the layer of integers. Found by their names where it is empty.
    std::string layer = {};
    // Tilesets of Tiled maps, levels of LDtk projects.
    std::vector<File> files = {};
};

// How units may move.
struct Rules {
    waypost_corners corners = WAYPOST_CORNERS_NEVER;
    waypost_costs costs = WAYPOST_COSTS_SQRT2;
};

class Map {
public:
    Map() = default;
    explicit Map(waypost_map *raw) : handle_(raw) {}

    static Result<Map> from_bits(std::uint32_t width, std::uint32_t height, Span<const std::uint8_t> bits) {
        return made([&](waypost_map **out) { return waypost_map_from_bits(width, height, bits.data(), bits.size(), out); });
    }
    static Result<Map> from_cells(std::uint32_t width, std::uint32_t height, Span<const std::uint8_t> cells) {
        return made([&](waypost_map **out) { return waypost_map_from_cells(width, height, cells.data(), cells.size(), out); });
    }
    static Result<Map> from_file_bytes(Span<const std::uint8_t> bytes) {
        return made([&](waypost_map **out) { return waypost_map_from_file_bytes(bytes.data(), bytes.size(), out); });
    }
    // Of a file that names others, or holds more than one map.
    static Result<Map> from_files(Span<const std::uint8_t> bytes, const FileOptions &options) {
        std::vector<waypost_file> files;
        for (const File &file : options.files) files.push_back({file.name.c_str(), file.bytes.data(), file.bytes.size()});
        waypost_file_options raw{};
        raw.size = sizeof raw;
        raw.level = options.level.empty() ? nullptr : options.level.c_str();
        raw.layer = options.layer.empty() ? nullptr : options.layer.c_str();
        raw.files = files.data();
        raw.file_count = files.size();
        return made([&](waypost_map **out) { return waypost_map_from_files(bytes.data(), bytes.size(), &raw, out); });
    }
    // Classes of ground, each cell a number of `grounds`; the first is what a wall becomes when it is opened.
    static Result<Map> from_classes(std::uint32_t width, std::uint32_t height, Span<const std::uint8_t> cells, Span<const Ground> grounds) {
        const auto raw = detail::raw_grounds(grounds);
        return made([&](waypost_map **out) { return waypost_map_from_classes(width, height, cells.data(), cells.size(), raw.data(), raw.size(), out); });
    }
    // What a step costs in each cell, in lengths; 0 is a wall.
    static Result<Map> from_factors(std::uint32_t width, std::uint32_t height, Span<const double> factors) {
        return made([&](waypost_map **out) { return waypost_map_from_factors(width, height, factors.data(), factors.size(), out); });
    }
    Result<Nothing> set_rules(waypost_corners corners, waypost_costs costs) {
        return detail::done(waypost_map_set_rules(get(), corners, costs));
    }
    Result<Nothing> set_doors(Span<const Point> doors) { return detail::done(waypost_map_set_doors(get(), doors.data(), doors.size())); }
    Result<Size> size() const {
        return detail::ask<Size>([&](Size *out) { return waypost_map_size(get(), &out->width, &out->height); });
    }
    // One byte a cell, row by row: 1 is free.
    Result<std::vector<std::uint8_t>> cells() const {
        return detail::fill<std::uint8_t>(0, [&](std::uint8_t *out, std::size_t capacity, std::size_t *count) { return waypost_map_cells(get(), out, capacity, count); });
    }
    // What a step costs in each cell, row by row, in lengths; 0 is a wall.
    Result<std::vector<double>> factors() const {
        return detail::fill<double>(0, [&](double *out, std::size_t capacity, std::size_t *count) { return waypost_map_factors(get(), out, capacity, count); });
    }
    Result<std::vector<Door>> doors() const {
        return detail::fill<Door>(64, [&](Door *out, std::size_t capacity, std::size_t *count) { return waypost_map_doors(get(), out, capacity, count); });
    }
    Result<Rules> rules() const {
        std::uint32_t corners = 0, costs = 0;
        const Status status = waypost_map_rules(get(), &corners, &costs);
        return detail::answer(status, Rules{static_cast<waypost_corners>(corners), static_cast<waypost_costs>(costs)});
    }
    waypost_map *get() const { return handle_.get(); }

private:
    template <class Call>
    static Result<Map> made(Call call) {
        return detail::make<Map, waypost_map>(call);
    }
    detail::Handle<waypost_map> handle_;
};

struct Path {
    std::vector<Point> points;
    double length = 0;
};

// Many paths: path i is points[offsets[i]] to points[offsets[i + 1] - 1], infinitely long where there is none.
struct Paths {
    std::vector<Point> points;
    std::vector<std::size_t> offsets;
    std::vector<double> lengths;
    Span<const Point> operator[](std::size_t at) const { return {points.data() + offsets[at], offsets[at + 1] - offsets[at]}; }
};

struct UnitType {
    std::string name;
    std::uint32_t cells = 1;
    // What it makes of classes of ground; the others are what the map says.
    std::vector<Ground> grounds = {};
};

struct Nearest {
    std::size_t number = 0;
    Path path;
};

// What a build is told and asked: the stage, parts done, parts in all; true stops it.
using Progress = std::function<bool(const char *, std::uint64_t, std::uint64_t)>;

struct BuildOptions {
    std::uint64_t max_bytes = 0;
    double max_seconds = 0;
    std::vector<UnitType> unit_types;
    Progress progress;
    // Cuts labels to so many bytes; 0 does not.
    std::uint64_t fit_bytes = 0;
    // Builds on so many threads of its own; 0 on all cores.
    std::size_t threads = 0;
};

struct Sectors {
    std::uint32_t side = 0;
    std::vector<Region> regions;
};

struct Fact {
    std::string name, value;
};

// The number of the group of each cell, row by row, WAYPOST_NO_GROUP for walls.
struct Groups {
    std::uint32_t levels = 0;
    std::vector<std::uint32_t> groups;
};

// What an index knows of a map; what it is not made for is empty.
class Inspection {
public:
    Inspection() = default;
    explicit Inspection(waypost_inspection *raw) : handle_(raw) {}

    Result<waypost_index_kind> kind() const {
        return detail::ask<waypost_index_kind>([&](waypost_index_kind *out) { return waypost_inspection_kind(get(), out, nullptr); });
    }
    Result<std::uint64_t> memory_bytes() const {
        return detail::ask<std::uint64_t>([&](std::uint64_t *out) { return waypost_inspection_kind(get(), nullptr, out); });
    }
    // Why it was chosen.
    Result<std::string> reason() const {
        auto text = fill<char>(256, [&](char *out, std::size_t capacity, std::size_t *size) { return waypost_inspection_reason(get(), out, capacity, size); });
        return detail::answer(text.status(), text ? std::string(text.value().data()) : std::string());
    }
    Result<std::vector<Fact>> facts() const {
        auto all = fill<char>(256, [&](char *out, std::size_t capacity, std::size_t *size) { return waypost_inspection_facts(get(), nullptr, out, capacity, size); });
        std::vector<Fact> facts;
        if (all) {
            const auto texts = detail::texts(all.value());
            for (std::size_t at = 0; at + 1 < texts.size(); at += 2) facts.push_back({texts[at], texts[at + 1]});
        }
        return detail::answer(all.status(), std::move(facts));
    }
    Result<std::vector<Corner>> corners() const {
        return fill<Corner>(256, [&](Corner *out, std::size_t capacity, std::size_t *count) { return waypost_inspection_corners(get(), out, capacity, count); });
    }
    Result<std::vector<Point>> hubs(std::size_t corner) const {
        return fill<Point>(64, [&](Point *out, std::size_t capacity, std::size_t *count) { return waypost_inspection_hubs(get(), corner, out, capacity, count); });
    }
    // Places in the corners of those at which a path from a point may turn first.
    Result<std::vector<std::uint32_t>> corners_seen(Point from) const {
        return fill<std::uint32_t>(64, [&](std::uint32_t *out, std::size_t capacity, std::size_t *count) { return waypost_inspection_corners_seen(get(), from, out, capacity, count); });
    }
    // The regions that lead from a point to another, by the cells that stand for them.
    Result<std::vector<Point>> chain(Point from, Point goal) const {
        return fill<Point>(64, [&](Point *out, std::size_t capacity, std::size_t *count) { return waypost_inspection_chain(get(), from, goal, out, capacity, count); });
    }
    Result<Sectors> sectors() const {
        Sectors sectors;
        auto regions = fill<Region>(256, [&](Region *out, std::size_t capacity, std::size_t *count) {
            return waypost_inspection_sectors(get(), &sectors.side, out, capacity, count);
        });
        if (regions) sectors.regions = std::move(regions.value());
        return detail::answer(regions.status(), std::move(sectors));
    }
    Result<std::size_t> record_count() const {
        return detail::ask<std::size_t>([&](std::size_t *out) { return waypost_inspection_record_count(get(), out); });
    }
    // Start, subgoals and goal.
    Result<std::vector<Point>> record(std::size_t number) const {
        return fill<Point>(16, [&](Point *out, std::size_t capacity, std::size_t *count) { return waypost_inspection_record(get(), number, out, capacity, count); });
    }
    // The record that kNN LRTA* chooses on the map of a world, WAYPOST_NO_RECORD where it goes without one.
    Result<std::uint64_t> chosen_record(const waypost_nav *nav, Point from, Point goal) const {
        return detail::ask<std::uint64_t>([&](std::uint64_t *record) { return waypost_inspection_chosen_record(get(), nav, from, goal, record); });
    }
    // Levels count from 1.
    Result<Groups> groups(std::uint32_t level) const {
        Groups groups;
        auto all = fill<std::uint32_t>(0, [&](std::uint32_t *out, std::size_t capacity, std::size_t *count) {
            return waypost_inspection_groups(get(), level, &groups.levels, out, capacity, count);
        });
        if (all) groups.groups = std::move(all.value());
        return detail::answer(all.status(), std::move(groups));
    }
    Result<std::vector<FirstMove>> first_moves(Point goal) const {
        return fill<FirstMove>(0, [&](FirstMove *out, std::size_t capacity, std::size_t *count) { return waypost_inspection_first_moves(get(), goal, out, capacity, count); });
    }
    waypost_inspection *get() const { return handle_.get(); }

private:
    template <class T, class Call>
    static Result<std::vector<T>> fill(std::size_t guess, Call call) {
        return detail::fill<T>(guess, call);
    }
    detail::Handle<waypost_inspection> handle_;
};

class Crowd;
class Navigator;
class Requests;
class TypeJob;

// How far it is from every cell to the nearest of some places; usable from all threads.
class Field {
public:
    Field() = default;
    explicit Field(waypost_field *raw) : handle_(raw) {}

    // Of those who flee what this one leads to.
    Result<Field> fleeing() const {
        return detail::make<Field, waypost_field>([&](waypost_field **out) { return waypost_field_fleeing(get(), out); });
    }
    // WAYPOST_UNREACHABLE where there is no way.
    Result<double> value(Point at) const {
        return detail::ask<double>([&](double *out) { return waypost_field_value(get(), at, out); });
    }
    // The neighbouring cell to go to; the cell itself where there is no step.
    Result<Point> next(Point at) const {
        return detail::ask<Point>([&](Point *out) { return waypost_field_next(get(), at, out, nullptr); });
    }
    // The direction of that step, 0 to 7 clockwise from up; -1 where there is none.
    Result<std::int32_t> heading(Point at) const {
        Point step{};
        return detail::ask<std::int32_t>([&](std::int32_t *out) { return waypost_field_next(get(), at, &step, out); });
    }
    // Where one is after so many steps.
    Result<Point> walk(Point from, std::uint32_t steps) const {
        return detail::ask<Point>([&](Point *out) { return waypost_field_walk(get(), from, steps, out); });
    }
    Result<std::vector<Reached>> within(double value) const {
        return detail::fill<Reached>(256, [&](Reached *out, std::size_t capacity, std::size_t *count) { return waypost_field_within(get(), value, out, capacity, count); });
    }
    // Whether the world is still as it was when the field was made.
    inline bool is_current(const Navigator &nav) const;
    waypost_field *get() const { return handle_.get(); }

private:
    detail::Handle<waypost_field> handle_;
};

namespace detail {

// No exception may cross the library: one thrown by the caller's function stops the build.
inline std::int32_t tell(void *user, const char *stage, std::uint64_t done, std::uint64_t total) {
#ifndef WAYPOST_NO_EXCEPTIONS
    try {
        return (*static_cast<Progress *>(user))(stage, done, total) ? 1 : 0;
    } catch (...) {
        return 1;
    }
#else
    return (*static_cast<Progress *>(user))(stage, done, total) ? 1 : 0;
#endif
}

}  // namespace detail

class Navigator {
public:
    Navigator() = default;
    explicit Navigator(waypost_nav *raw) : handle_(raw) {}

    static Result<Navigator> build(const Map &map, const BuildOptions &options = {}) {
        return with_raw(options, [&](const waypost_build_options &raw) {
            return made([&](waypost_nav **out) { return waypost_nav_build(map.get(), &raw, out); });
        });
    }

    // The bytes move into the world, which keeps them for as long as it needs them.
    static Result<Navigator> open(const Map &map, std::vector<std::uint8_t> bytes) {
        auto *kept = new std::vector<std::uint8_t>(std::move(bytes));
        return made([&](waypost_nav **out) { return waypost_nav_open(map.get(), kept->data(), kept->size(), let_go, kept, out); });
    }

    // Refuses an index beyond the limits, and builds the unit types that the file does not have.
    static Result<Navigator> open(const Map &map, std::vector<std::uint8_t> bytes, const BuildOptions &options) {
        auto *kept = new std::vector<std::uint8_t>(std::move(bytes));
        return with_raw(options, [&](const waypost_build_options &raw) {
            return made([&](waypost_nav **out) { return waypost_nav_open_with(map.get(), kept->data(), kept->size(), let_go, kept, &raw, out); });
        });
    }

    // The bytes stay the caller's, for as long as any handle of the world lives.
    static Result<Navigator> open_lent(const Map &map, Span<const std::uint8_t> bytes) {
        return made([&](waypost_nav **out) { return waypost_nav_open(map.get(), bytes.data(), bytes.size(), nullptr, nullptr, out); });
    }

    Result<std::vector<std::uint8_t>> save() const {
        return detail::fill<std::uint8_t>(0, [&](std::uint8_t *out, std::size_t capacity, std::size_t *count) { return waypost_nav_save(get(), out, capacity, count); });
    }
    Result<Navigator> fork() const {
        return made([&](waypost_nav **out) { return waypost_nav_fork(get(), out); });
    }

    // Unit types: the world as another one sees it.
    Result<Navigator> for_unit(const std::string &name) const {
        return made([&](waypost_nav **out) { return waypost_nav_for_unit(get(), name.c_str(), out); });
    }
    Result<Navigator> add_unit_type(const UnitType &type) const {
        const auto grounds = detail::raw_grounds(type.grounds);
        const waypost_unit_type raw = raw_type(type, grounds);
        return made([&](waypost_nav **out) { return waypost_nav_add_unit_type(get(), &raw, out); });
    }
    // The same in three parts, so that the build runs on a thread of the game's own.
    inline Result<TypeJob> type_job(const UnitType &type) const;
    // The place of this handle's type in unit_types().
    Result<std::size_t> own_unit_type() const {
        return detail::ask<std::size_t>([&](std::size_t *index) { return waypost_nav_own_unit_type(get(), index); });
    }
    Result<std::vector<UnitType>> unit_types() const {
        std::size_t count = 0;
        Status status = waypost_nav_unit_type_count(get(), &count);
        std::vector<UnitType> types;
        for (std::size_t at = 0; status == WAYPOST_OK && at < count; ++at) {
            UnitType type;
            auto name = detail::fill<char>(32, [&](char *out, std::size_t capacity, std::size_t *size) {
                return waypost_nav_unit_type(get(), at, out, capacity, size, &type.cells);
            });
            status = name.status();
            if (name) type.name = name.value().data();
            if (name) status = read_grounds(at, type.grounds);
            types.push_back(std::move(type));
        }
        return detail::answer(status, std::move(types));
    }

    // Paths.
    Result<Path> path(Point from, Point goal) const { return path_by(waypost_nav_path, from, goal); }
    // Only the points at which it turns.
    Result<Path> path_corners(Point from, Point goal) const { return path_by(waypost_nav_path_corners, from, goal); }
    // Straightened: start, turns at any angle, goal.
    Result<Path> smooth_path(Point from, Point goal) const { return path_by(waypost_nav_smooth_path, from, goal); }
    // To the goal that costs least to reach.
    Result<Nearest> path_to_nearest(Point from, Span<const Point> goals) const {
        Nearest nearest;
        auto points = detail::fill<Point>(256, [&](Point *out, std::size_t capacity, std::size_t *count) {
            return waypost_nav_path_to_nearest(get(), from, goals.data(), goals.size(), &nearest.number, out, capacity, count, &nearest.path.length);
        });
        if (points) nearest.path.points = std::move(points.value());
        return detail::answer(points.status(), std::move(nearest));
    }
    // Where a unit can go for a cost, row by row.
    // How far it is from everywhere to the nearest of these places, `added[i]` more to the i-th where there are lengths to add.
    Result<Field> field(Span<const Point> places, Span<const double> added = {}) const {
        if (added.size() != 0 && added.size() != places.size()) return Result<Field>::failed(WAYPOST_BAD_VALUE, "`added` has another number of elements than `places`; give one for each, or none");
        return detail::make<Field, waypost_field>([&](waypost_field **out) {
            return waypost_nav_field(get(), places.data(), added.size() == 0 ? nullptr : added.data(), places.size(), out);
        });
    }
    Result<std::vector<Reached>> range(Point from, double cost) const {
        return detail::fill<Reached>(256, [&](Reached *out, std::size_t capacity, std::size_t *count) { return waypost_nav_range(get(), from, cost, out, capacity, count); });
    }
    // Whether all pairs of points would still have a way between them with these cells blocked.
    Result<bool> stays_connected(Span<const Point> block, Span<const Point> from, Span<const Point> to) const {
        if (from.size() != to.size()) return Result<bool>::failed(WAYPOST_BAD_VALUE, "`from` and `to` have as many points");
        int stays = 0;
        const Status status = waypost_nav_stays_connected(get(), block.data(), block.size(), from.data(), to.data(), from.size(), &stays);
        return detail::answer(status, stays != 0);
    }
    bool sees(Point from, Point to) const { return waypost_nav_sees(get(), from, to) != 0; }
    // Into the caller's memory: gives the number of points, also where they do not fit (WAYPOST_TOO_SMALL).
    Status path_into(Point from, Point goal, Span<Point> out, std::size_t &count, double *length = nullptr) const {
        return waypost_nav_path(get(), from, goal, out.data(), out.size(), &count, length);
    }
    Result<Paths> paths(Span<const Query> queries) const {
        Paths all;
        all.offsets.resize(queries.size() + 1);
        all.lengths.resize(queries.size());
        Status status = WAYPOST_TOO_SMALL;
        for (all.points.resize(queries.size() * 64); status == WAYPOST_TOO_SMALL; all.points.resize(all.offsets.back())) {
            status = waypost_nav_paths(get(), queries.data(), queries.size(), all.points.data(), all.points.size(), all.offsets.data(), all.lengths.data());
        }
        return detail::answer(status, std::move(all));
    }
    Result<double> distance(Point from, Point goal) const {
        return detail::ask<double>([&](double *out) { return waypost_nav_distance(get(), from, goal, out); });
    }
    // What a shortest path costs in whole units, the same on every machine.
    Result<std::uint64_t> cost(Point from, Point goal) const {
        return detail::ask<std::uint64_t>([&](std::uint64_t *out) { return waypost_nav_cost(get(), from, goal, out); });
    }
    Result<Point> nearest_reachable(Point from, Point goal) const {
        return detail::ask<Point>([&](Point *out) { return waypost_nav_nearest_reachable(get(), from, goal, out); });
    }
    Result<Point> nearest_free(Point point) const {
        return detail::ask<Point>([&](Point *out) { return waypost_nav_nearest_free(get(), point, out); });
    }
    bool is_free(Point point) const { return waypost_nav_is_free(get(), point) != 0; }
    Result<Size> size() const {
        return detail::ask<Size>([&](Size *out) { return waypost_nav_size(get(), &out->width, &out->height); });
    }
    // The map as it is now for this unit type.
    Result<Map> map() const {
        return detail::make<Map, waypost_map>([&](waypost_map **out) { return waypost_nav_map(get(), out); });
    }

    // Changes.
    Result<std::size_t> patch(Span<const Edit> edits) const {
        return detail::ask<std::size_t>([&](std::size_t *changed) { return waypost_nav_patch(get(), edits.data(), edits.size(), changed); });
    }
    // A part of the world, from its top left cell on, becomes as these cells are, one byte each: not 0 is free.
    Result<std::size_t> patch_cells(Size size, Span<const std::uint8_t> cells) const {
        return detail::ask<std::size_t>([&](std::size_t *changed) { return waypost_nav_patch_cells(get(), size.width, size.height, cells.data(), cells.size(), changed); });
    }
    Result<std::size_t> set_doors(Span<const Point> open, Span<const Point> close) const {
        return detail::ask<std::size_t>([&](std::size_t *changed) { return waypost_nav_set_doors(get(), open.data(), open.size(), close.data(), close.size(), changed); });
    }
    // All doors in the order of rows, and whether each is open.
    Result<std::vector<Door>> doors() const {
        return detail::fill<Door>(64, [&](Door *out, std::size_t capacity, std::size_t *count) { return waypost_nav_doors(get(), out, capacity, count); });
    }

    // Indexes and their upkeep.
    Result<std::vector<IndexInfo>> index_states() const {
        return detail::fill<IndexInfo>(4, [&](IndexInfo *out, std::size_t capacity, std::size_t *count) { return waypost_nav_index_states(get(), out, capacity, count); });
    }
    Result<std::size_t> advance(std::uint64_t operations) const {
        return detail::ask<std::size_t>([&](std::size_t *published) { return waypost_nav_advance(get(), operations, published); });
    }
    // Whether a tick with so much upkeep would wait for an index that is due.
    bool would_wait(std::uint64_t operations) const { return waypost_nav_would_wait(get(), operations) != 0; }
    // On this thread: gives the number of indexes that were built.
    Result<std::size_t> rebuild(const Progress &progress = {}) const {
        auto *user = const_cast<Progress *>(&progress);
        return detail::ask<std::size_t>([&](std::size_t *ran) { return waypost_nav_rebuild(get(), progress ? detail::tell : nullptr, user, ran); });
    }
    // What the index that was chosen knows.
    Result<Inspection> inspect() const { return inspect_by(0); }
    // What an index of a kind knows; it is built where the world has none.
    Result<Inspection> inspect_kind(waypost_index_kind kind) const { return inspect_by(kind); }

    inline Result<Crowd> crowd(CrowdOptions options = {}) const;
    // A queue of requests for paths; those up to so many straight steps long do not wait behind longer ones.
    inline Result<Requests> requests(std::uint32_t short_steps) const;
    waypost_nav *get() const { return handle_.get(); }

private:
    template <class Call>
    static Result<Navigator> made(Call call) {
        return detail::make<Navigator, waypost_nav>(call);
    }
    // Calls with the options as C has them, which point into these.
    template <class Call>
    static Result<Navigator> with_raw(const BuildOptions &options, Call call) {
        std::vector<waypost_unit_type> types;
        std::vector<std::vector<waypost_ground>> grounds;
        for (const UnitType &type : options.unit_types) {
            grounds.push_back(detail::raw_grounds(type.grounds));
            types.push_back(raw_type(type, grounds.back()));
        }
        waypost_build_options raw{};
        raw.size = sizeof raw;
        raw.max_bytes = options.max_bytes;
        raw.max_seconds = options.max_seconds;
        raw.fit_bytes = options.fit_bytes;
        raw.threads = options.threads;
        raw.unit_types = types.data();
        raw.unit_type_count = types.size();
        if (options.progress) {
            raw.progress = detail::tell;
            raw.user = const_cast<Progress *>(&options.progress);
        }
        return call(raw);
    }
    static waypost_unit_type raw_type(const UnitType &type, const std::vector<waypost_ground> &grounds) {
        waypost_unit_type raw{};
        raw.size = sizeof raw;
        raw.name = type.name.c_str();
        raw.cells = type.cells;
        raw.grounds = grounds.data();
        raw.ground_count = grounds.size();
        return raw;
    }
    Result<Inspection> inspect_by(std::uint32_t kind) const {
        return detail::make<Inspection, waypost_inspection>([&](waypost_inspection **out) { return waypost_nav_inspect(get(), kind, out); });
    }
    Status read_grounds(std::size_t type, std::vector<Ground> &grounds) const {
        std::vector<double> factors;
        std::size_t count = 0;
        auto names = detail::fill<char>(0, [&](char *out, std::size_t capacity, std::size_t *size) {
            factors.resize(count);
            return waypost_nav_unit_type_grounds(get(), type, factors.data(), factors.size(), &count, out, capacity, size);
        });
        if (!names) return names.status();
        const auto texts = detail::texts(names.value());
        for (std::size_t at = 0; at < texts.size(); ++at) grounds.push_back({texts[at], factors[at]});
        return WAYPOST_OK;
    }
    template <class Find>
    Result<Path> path_by(Find find, Point from, Point goal) const {
        Path path;
        auto points = detail::fill<Point>(256, [&](Point *out, std::size_t capacity, std::size_t *count) {
            return find(get(), from, goal, out, capacity, count, &path.length);
        });
        if (points) path.points = std::move(points.value());
        return detail::answer(points.status(), std::move(path));
    }
    static void let_go(void *user, const std::uint8_t *, std::size_t) { delete static_cast<std::vector<std::uint8_t> *>(user); }

    detail::Handle<waypost_nav> handle_;
};

// A type of unit on its way into a world: run on any thread, then added.
class TypeJob {
public:
    TypeJob() = default;
    explicit TypeJob(waypost_type_job *raw) : handle_(raw) {}

    // Builds, once.
    Result<Nothing> run(const Progress &progress = {}) {
        return detail::done(waypost_type_job_run(get(), progress ? detail::tell : nullptr, const_cast<Progress *>(&progress)));
    }
    // Gives the world as the new type sees it; the world is the one that the job was made from.
    Result<Navigator> add_to(const Navigator &nav) {
        return detail::make<Navigator, waypost_nav>([&](waypost_nav **out) { return waypost_type_job_add(get(), nav.get(), out); });
    }
    waypost_type_job *get() const { return handle_.get(); }

private:
    detail::Handle<waypost_type_job> handle_;
};

inline Goal cell(Point at) {
    Goal goal{};
    goal.at = at;
    return goal;
}
inline Goal area(Point corner, Size size) {
    Goal goal = cell(corner);
    goal.kind = WAYPOST_GOAL_AREA;
    goal.width = size.width;
    goal.height = size.height;
    return goal;
}
inline Goal within(Point at, std::uint32_t cells) {
    Goal goal = cell(at);
    goal.kind = WAYPOST_GOAL_WITHIN;
    goal.width = cells;
    return goal;
}
inline Goal wherever(UnitId unit) {
    Goal goal{};
    goal.kind = WAYPOST_GOAL_UNIT;
    goal.unit = unit;
    return goal;
}

class Crowd {
public:
    Crowd() = default;
    explicit Crowd(waypost_crowd *raw) : handle_(raw) {}

    Result<UnitId> spawn(Point at) {
        return detail::ask<UnitId>([&](UnitId *unit) { return waypost_crowd_spawn(get(), at, unit); });
    }
    // Of any type of the world.
    Result<UnitId> spawn_type(const std::string &unit_type, Point at) {
        return detail::ask<UnitId>([&](UnitId *unit) { return waypost_crowd_spawn_type(get(), unit_type.c_str(), at, unit); });
    }
    // The world as the crowd's own type sees it, and as a unit's type does.
    Result<Navigator> navigator() const { return navigator_of(0); }
    Result<Navigator> navigator_of(UnitId unit) const {
        return detail::make<Navigator, waypost_nav>([&](waypost_nav **out) { return waypost_crowd_nav(get(), unit, out); });
    }
    Result<Nothing> despawn(UnitId unit) { return detail::done(waypost_crowd_despawn(get(), unit)); }
    Result<Nothing> send(UnitId unit, Point goal) { return send(unit, cell(goal)); }
    // A template, so that send(unit, {5, 5}) is a point.
    template <class G, std::enable_if_t<std::is_same<G, Goal>::value, int> = 0>
    Result<Nothing> send(UnitId unit, const G &goal) {
        return detail::done(waypost_crowd_send(get(), unit, &goal));
    }
    // Gives those that have no way to the place; they go as near as they can.
    Result<std::vector<UnitId>> send_group(Span<const UnitId> units, Point place, waypost_formation formation = WAYPOST_FORMATION_CLOSE) {
        std::vector<UnitId> cannot(units.size());
        std::size_t count = 0;
        const Status status = waypost_crowd_send_group(get(), units.data(), units.size(), place, formation, cannot.data(), &count);
        cannot.resize(count);
        return detail::answer(status, std::move(cannot));
    }
    Result<Nothing> set_pace(UnitId unit, std::uint32_t ticks) { return detail::done(waypost_crowd_set_pace(get(), unit, ticks)); }
    Result<Nothing> set_budget(std::uint64_t plan_operations, std::uint64_t repair_operations) { return detail::done(waypost_crowd_set_budget(get(), plan_operations, repair_operations)); }
    // What the crowd and its world are at this moment, to go back to or to go on from elsewhere.
    Result<std::vector<std::uint8_t>> snapshot() const {
        return detail::fill<std::uint8_t>(4096, [&](std::uint8_t *out, std::size_t capacity, std::size_t *size) { return waypost_crowd_snapshot(get(), out, capacity, size); });
    }
    Result<Nothing> restore(Span<const std::uint8_t> snapshot) { return detail::done(waypost_crowd_restore(get(), snapshot.data(), snapshot.size())); }
    // The most weighted operations of one unit's move; 0 where there is no bound.
    Result<std::uint64_t> unit_bound() const {
        return detail::ask<std::uint64_t>([&](std::uint64_t *operations) { return waypost_crowd_unit_bound(get(), operations); });
    }
    Result<Nothing> hold(UnitId unit, bool holds = true) { return detail::done(waypost_crowd_hold(get(), unit, holds ? 1 : 0)); }
    Result<Nothing> stop(UnitId unit) { return detail::done(waypost_crowd_stop(get(), unit)); }

    // One step of everybody; writes where all units are, in the order of units(), unless the span is empty. Nobody moves where they do not fit.
    Result<Tick> tick(Span<Point> positions = {}) {
        return detail::ask<Tick>([&](Tick *report) { return waypost_crowd_tick(get(), positions.size() == 0 ? nullptr : positions.data(), positions.size(), report); });
    }
    Result<std::vector<Event>> events() const {
        return detail::fill<Event>(16, [&](Event *out, std::size_t capacity, std::size_t *count) { return waypost_crowd_events(get(), out, capacity, count); });
    }
    Result<std::vector<Unit>> units() const {
        return detail::fill<Unit>(size(), [&](Unit *out, std::size_t capacity, std::size_t *count) { return waypost_crowd_units(get(), out, capacity, count); });
    }
    // The other units that are at most so many columns and rows away.
    Result<std::vector<Unit>> units_near(UnitId id, std::uint32_t cells) const {
        return detail::fill<Unit>(16, [&](Unit *out, std::size_t capacity, std::size_t *count) { return waypost_crowd_units_near(get(), id, cells, out, capacity, count); });
    }
    Result<Unit> unit(UnitId id) const {
        return detail::ask<Unit>([&](Unit *out) { return waypost_crowd_unit(get(), id, out); });
    }
    Result<std::vector<Point>> path_ahead(UnitId id) const {
        return detail::fill<Point>(64, [&](Point *out, std::size_t capacity, std::size_t *count) { return waypost_crowd_path_ahead(get(), id, out, capacity, count); });
    }
    // Two numbers a unit in the game's coordinates, `part` of the way from the last tick to this one; gives the number of units.
    Result<std::size_t> positions_between(float part, Span<float> out) const {
        return detail::ask<std::size_t>([&](std::size_t *count) { return waypost_crowd_positions_between(get(), part, out.data(), out.size() / 2, count); });
    }
    // How many units wait for a plan.
    std::size_t planning() const {
        std::size_t waiting = 0;
        waypost_crowd_planning(get(), &waiting);
        return waiting;
    }
    bool all_arrived() const {
        std::int32_t all = 0;
        return waypost_crowd_count(get(), nullptr, &all) == WAYPOST_OK && all != 0;
    }
    std::size_t size() const {
        std::size_t count = 0;
        waypost_crowd_count(get(), &count, nullptr);
        return count;
    }
    waypost_crowd *get() const { return handle_.get(); }

private:
    detail::Handle<waypost_crowd> handle_;
};

// How a request for a path stands, and the path where it was found.
struct Request {
    waypost_request_state state = WAYPOST_REQUEST_UNKNOWN;
    std::vector<Point> points;
};

class Requests {
public:
    Requests() = default;
    explicit Requests(waypost_requests *raw) : handle_(raw) {}

    Result<Ticket> ask(Point from, Point goal) {
        return detail::ask<Ticket>([&](Ticket *ticket) { return waypost_requests_ask(get(), from, goal, ticket); });
    }
    // Gives how many expansions were spent.
    Result<std::uint64_t> tick(std::uint64_t expansions) {
        return detail::ask<std::uint64_t>([&](std::uint64_t *spent) { return waypost_requests_tick(get(), expansions, spent); });
    }
    Result<Request> state(Ticket ticket) const {
        Request request;
        auto points = detail::fill<Point>(256, [&](Point *out, std::size_t capacity, std::size_t *count) {
            return waypost_requests_state(get(), ticket, &request.state, out, capacity, count);
        });
        if (points) request.points = std::move(points.value());
        return detail::answer(points.status(), std::move(request));
    }
    Result<Nothing> close(Ticket ticket) { return detail::done(waypost_requests_close(get(), ticket)); }
    Result<std::size_t> pending() const {
        return detail::ask<std::size_t>([&](std::size_t *count) { return waypost_requests_pending(get(), count); });
    }
    waypost_requests *get() const { return handle_.get(); }

private:
    detail::Handle<waypost_requests> handle_;
};

inline bool Field::is_current(const Navigator &nav) const { return waypost_field_is_current(get(), nav.get()) != 0; }

inline Result<TypeJob> Navigator::type_job(const UnitType &type) const {
    const auto grounds = detail::raw_grounds(type.grounds);
    const waypost_unit_type raw = raw_type(type, grounds);
    return detail::make<TypeJob, waypost_type_job>([&](waypost_type_job **out) { return waypost_nav_type_job(get(), &raw, out); });
}

inline Result<Crowd> Navigator::crowd(CrowdOptions options) const {
    options.size = sizeof options;
    return detail::make<Crowd, waypost_crowd>([&](waypost_crowd **out) { return waypost_crowd_new(get(), &options, out); });
}

inline Result<Requests> Navigator::requests(std::uint32_t short_steps) const {
    return detail::make<Requests, waypost_requests>([&](waypost_requests **out) { return waypost_requests_new(get(), short_steps, out); });
}

}  // namespace waypost

#endif
