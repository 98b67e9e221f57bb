// Build the index of a level, save it, open it again, ask for a path.
using System;
using System.Text;
using Waypost;

static class Hello
{
    const string Level = "type octile\nheight 5\nwidth 12\nmap\n............\n.@@@@@@@@@@.\n.@........@.\n.@.@@@@@@@@.\n............\n";

    static int Main()
    {
        int told = 0;
        using (var map = Map.FromFileBytes(Encoding.ASCII.GetBytes(Level)))
        {
            byte[] file;
            var options = new BuildOptions { Progress = (stage, done, total) => { ++told; return false; } };
            using (var built = Navigator.Build(map, options)) file = built.Save();
            using (var nav = Navigator.Open(map, file))
            {
                double length;
                var points = new Point[64];
                var corners = new Point[64];
                int count = nav.Path(new Point(9, 2), new Point(11, 0), points, out length);
                int turns = nav.PathCorners(new Point(9, 2), new Point(11, 0), corners, out length);
                Console.WriteLine(length.ToString("F2") + " long, " + (count - 1) + " steps, " + turns + " corners");
                try { nav.Path(new Point(9, 2), new Point(1, 1)); return 1; }
                catch (WaypostException error)
                {
                    Console.WriteLine("status " + (int)error.Status + ": " + error.Message);
                    return told > 0 && error.Status == Status.Wall ? 0 : 2;
                }
            }
        }
    }
}
