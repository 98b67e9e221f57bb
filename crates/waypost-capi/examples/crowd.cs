// Ten thousand units cross a wall with two doors, one of which closes before anybody is there.
using System;
using Waypost;

static class CrowdWithADoor
{
    static int Main()
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
                for (uint i = 0; i < units; ++i) if (positions[i].X != width - 1 - i % 100) return 1;
                return arrived == units ? 0 : 2;
            }
        }
    }
}
