// The whole of the C# file, with what it should answer.
using System;
using System.Runtime.CompilerServices;
using System.Text;
using Waypost;

static class Everything
{
    const uint Width = 40, Height = 30, Wall = 20, Door = 7;

    static void Check(bool condition, [CallerLineNumber] int line = 0)
    {
        if (condition) return;
        Console.Error.WriteLine("line " + line);
        Environment.Exit(1);
    }

    static void Fails(Status status, Action call, [CallerLineNumber] int line = 0)
    {
        try { call(); }
        catch (WaypostException error) { Check(error.Status == status && error.Message.Length > 0, line); return; }
        Check(false, line);
    }

    static bool IsAt(Point at, uint x, uint y) { return at.X == x && at.Y == y; }

    static Map Walled()
    {
        var cells = new byte[Width * Height];
        for (uint at = 0; at < cells.Length; ++at) cells[at] = (byte)(at % Width != Wall || at / Width == Door ? 1 : 0);
        var map = Map.FromCells(Width, Height, cells);
        map.SetDoors(new[] { new Point(Wall, Door) });
        map.SetRules(Corners.Never, Costs.Sqrt2);
        var back = new byte[cells.Length];
        Check(map.Width == Width && map.Height == Height && map.Cells(back) == back.Length);
        Check(((ReadOnlySpan<byte>)cells).SequenceEqual(back));
        Check(map.Cells(Span<byte>.Empty) == back.Length);
        return map;
    }

    static void UnitTypes(Navigator nav)
    {
        var types = nav.UnitTypes();
        Check(types.Length == 2 && types[1].Name == "tank" && types[1].Cells == 2);
        using (var tank = nav.ForUnit("tank")) Fails(Status.Unreachable, () => tank.Distance(new Point(1, 1), new Point(30, 1)));
        Fails(Status.NoSuchUnitType, () => nav.ForUnit("dragon"));
        using (var giant = nav.AddUnitType(new UnitType("giant", 4))) Check(!giant.IsFree(new Point(17, 3)));
    }

    /// A type that another thread builds, on a fork so that the world stays as it is.
    static void Jobs(Navigator world)
    {
        using (var nav = world.Fork())
        using (var job = nav.TypeJob(new UnitType("ogre", 3)))
        {
            int told = 0;
            Fails(Status.BadValue, () => job.AddTo(nav));
            var thread = new System.Threading.Thread(() => job.Run((stage, done, total) => ++told < 0));
            thread.Start();
            thread.Join();
            using (var ogre = job.AddTo(nav)) Check(told > 0 && ogre.OwnUnitType() + 1 == nav.UnitTypes().Length && !ogre.IsFree(new Point(18, 3)));
            Check(nav.Cost(new Point(1, 1), new Point(5, 1)) == 4 * 985);
            Fails(Status.Wall, () => nav.Cost(new Point(1, 1), new Point(Wall, 0)));
            using (var map = nav.Map())
            {
                var factors = new double[Width * Height];
                var doors = new Door[4];
                Corners corners;
                Costs costs;
                map.Rules(out corners, out costs);
                Check(map.Factors(factors) == factors.Length && factors[Wall] == 0 && factors[0] == 1 && map.Doors(doors) == 1 && corners == Corners.Never && costs == Costs.Sqrt2);
                using (var small = Navigator.Build(map, new BuildOptions { FitBytes = 2000 }))
                using (var crowd = small.Crowd())
                using (var own = crowd.NavigatorOf(0)) Check(own.IsFree(new Point(1, 1)));
            }
            Check(nav.PatchCells(3, 2, new byte[6]) == 6 && !nav.IsFree(new Point(2, 1)) && nav.IsFree(new Point(3, 1)));
        }
    }

    static void Paths(Navigator nav)
    {
        Point from = new Point(1, 1), goal = new Point(38, 28);
        double length, again;
        var points = new Point[100];
        int count = nav.Path(from, goal, points, out length);
        Check(IsAt(points[0], 1, 1) && IsAt(points[count - 1], 38, 28) && nav.Path(from, goal).Length == count);
        Check(Math.Abs(length - nav.Distance(from, goal)) < 1e-9);
        Check(nav.PathCorners(from, goal, points, out again) < count && nav.Path(from, goal, new Point[3], out again) == count);
        var offsets = new UIntPtr[3];
        var lengths = new double[2];
        var queries = new[] { new Query { From = from, Goal = goal }, new Query { From = from, Goal = new Point(Wall, 0) } };
        Check(nav.Paths(queries, points, offsets, lengths) == count && double.IsInfinity(lengths[1]));
        Check(nav.NearestReachable(from, new Point(Wall, 0)).Y == 0 && IsAt(nav.NearestFree(new Point(Wall, Door)), Wall, Door));
        Fails(Status.Outside, () => nav.Path(from, new Point(Width, 0)));
    }

    static void Questions(Navigator nav)
    {
        double length, straight;
        int nearest;
        var points = new Point[100];
        var goals = new[] { new Point(38, 28), new Point(Wall, 0), new Point(3, 9) };
        int count = nav.PathToNearest(new Point(1, 1), goals, out nearest, points, out length);
        Check(nearest == 2 && IsAt(points[count - 1], 3, 9));
        Check(nav.SmoothPath(new Point(1, 1), goals[2], points, out straight) == 2 && straight < length);
        Check(nav.Sees(new Point(1, 1), goals[2]) && !nav.Sees(new Point(1, 1), goals[0]));
        var reached = new Reached[2000];
        using (var field = nav.Field(new[] { goals[0], goals[2] }))
        using (var away = field.Fleeing())
        using (var later = nav.Field(new[] { goals[2] }, new[] { 5.0 }))
        {
            Check(field.Value(new Point(3, 7)) == 2 && field.Value(new Point(Wall, 0)) == null && Math.Abs(later.Value(goals[2]).Value - 5) < 0.01);
            Check(IsAt(field.Next(new Point(3, 7)), 3, 8) && field.Heading(new Point(3, 7)) == 4 && field.Heading(goals[2]) == -1);
            Check(IsAt(field.Walk(new Point(3, 5), 9), 3, 9) && field.Within(0, reached) == 2 && field.IsCurrent(nav));
            Check(field.Value(away.Walk(new Point(3, 8), 30)) > 5);
        }
        Check(nav.Range(new Point(1, 1), 1, reached) == 5 && reached[2].Cost == 0);
        var ends = new[] { new Point(1, 1) };
        var others = new[] { new Point(2, 2) };
        Check(nav.StaysConnected(new Point[0], ends, others) && !nav.StaysConnected(others, ends, others) && !nav.WouldWait(1));
    }

    static void Terrain()
    {
        Point from = new Point(0, 0), goal = new Point(2, 0);
        using (var map = Map.FromFactors(3, 2, new double[] { 1, 4, 1, 1, 0, 1 }))
        using (var nav = Navigator.Build(map)) Check(nav.Distance(from, goal) == 5);
        var options = new BuildOptions { UnitTypes = new[] { new UnitType("heron", 1, new Ground("swamp", 1)) } };
        using (var map = Map.FromClasses(3, 2, new byte[] { 0, 1, 0, 0, 2, 0 }, new[] { new Ground("road", 1), new Ground("swamp", 4), new Ground("rock", 0) }))
        using (var nav = Navigator.Build(map, options))
        using (var heron = nav.ForUnit("heron"))
        using (var crane = nav.AddUnitType(new UnitType("crane", 1, new Ground("swamp", 0))))
        using (var crowd = nav.Crowd())
        {
            Check(nav.Distance(from, goal) == 5 && heron.Distance(from, goal) == 2);
            var types = nav.UnitTypes();
            Check(types[0].Grounds.Length == 0 && types[1].Grounds[0].Name == "swamp" && types[1].Grounds[0].Factor == 1 && types[2].Grounds[0].Factor == 0);
            Fails(Status.Unreachable, () => crane.Distance(from, goal));
            using (var same = crowd.NavigatorOf(crowd.SpawnType("heron", from))) Check(same.Distance(from, goal) == 2);
        }
    }

    // A map of Tiled that names a tileset, where the library was built with the format.
    static void Files()
    {
        var map = Encoding.UTF8.GetBytes("<map orientation='orthogonal' width='3' height='1' tilewidth='8' tileheight='8'><tileset firstgid='1' source='t.tsx'/>"
            + "<layer name='ground' width='3' height='1'><data encoding='csv'>1,2,1</data></layer></map>");
        var tileset = Encoding.UTF8.GetBytes("<tileset name='t' tilewidth='8' tileheight='8'><tile id='1'><properties><property name='solid' type='bool' value='true'/></properties></tile></tileset>");
        try
        {
            var cells = new byte[3];
            using (var read = Map.FromFiles(map, new MapFileOptions { Files = new[] { new MapFile("t.tsx", tileset) } })) read.Cells(cells);
            Check(cells[0] == 1 && cells[1] == 0 && cells[2] == 1);
            Fails(Status.BadMap, () => Map.FromFiles(map, new MapFileOptions { Level = "Attic" }));
            Fails(Status.BadMap, () => Map.FromFiles(map, new MapFileOptions { Layer = "sky" }));
        }
        catch (WaypostException failed) { Check(failed.Status == Status.BadMap && failed.Message.Contains("map")); }
    }

    static void Requests(Navigator nav)
    {
        using (var requests = nav.Requests(10))
        {
            int count;
            var points = new Point[100];
            ulong ticket = requests.Ask(new Point(1, 1), new Point(38, 28));
            Check(requests.State(ticket, points, out count) == RequestState.Pending);
            while (requests.Pending > 0) Check(requests.Tick(50) <= 50);
            Check(requests.State(ticket, points, out count) == RequestState.Found && IsAt(points[count - 1], 38, 28));
            requests.Close(ticket);
            Fails(Status.BadValue, () => requests.Close(ticket));
        }
    }

    static void Changes(Navigator nav)
    {
        var door = new[] { new Point(Wall, Door) };
        using (var other = nav.Fork())
        {
            Check(other.SetDoors(ReadOnlySpan<Point>.Empty, door) == 1 && !other.IsFree(door[0]) && nav.IsFree(door[0]));
            Check(other.Doors().Length == 1 && other.Doors()[0].IsOpen == 0 && nav.Doors()[0].IsOpen == 1);
            Check(other.Patch(new[] { new Edit { At = new Point(Wall, 20), Width = 1, Height = 3, Passable = 1 } }) == 3);
            var cells = new byte[Width * Height];
            using (var map = other.Map()) Check(map.Cells(cells) == cells.Length && cells[20 * Width + Wall] == 1);
            other.Rebuild((stage, done, total) => false);
            for (int step = 0; step < 100; ++step) other.Advance(1000000);
            foreach (var info in other.IndexStates()) Check(info.State == IndexState.Current && info.UnitType.Length > 0);
            Check(other.Rebuild() == 0);
        }
    }

    static void Indexes(Navigator nav, Map map)
    {
        uint side, levels;
        using (var known = nav.Inspect())
        {
            var corners = new Corner[64];
            Check(known.Kind == IndexKind.Labels && known.MemoryBytes > 0 && known.Reason.Contains("labels"));
            Check(known.Facts().Length > 0 && known.Facts()[0].Key.Length > 0);
            Check(known.Corners(corners) > 0 && known.Hubs(0, new Point[64]) == corners[0].Hubs && known.Sectors(out side, new Region[4]) == 0 && side == 0);
        }
        using (var records = nav.InspectKind(IndexKind.Subgoals)) Check(records.RecordCount > 0 && records.Record(0, new Point[64]) >= 2);
        using (var groups = nav.InspectKind(IndexKind.Hierarchy))
        {
            var all = new uint[Width * Height];
            Check(groups.Groups(1, out levels, all) == all.Length && levels > 1 && all[Wall] == uint.MaxValue);
        }
        using (var moves = nav.InspectKind(IndexKind.Cpd)) Check(moves.FirstMoves(new Point(1, 1), new FirstMove[2]) > 1000);
        using (var sectors = nav.InspectKind(IndexKind.Sectors)) Check(sectors.Sectors(out side, new Region[400]) > 0 && side > 0);
        Check(nav.Width == Width && nav.Height == Height);
        var file = nav.Save();
        using (var opened = Navigator.Open(map, file)) Check(opened.IsFree(new Point(1, 1)));
        file[file.Length / 2] ^= 1;
        Fails(Status.BadFile, () => Navigator.Open(map, file));
    }

    static void Crowds(Navigator nav)
    {
        var options = new CrowdOptions { Exclusive = true, Transform = new Transform { OriginX = -100, CellX = 2, CellY = 2 } };
        Fails(Status.BadMethod, () => nav.Crowd(new CrowdOptions { Method = "no such" }));
        using (var crowd = nav.Crowd(options))
        {
            var squad = new ulong[3];
            for (uint i = 0; i < 3; ++i) squad[i] = crowd.Spawn(new Point(1 + i, 1));
            Fails(Status.Taken, () => crowd.Spawn(new Point(1, 1)));
            ulong lone = crowd.Spawn(new Point(1, 20)), other = crowd.Spawn(new Point(1, 25));
            Check(crowd.SendGroup(squad, new Point(30, 10)).Length == 0);
            crowd.Send(lone, Goal.Area(new Point(10, 18), 4, 4));
            crowd.Send(other, Goal.Wherever(lone));
            crowd.Send(other, Goal.Within(new Point(5, 25), 2));
            crowd.SetPace(squad[0], 2);
            crowd.SetBudget(500000, 20000);
            Check(crowd.UnitBound > 0);
            crowd.Restore(crowd.Snapshot());
            crowd.Hold(squad[1]);
            var positions = new Point[5];
            Check(crowd.Tick(positions).Units == 5 && IsAt(positions[1], 2, 1));
            Check(crowd.Unit(squad[1]).Status == UnitStatus.Holding);
            crowd.Hold(squad[1], false);
            Check(crowd.PathAhead(squad[2], new Point[100]) > 1);
            var places = new float[10];
            Check(crowd.PositionsBetween(1, places) == 5 && places[2] == -95);
            int arrived = 0;
            var events = new Event[16];
            for (int tick = 0; tick < 400 && !crowd.AllArrived; ++tick)
            {
                crowd.Tick();
                int count = crowd.Events(events);
                for (int i = 0; i < count; ++i) if (events[i].Kind == EventKind.Arrived) ++arrived;
            }
            Check(arrived >= 5 && crowd.AllArrived && crowd.Units(new Unit[8]) == 5 && crowd.Count == 5);
            crowd.Stop(other);
            crowd.Despawn(lone);
            Fails(Status.NoSuchUnit, () => crowd.Despawn(lone));
        }
    }

    static int Main()
    {
        Check(Library.Version >= 256 && Library.VersionText.Contains("."));
        Fails(Status.Null, () => Library.SetAllocator(IntPtr.Zero, IntPtr.Zero, IntPtr.Zero));
        using (var bits = Map.FromBits(10, 1, new byte[] { 0xff, 0x03 })) Check(bits.Width == 10);
        Fails(Status.BadMap, () => Map.FromFileBytes(new byte[] { 1, 2 }));
        float x, y;
        var transform = new Transform { OriginX = -100, OriginY = 50, CellX = 2, CellY = -2 };
        transform.Position(new Point(3, 4), out x, out y);
        Check(IsAt(transform.Cell(x, y), 3, 4));
        using (var map = Walled())
        {
            var options = new BuildOptions { UnitTypes = new[] { new UnitType("tank", 2) }, Progress = (stage, done, total) => true };
            Fails(Status.Cancelled, () => Navigator.Build(map, options));
            options.Progress = (stage, done, total) => { throw new InvalidOperationException(); };
            Fails(Status.Cancelled, () => Navigator.Build(map, options));
            options.Progress = null;
            using (var nav = Navigator.Build(map, options))
            {
                UnitTypes(nav);
                Jobs(nav);
                Paths(nav);
                Questions(nav);
                Terrain();
                Files();
                Requests(nav);
                Changes(nav);
                Indexes(nav, map);
                Crowds(nav);
            }
        }
        // What nobody disposed of is freed by the collector.
        Navigator.Build(Walled());
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Console.WriteLine("everything answered");
        return 0;
    }
}
