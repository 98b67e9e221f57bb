// The C# file: hello, an index from a file, a crowd of ten thousand with a door.
using System;
using System.IO;
using Waypost;

static class Tour
{
    static int Main(string[] arguments)
    {
        var cells = new byte[40 * 30];
        for (int i = 0; i < cells.Length; ++i) cells[i] = 1;
        int told = 0;
        using (var map = Map.FromCells(40, 30, cells))
        {
            var options = new BuildOptions { UnitTypes = new[] { new UnitType("tank", 2) }, Progress = (stage, done, total) => { ++told; return false; } };
            using (var built = Navigator.Build(map, options)) File.WriteAllBytes(arguments[0], built.Save());
            using (var nav = Navigator.Open(map, File.ReadAllBytes(arguments[0])))
            using (var tank = nav.ForUnit("tank"))
            {
                Console.WriteLine(nav.Path(new Point(3, 4), new Point(35, 28)).Length + " points");
                try { tank.Path(new Point(39, 29), new Point(0, 0)); return 1; }
                catch (WaypostException error) { if (error.Status != Status.Wall) return 2; }
            }
        }
        File.Delete(arguments[0]);
        return told > 0 && Cross() ? 0 : 3;
    }

    static bool Cross()
    {
        const uint width = 256, height = 200, units = 10000;
        var cells = new byte[width * height];
        var doors = new[] { new Point(width / 2, 20), new Point(width / 2, 180) };
        for (uint i = 0; i < cells.Length; ++i) cells[i] = (byte)(i % width == width / 2 ? 0 : 1);
        foreach (var door in doors) cells[door.Y * width + door.X] = 1;
        using (var map = Map.FromCells(width, height, cells))
        {
            map.SetDoors(doors);
            using (var nav = Navigator.Build(map))
            using (var crowd = nav.Crowd())
            {
                for (uint i = 0; i < units; ++i)
                    crowd.Send(crowd.Spawn(new Point(i % 100, i / 100)), new Point(width - 1 - i % 100, i / 100));
                var positions = new Point[units];
                var events = new Event[units];
                int arrived = 0;
                for (int tick = 0; tick < 4000 && !crowd.AllArrived; ++tick)
                {
                    if (tick == 10) nav.SetDoors(ReadOnlySpan<Point>.Empty, new[] { doors[0] });
                    crowd.Tick(positions);
                    int count = crowd.Events(events);
                    for (int i = 0; i < count; ++i) if (events[i].Kind == EventKind.Arrived) ++arrived;
                }
                Console.WriteLine(arrived + " arrived");
                return arrived == units;
            }
        }
    }
}
