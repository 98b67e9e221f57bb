// Waypost for C++17: handles that free themselves, arrays as pointer and size or vectors, and failures as exceptions or, with
// WAYPOST_NO_EXCEPTIONS defined, as results only.
//
//   waypost::Navigator nav = waypost::Navigator::build(waypost::Map::from_cells(w, h, cells)).value();
//   waypost::Path path = nav.path({3, 4}, {35, 28}).value();
//
// Every call gives a Result: `value()` throws waypost::Error where the call failed (it ends the program where exceptions are
// off); `if (result)` and `result.status()` do without. Threads are as waypost.h says at each function.
#ifndef WAYPOST_HPP
#define WAYPOST_HPP

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
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
using Status = waypost_status;

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
    static Result failed(Status status) {
        Result result{T{}};
        result.status_ = status;
        result.message_ = waypost_last_error();
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
};

template <class T>
using Handle = std::unique_ptr<T, Free>;

inline Result<Nothing> done(Status status) {
    return status == WAYPOST_OK ? Result<Nothing>(Nothing{}) : Result<Nothing>::failed(status);
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

}  // namespace detail

class Map {
public:
    Map() = default;
    explicit Map(waypost_map *raw) : handle_(raw) {}

    static Result<Map> from_bits(std::uint32_t width, std::uint32_t height, Span<const std::uint8_t> bits) {
        return detail::make<Map, waypost_map>([&](waypost_map **out) { return waypost_map_from_bits(width, height, bits.data(), bits.size(), out); });
    }
    static Result<Map> from_cells(std::uint32_t width, std::uint32_t height, Span<const std::uint8_t> cells) {
        return detail::make<Map, waypost_map>([&](waypost_map **out) { return waypost_map_from_cells(width, height, cells.data(), cells.size(), out); });
    }
    static Result<Map> from_file_bytes(Span<const std::uint8_t> bytes) {
        return detail::make<Map, waypost_map>([&](waypost_map **out) { return waypost_map_from_file_bytes(bytes.data(), bytes.size(), out); });
    }
    Result<Nothing> set_rules(waypost_corners corners, waypost_costs costs) {
        return detail::done(waypost_map_set_rules(handle_.get(), corners, costs));
    }
    Result<Nothing> set_doors(Span<const Point> doors) { return detail::done(waypost_map_set_doors(handle_.get(), doors.data(), doors.size())); }
    waypost_map *get() const { return handle_.get(); }

private:
    detail::Handle<waypost_map> handle_;
};

struct Path {
    std::vector<Point> points;
    double length = 0;
};

struct UnitType {
    std::string name;
    std::uint32_t cells = 1;
};

// What a build is told and asked: the stage, parts done, parts in all; true stops it.
using Progress = std::function<bool(const char *, std::uint64_t, std::uint64_t)>;

struct BuildOptions {
    std::uint64_t max_bytes = 0;
    double max_seconds = 0;
    std::vector<UnitType> unit_types;
    Progress progress;
};

class Crowd;

class Navigator {
public:
    Navigator() = default;
    explicit Navigator(waypost_nav *raw) : handle_(raw) {}

    static Result<Navigator> build(const Map &map, const BuildOptions &options = {}) {
        std::vector<waypost_unit_type> types;
        for (const UnitType &type : options.unit_types) types.push_back({type.name.c_str(), type.cells});
        waypost_build_options raw{};
        raw.size = sizeof raw;
        raw.max_bytes = options.max_bytes;
        raw.max_seconds = options.max_seconds;
        raw.unit_types = types.data();
        raw.unit_type_count = types.size();
        if (options.progress) {
            raw.progress = tell;
            raw.user = const_cast<Progress *>(&options.progress);
        }
        return made([&](waypost_nav **out) { return waypost_nav_build(map.get(), &raw, out); });
    }

    // The bytes move into the world, which keeps them for as long as it needs them.
    static Result<Navigator> open(const Map &map, std::vector<std::uint8_t> bytes) {
        auto *kept = new std::vector<std::uint8_t>(std::move(bytes));
        return made([&](waypost_nav **out) { return waypost_nav_open(map.get(), kept->data(), kept->size(), let_go, kept, out); });
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
    Result<Navigator> for_unit(const std::string &name) const {
        return made([&](waypost_nav **out) { return waypost_nav_for_unit(get(), name.c_str(), out); });
    }
    Result<Navigator> add_unit_type(const UnitType &type) const {
        const waypost_unit_type raw{type.name.c_str(), type.cells};
        return made([&](waypost_nav **out) { return waypost_nav_add_unit_type(get(), &raw, out); });
    }

    Result<Path> path(Point from, Point goal) const {
        double length = 0;
        auto points = detail::fill<Point>(256, [&](Point *out, std::size_t capacity, std::size_t *count) {
            return waypost_nav_path(get(), from, goal, out, capacity, count, &length);
        });
        if (!points) return Result<Path>::failed(points.status());
        return Path{std::move(points.value()), length};
    }
    // Into the caller's memory: gives the number of points, also where they do not fit (WAYPOST_TOO_SMALL).
    Status path_into(Point from, Point goal, Span<Point> out, std::size_t &count, double *length = nullptr) const {
        return waypost_nav_path(get(), from, goal, out.data(), out.size(), &count, length);
    }
    Result<double> distance(Point from, Point goal) const {
        double length = 0;
        const Status status = waypost_nav_distance(get(), from, goal, &length);
        return status == WAYPOST_OK ? Result<double>(length) : Result<double>::failed(status);
    }
    Result<Point> nearest_reachable(Point from, Point goal) const {
        Point out{};
        const Status status = waypost_nav_nearest_reachable(get(), from, goal, &out);
        return status == WAYPOST_OK ? Result<Point>(out) : Result<Point>::failed(status);
    }
    bool is_free(Point point) const { return waypost_nav_is_free(get(), point) != 0; }
    Result<std::size_t> patch(Span<const Edit> edits) const {
        std::size_t changed = 0;
        const Status status = waypost_nav_patch(get(), edits.data(), edits.size(), &changed);
        return status == WAYPOST_OK ? Result<std::size_t>(changed) : Result<std::size_t>::failed(status);
    }
    Result<Nothing> set_doors(Span<const Point> open, Span<const Point> close) const {
        return detail::done(waypost_nav_set_doors(get(), open.data(), open.size(), close.data(), close.size(), nullptr));
    }
    Result<std::vector<waypost_index_info>> index_states() const {
        return detail::fill<waypost_index_info>(4, [&](waypost_index_info *out, std::size_t capacity, std::size_t *count) {
            return waypost_nav_index_states(get(), out, capacity, count);
        });
    }
    Result<Nothing> advance(std::uint64_t operations) const { return detail::done(waypost_nav_advance(get(), operations, nullptr)); }
    inline Result<Crowd> crowd(waypost_crowd_options options = {}) const;
    waypost_nav *get() const { return handle_.get(); }

private:
    template <class Call>
    static Result<Navigator> made(Call call) {
        return detail::make<Navigator, waypost_nav>(call);
    }
    // No exception may cross the library: one thrown by the caller's function stops the build.
    static std::int32_t tell(void *user, const char *stage, std::uint64_t done, std::uint64_t total) {
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
    static void let_go(void *user, const std::uint8_t *, std::size_t) { delete static_cast<std::vector<std::uint8_t> *>(user); }

    detail::Handle<waypost_nav> handle_;
};

class Crowd {
public:
    Crowd() = default;
    explicit Crowd(waypost_crowd *raw) : handle_(raw) {}

    Result<UnitId> spawn(Point at) {
        UnitId unit = 0;
        const Status status = waypost_crowd_spawn(get(), at, &unit);
        return status == WAYPOST_OK ? Result<UnitId>(unit) : Result<UnitId>::failed(status);
    }
    Result<Nothing> despawn(UnitId unit) { return detail::done(waypost_crowd_despawn(get(), unit)); }
    Result<Nothing> send(UnitId unit, Point goal) {
        Goal raw{};
        raw.at = goal;
        return send_to(unit, raw);
    }
    Result<Nothing> send_to(UnitId unit, const Goal &goal) { return detail::done(waypost_crowd_send(get(), unit, &goal)); }
    Result<Nothing> stop(UnitId unit) { return detail::done(waypost_crowd_stop(get(), unit)); }
    Result<Tick> tick(Span<Point> positions = {}) {
        Tick report{};
        const Status status = waypost_crowd_tick(get(), positions.data(), positions.size(), &report);
        return status == WAYPOST_OK ? Result<Tick>(report) : Result<Tick>::failed(status);
    }
    Result<std::vector<Event>> events() const {
        return detail::fill<Event>(16, [&](Event *out, std::size_t capacity, std::size_t *count) { return waypost_crowd_events(get(), out, capacity, count); });
    }
    Result<std::vector<Unit>> units() const {
        return detail::fill<Unit>(16, [&](Unit *out, std::size_t capacity, std::size_t *count) { return waypost_crowd_units(get(), out, capacity, count); });
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

inline Result<Crowd> Navigator::crowd(waypost_crowd_options options) const {
    options.size = sizeof options;
    return detail::make<Crowd, waypost_crowd>([&](waypost_crowd **out) { return waypost_crowd_new(get(), &options, out); });
}

}  // namespace waypost

#endif
