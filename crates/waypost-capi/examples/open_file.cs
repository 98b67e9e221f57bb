// Writes an index into a file, reads it into an array that the world looks at, and asks for many paths at once.
using System;
using System.IO;
using Waypost;

static class OpenFile
{
    static int Main(string[] arguments)
    {
        string name = arguments.Length > 0 ? arguments[0] : "open_file.nav";
        // Bits row by row: 100 x 40 cells, all free.
        var bits = new byte[500];
        for (int i = 0; i < bits.Length; ++i) bits[i] = 0xff;
        using (var map = Map.FromBits(100, 40, bits))
        {
            var options = new BuildOptions { UnitTypes = new[] { new UnitType("tank", 3) } };
            using (var built = Navigator.Build(map, options)) File.WriteAllBytes(name, built.Save());
            using (var nav = Navigator.Open(map, File.ReadAllBytes(name)))
            using (var tank = nav.ForUnit("tank"))
            {
                var queries = new[] { new Query { Goal = new Point(97, 37) }, new Query { Goal = new Point(99, 39) } };
                var points = new Point[256];
                var offsets = new UIntPtr[3];
                var lengths = new double[2];
                int count = tank.Paths(queries, points, offsets, lengths);
                Console.WriteLine(offsets[1] + " points; the second goal is no place for a tank: " + (double.IsInfinity(lengths[1]) ? "yes" : "no"));
                File.Delete(name);
                return count == 98 && (uint)offsets[1] == 98 && double.IsInfinity(lengths[1]) ? 0 : 1;
            }
        }
    }
}
