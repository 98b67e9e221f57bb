// The whole of the C++ header, with what it should answer.
#include <cmath>
#include <cstdio>
#include <thread>

#include "waypost.hpp"

using namespace waypost;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            std::fprintf(stderr, "%d: %s (%s)\n", __LINE__, #condition, waypost_last_error()); \
            std::exit(1); \
        } \
    } while (0)

static const std::uint32_t WIDTH = 40, HEIGHT = 30, WALL = 20, DOOR = 7;

static bool is_at(Point at, std::uint32_t x, std::uint32_t y) { return at.x == x && at.y == y; }

static Map walled() {
    std::vector<std::uint8_t> cells;
    for (std::uint32_t at = 0; at < WIDTH * HEIGHT; ++at) cells.push_back(at % WIDTH != WALL || at / WIDTH == DOOR);
    Map map = Map::from_cells(WIDTH, HEIGHT, cells).value();
    const std::vector<Point> doors{{WALL, DOOR}};
    map.set_doors(doors).value();
    map.set_rules(WAYPOST_CORNERS_NEVER, WAYPOST_COSTS_SQRT2).value();
    CHECK(map.size().value().width == WIDTH && map.size().value().height == HEIGHT);
    CHECK(map.cells().value() == cells);
    return map;
}

static void unit_types(const Navigator &nav) {
    const auto types = nav.unit_types().value();
    CHECK(types.size() == 2 && types[1].name == "tank" && types[1].cells == 2);
    CHECK(nav.for_unit("tank").value().distance({1, 1}, {30, 1}).status() == WAYPOST_UNREACHABLE);
    CHECK(nav.for_unit("dragon").status() == WAYPOST_NO_SUCH_UNIT_TYPE);
    CHECK(!nav.add_unit_type({"giant", 4}).value().is_free({17, 3}));
}

// A type that another thread builds, on a fork so that the world stays as it is.
static void jobs(const Navigator &world) {
    const Navigator nav = world.fork().value();
    TypeJob job = nav.type_job({"ogre", 3}).value();
    CHECK(job.add_to(nav).status() == WAYPOST_BAD_VALUE);
    int told = 0;
    std::thread([&] { CHECK(job.run([&](const char *, std::uint64_t, std::uint64_t) { return ++told < 0; })); }).join();
    const Navigator ogre = job.add_to(nav).value();
    CHECK(told > 0 && ogre.own_unit_type().value() + 1 == nav.unit_types().value().size() && !ogre.is_free({18, 3}));
    CHECK(nav.cost({1, 1}, {5, 1}).value() == 4 * 985 && nav.cost({1, 1}, {WALL, 0}).status() == WAYPOST_WALL);
    const Map map = nav.map().value();
    CHECK(map.factors().value()[WALL] == 0 && map.factors().value()[0] == 1 && map.doors().value().size() == 1);
    CHECK(map.rules().value().corners == WAYPOST_CORNERS_NEVER);
    const std::vector<std::uint8_t> walls(6, 0);
    CHECK(nav.patch_cells({3, 2}, walls).value() == 6 && !nav.is_free({2, 1}) && nav.is_free({3, 1}));
    BuildOptions options;
    options.fit_bytes = 2000;
    CHECK(Navigator::build(map, options).value().crowd().value().navigator().value().is_free({1, 1}));
}

static void paths(const Navigator &nav) {
    const Path path = nav.path({1, 1}, {38, 28}).value();
    CHECK(is_at(path.points.front(), 1, 1) && is_at(path.points.back(), 38, 28));
    CHECK(std::fabs(path.length - nav.distance({1, 1}, {38, 28}).value()) < 1e-9);
    CHECK(nav.path_corners({1, 1}, {38, 28}).value().points.size() < path.points.size());
    std::vector<Point> few(3);
    std::size_t count = 0;
    CHECK(nav.path_into({1, 1}, {38, 28}, few, count) == WAYPOST_TOO_SMALL && count == path.points.size());
    const std::vector<Query> queries{{{1, 1}, {38, 28}}, {{1, 1}, {WALL, 0}}};
    const Paths all = nav.paths(queries).value();
    CHECK(all[0].size() == path.points.size() && all[1].size() == 0 && std::isinf(all.lengths[1]));
    CHECK(nav.paths({}).value().points.empty());
    CHECK(nav.nearest_reachable({1, 1}, {WALL, 0}).value().y == 0);
    CHECK(is_at(nav.nearest_free({WALL, DOOR}).value(), WALL, DOOR));
    CHECK(nav.path({1, 1}, {WIDTH, 0}).status() == WAYPOST_OUTSIDE);
}

static void questions(const Navigator &nav) {
    const std::vector<Point> goals{{38, 28}, {WALL, 0}, {3, 9}};
    const Nearest nearest = nav.path_to_nearest({1, 1}, goals).value();
    CHECK(nearest.number == 2 && is_at(nearest.path.points.back(), 3, 9));
    CHECK(nav.smooth_path({1, 1}, goals[2]).value().length < nearest.path.length);
    CHECK(nav.sees({1, 1}, goals[2]) && !nav.sees({1, 1}, goals[0]));
    const std::vector<Point> wells{{3, 9}, {38, 28}};
    const Field field = nav.field(wells).value(), away = field.fleeing().value();
    CHECK(field.value({3, 7}).value() == 2 && field.value({WALL, 0}).status() == WAYPOST_UNREACHABLE && field.is_current(nav));
    CHECK(is_at(field.next({3, 7}).value(), 3, 8) && field.heading({3, 7}).value() == 4 && field.within(0).value().size() == 2);
    CHECK(is_at(field.walk({3, 5}, 9).value(), 3, 9) && field.value(away.walk({3, 8}, 30).value()).value() > 5);
    const std::vector<double> more{0, 5}, few{0};
    CHECK(nav.field(wells, more).value().value({38, 28}).value() > 4.99 && nav.field(wells, few).status() == WAYPOST_BAD_VALUE);
}

static void terrain() {
    const std::vector<double> factors{1, 4, 1, 1, 0, 1};
    CHECK(Navigator::build(Map::from_factors(3, 2, factors).value()).value().distance({0, 0}, {2, 0}).value() == 5);
    const std::vector<std::uint8_t> classes{0, 1, 0, 0, 2, 0};
    const std::vector<Ground> grounds{{"road", 1}, {"swamp", 4}, {"rock", 0}};
    BuildOptions options;
    options.unit_types.push_back({"heron", 1, {{"swamp", 1}}});
    const Navigator nav = Navigator::build(Map::from_classes(3, 2, classes, grounds).value(), options).value();
    const auto types = nav.unit_types().value();
    CHECK(types.size() == 2 && types[1].grounds.size() == 1 && types[1].grounds[0].name == "swamp" && types[1].grounds[0].factor == 1);
    CHECK(nav.path({0, 0}, {2, 0}).value().length == 5 && nav.for_unit("heron").value().distance({0, 0}, {2, 0}).value() == 2);
    Crowd crowd = nav.crowd().value();
    const UnitId heron = crowd.spawn_type("heron", {0, 0}).value();
    CHECK(crowd.navigator_of(heron).value().distance({0, 0}, {2, 0}).value() == 2);
}

static std::vector<std::uint8_t> bytes_of(const std::string &text) { return {text.begin(), text.end()}; }

// A map of Tiled that names a tileset, where the library was built with the format.
static void files() {
    const auto map = bytes_of(
        R"(<map orientation="orthogonal" width="3" height="1" tilewidth="8" tileheight="8"><tileset firstgid="1" source="t.tsx"/>)"
        R"(<layer name="ground" width="3" height="1"><data encoding="csv">1,2,1</data></layer></map>)");
    const auto tileset = bytes_of(
        R"(<tileset name="t" tilewidth="8" tileheight="8"><tile id="1"><properties>)"
        R"(<property name="solid" type="bool" value="true"/></properties></tile></tileset>)");
    FileOptions options;
    options.files.push_back({"t.tsx", tileset});
    const auto read = Map::from_files(map, options);
    if (!read) {
        CHECK(read.status() == WAYPOST_BAD_MAP);
        return;
    }
    CHECK(Map::from_files(map, options).value().cells().value() == (std::vector<std::uint8_t>{1, 0, 1}));
    options.level = "Attic";
    CHECK(Map::from_files(map, options).message().find("LDtk") != std::string::npos);
}

static void requests(const Navigator &nav) {
    Requests requests = nav.requests(10).value();
    const Ticket ticket = requests.ask({1, 1}, {38, 28}).value();
    CHECK(requests.state(ticket).value().state == WAYPOST_REQUEST_PENDING);
    while (requests.pending().value() > 0) CHECK(requests.tick(50).value() <= 50);
    CHECK(is_at(requests.state(ticket).value().points.back(), 38, 28));
    requests.close(ticket).value();
    CHECK(requests.close(ticket).status() == WAYPOST_BAD_VALUE);
}

static void changes(const Navigator &nav) {
    const Navigator other = nav.fork().value();
    const std::vector<Point> door{{WALL, DOOR}};
    CHECK(other.set_doors({}, door).value() == 1 && !other.is_free(door[0]) && nav.is_free(door[0]));
    CHECK(other.doors().value().size() == 1 && !other.doors().value()[0].is_open && nav.doors().value()[0].is_open);
    const std::vector<Edit> hole{{{WALL, 20}, 1, 3, 1}};
    CHECK(other.patch(hole).value() == 3);
    CHECK(other.map().value().cells().value()[20 * WIDTH + WALL] == 1);
    int told = 0;
    other.rebuild([&](const char *, std::uint64_t, std::uint64_t) { return ++told < 0; }).value();
    for (int step = 0; step < 100; ++step) other.advance(1000000).value();
    for (const IndexInfo &info : other.index_states().value()) CHECK(info.state == WAYPOST_INDEX_CURRENT);
}

static void indexes(const Navigator &nav, const Map &map) {
    const Inspection known = nav.inspect().value();
    CHECK(known.kind().value() == WAYPOST_INDEX_LABELS && known.memory_bytes().value() > 0);
    CHECK(known.reason().value().find("labels") != std::string::npos && !known.facts().value().empty());
    const auto corners = known.corners().value();
    CHECK(!corners.empty() && known.hubs(0).value().size() == corners[0].hubs && known.sectors().value().side == 0);
    CHECK(!known.corners_seen({1, 1}).value().empty() && known.chain({1, 1}, {30, 20}).value().empty());
    CHECK(nav.range({1, 1}, 2).value().size() > 4 && nav.range({1, 1}, 0).value()[0].cost == 0);
    const std::vector<Point> ends = {{1, 1}}, others = {{2, 2}}, wall = {{2, 2}};
    CHECK(nav.stays_connected({}, ends, {}).message().find("as many") != std::string::npos);
    CHECK(nav.stays_connected({}, ends, others).value() && !nav.stays_connected(wall, ends, others).value());
    CHECK(!nav.would_wait(1));
    const Inspection records = nav.inspect_kind(WAYPOST_INDEX_SUBGOALS).value();
    CHECK(records.chosen_record(nav.get(), {1, 1}, {30, 20}).status() == WAYPOST_OK);
    CHECK(records.record_count().value() > 0 && records.record(0).value().size() >= 2);
    const Groups groups = nav.inspect_kind(WAYPOST_INDEX_HIERARCHY).value().groups(1).value();
    CHECK(groups.levels > 1 && groups.groups.size() == WIDTH * HEIGHT && groups.groups[WALL] == WAYPOST_NO_GROUP);
    CHECK(nav.inspect_kind(WAYPOST_INDEX_CPD).value().first_moves({1, 1}).value().size() > 1000);
    CHECK(nav.inspect_kind(WAYPOST_INDEX_SECTORS).value().sectors().value().side > 0);
    CHECK(nav.size().value().width == WIDTH);
    const auto file = nav.save().value();
    CHECK(Navigator::open(map, file).value().is_free({1, 1}));
    CHECK(Navigator::open_lent(map, file).value().is_free({1, 1}));
    BuildOptions options;
    options.threads = 1;
    options.unit_types.push_back({"cyclops", 3, {}});
    CHECK(Navigator::open(map, file, options).value().for_unit("cyclops").status() == WAYPOST_OK);
    CHECK(Navigator::open(Map::from_cells(1, 1, file).value(), file).status() == WAYPOST_BAD_FILE);
}

static void crowds(const Navigator &nav) {
    CrowdOptions options{};
    options.exclusive = 1;
    options.transform = {{-100, 0}, {2, 2}};
    Crowd crowd = nav.crowd(options).value();
    std::vector<UnitId> squad;
    for (std::uint32_t x = 1; x < 4; ++x) squad.push_back(crowd.spawn({x, 1}).value());
    CHECK(crowd.spawn({1, 1}).status() == WAYPOST_TAKEN);
    const UnitId lone = crowd.spawn({1, 20}).value(), other = crowd.spawn({1, 25}).value();
    CHECK(crowd.send_group(squad, {30, 10}).value().empty());
    CHECK(crowd.units_near(squad[0], 1).value().size() == 1);
    CHECK(crowd.send(lone, {5, 20}).status() == WAYPOST_OK);
    crowd.send(lone, area({10, 18}, {4, 4})).value();
    crowd.send(other, wherever(lone)).value();
    crowd.send(other, within({5, 25}, 2)).value();
    crowd.set_pace(squad[0], 2).value();
    crowd.set_budget(500000, 20000).value();
    CHECK(crowd.unit_bound().value() > 0);
    const auto then = crowd.snapshot().value();
    crowd.restore(then).value();
    const std::vector<std::uint8_t> nothing(9);
    CHECK(crowd.restore(nothing).status() == WAYPOST_BAD_FILE);
    crowd.hold(squad[1]).value();
    std::vector<Point> positions(5);
    CHECK(crowd.tick(positions).value().units == 5 && is_at(positions[1], 2, 1));
    CHECK(crowd.unit(squad[1]).value().status == WAYPOST_UNIT_HOLDING);
    crowd.hold(squad[1], false).value();
    CHECK(crowd.path_ahead(squad[2]).value().size() > 1);
    std::vector<float> places(10);
    CHECK(crowd.positions_between(1.0f, places).value() == 5 && places[2] == -95.0f);
    std::size_t arrived = 0;
    for (int tick = 0; tick < 400 && !crowd.all_arrived(); ++tick) {
        crowd.tick().value();
        for (const Event &event : crowd.events().value()) arrived += event.kind == WAYPOST_EVENT_ARRIVED;
    }
    CHECK(arrived >= 5 && crowd.all_arrived() && crowd.units().value().size() == 5 && crowd.size() == 5);
    crowd.stop(other).value();
    crowd.despawn(lone).value();
    CHECK(crowd.despawn(lone).status() == WAYPOST_NO_SUCH_UNIT);
    std::vector<Point> none, reserved;
    reserved.reserve(64);
    CHECK(crowd.tick(none).status() == WAYPOST_OK && crowd.tick(reserved).status() == WAYPOST_OK);
}

int main() {
    CHECK(version() >= 256 && std::string(version_text()).find('.') != std::string::npos);
    const std::vector<std::uint8_t> bits{0xff, 0x03};
    CHECK(Map::from_bits(10, 1, bits) && Map::from_file_bytes(bits).status() == WAYPOST_BAD_MAP);
    CHECK(set_allocator({}).status() == WAYPOST_NULL);
    const Transform transform{{-100, 50}, {2, -2}};
    CHECK(is_at(cell_of(transform, position_of(transform, {3, 4}).value()).value(), 3, 4));
    const Map map = walled();
    BuildOptions options;
    options.unit_types.push_back({"tank", 2});
    options.progress = [](const char *, std::uint64_t, std::uint64_t) { return true; };
    CHECK(Navigator::build(map, options).status() == WAYPOST_CANCELLED);
#ifndef WAYPOST_NO_EXCEPTIONS
    options.progress = [](const char *, std::uint64_t, std::uint64_t) -> bool { throw 7; };
    CHECK(Navigator::build(map, options).status() == WAYPOST_CANCELLED);
#endif
    options.progress = nullptr;
    const Navigator nav = Navigator::build(map, options).value();
    unit_types(nav);
    jobs(nav);
    paths(nav);
    questions(nav);
    terrain();
    files();
    requests(nav);
    changes(nav);
    indexes(nav, map);
    crowds(nav);
    std::puts("everything answered");
    return 0;
}
