// Waypost for C#: one file for Unity and .NET (C# 7, unsafe code allowed). Put libwaypost.so, waypost.dll or libwaypost.dylib where
// native libraries are looked for. Handles free themselves; failures throw WaypostException; threads are as waypost.h says.
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Waypost
{
    public enum Status
    {
        Ok = 0, Null = 1, BadValue = 2, TooSmall = 3, Outside = 4, Wall = 5, Unreachable = 6, NoSuchUnitType = 7, BadUnitType = 8,
        Cancelled = 9, BadMap = 10, BuildFailed = 11, BadFile = 12, BadMethod = 13, NoSuchUnit = 14, Taken = 15, Busy = 16, Panic = 17
    }

    public enum Corners : uint { Never = 0, One = 1, Always = 2 }
    public enum Costs : uint { Sqrt2 = 0, OnePointFour = 1 }
    public enum GoalKind : uint { Cell = 0, Area = 1, Within = 2, Unit = 3 }
    public enum EventKind : uint { Arrived = 0, Unreachable = 1, Blocked = 2, Freed = 3, IndexRenewed = 4 }
    public enum UnitStatus : uint { Idle = 0, Moving = 1, Arrived = 2, Unreachable = 3, Blocked = 4, Waiting = 5 }

    [StructLayout(LayoutKind.Sequential)]
    public struct Point
    {
        public uint X, Y;
        public Point(uint x, uint y) { X = x; Y = y; }
        public override string ToString() { return X + "," + Y; }
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Edit { public Point At; public uint Width, Height, Passable; }

    [StructLayout(LayoutKind.Sequential)]
    public struct Goal
    {
        public GoalKind Kind; public Point At; public uint Width, Height; public ulong Unit;
        public static implicit operator Goal(Point at) { return new Goal { At = at }; }
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Event { public EventKind Kind; public uint HasNearest; public ulong Unit; public Point Nearest; public uint Late, IndexKind; }

    [StructLayout(LayoutKind.Sequential)]
    public struct Unit { public ulong Id; public Point At, Previous; public UnitStatus Status; public uint Waited; }

    [StructLayout(LayoutKind.Sequential)]
    public struct Tick { public ulong Units, Events, Moves, Arrived, Planned, Waits; }

    /// A failed call: what went wrong and what to do about it.
    public sealed class WaypostException : Exception
    {
        public Status Status { get; private set; }
        internal WaypostException(Status status, string message) : base(message) { Status = status; }
    }

    /// Told how far a build is; true stops it. Called from other threads, one at a time.
    public delegate bool Progress(string stage, ulong done, ulong total);

    internal static unsafe class Native
    {
        const string Library = "waypost";
        const CallingConvention C = CallingConvention.Cdecl;

        [StructLayout(LayoutKind.Sequential)]
        internal struct BuildOptions
        {
            public UIntPtr Size; public ulong MaxBytes; public double MaxSeconds; public IntPtr UnitTypes; public UIntPtr UnitTypeCount; public IntPtr Progress, User;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct UnitType { public IntPtr Name; public uint Cells; }

        [UnmanagedFunctionPointer(C)] internal delegate int ProgressCall(IntPtr user, IntPtr stage, ulong done, ulong total);
        [UnmanagedFunctionPointer(C)] internal delegate void ReleaseCall(IntPtr user, IntPtr bytes, UIntPtr length);

        [DllImport(Library, CallingConvention = C)] internal static extern uint waypost_version();
        [DllImport(Library, CallingConvention = C)] internal static extern IntPtr waypost_last_error();
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_from_bits(uint width, uint height, byte* bits, UIntPtr length, out MapHandle map);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_from_cells(uint width, uint height, byte* cells, UIntPtr length, out MapHandle map);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_from_file_bytes(byte* bytes, UIntPtr length, out MapHandle map);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_set_rules(MapHandle map, uint corners, uint costs);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_set_doors(MapHandle map, Point* doors, UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern void waypost_map_free(IntPtr map);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_build(MapHandle map, ref BuildOptions options, out NavHandle nav);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_open(MapHandle map, IntPtr bytes, UIntPtr length, ReleaseCall release, IntPtr user, out NavHandle nav);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_save(NavHandle nav, byte* bytes, UIntPtr capacity, out UIntPtr size);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_fork(NavHandle nav, out NavHandle fork);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_for_unit(NavHandle nav, byte[] name, out NavHandle other);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_path(NavHandle nav, Point from, Point goal, Point* points, UIntPtr capacity, out UIntPtr count, out double length);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_distance(NavHandle nav, Point from, Point goal, out double length);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_nearest_reachable(NavHandle nav, Point from, Point goal, out Point nearest);
        [DllImport(Library, CallingConvention = C)] internal static extern int waypost_nav_is_free(NavHandle nav, Point point);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_patch(NavHandle nav, Edit* edits, UIntPtr count, out UIntPtr changed);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_set_doors(NavHandle nav, Point* open, UIntPtr openCount, Point* close, UIntPtr closeCount, out UIntPtr changed);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_advance(NavHandle nav, ulong operations, out UIntPtr published);
        [DllImport(Library, CallingConvention = C)] internal static extern void waypost_nav_free(IntPtr nav);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_new(NavHandle nav, IntPtr options, out CrowdHandle crowd);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_spawn(CrowdHandle crowd, Point at, out ulong unit);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_despawn(CrowdHandle crowd, ulong unit);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_send(CrowdHandle crowd, ulong unit, ref Goal goal);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_stop(CrowdHandle crowd, ulong unit);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_tick(CrowdHandle crowd, Point* positions, UIntPtr capacity, out Tick report);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_events(CrowdHandle crowd, Event* events, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_units(CrowdHandle crowd, Unit* units, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_count(CrowdHandle crowd, out UIntPtr units, out int allArrived);
        [DllImport(Library, CallingConvention = C)] internal static extern void waypost_crowd_free(IntPtr crowd);

        internal static void Check(Status status)
        {
            if (status != Status.Ok) throw new WaypostException(status, Text(waypost_last_error()));
        }

        internal static string Text(IntPtr text)
        {
            int length = 0;
            while (Marshal.ReadByte(text, length) != 0) ++length;
            var bytes = new byte[length];
            Marshal.Copy(text, bytes, 0, length);
            return Encoding.UTF8.GetString(bytes);
        }

        internal static byte[] Bytes(string text) { return Encoding.UTF8.GetBytes(text + "\0"); }
        internal static UIntPtr Size(int size) { return (UIntPtr)(uint)size; }
    }

    internal abstract class Handle : SafeHandle
    {
        protected Handle() : base(IntPtr.Zero, true) { }
        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }
    }

    internal sealed class MapHandle : Handle { protected override bool ReleaseHandle() { Native.waypost_map_free(handle); return true; } }
    internal sealed class NavHandle : Handle { protected override bool ReleaseHandle() { Native.waypost_nav_free(handle); return true; } }
    internal sealed class CrowdHandle : Handle { protected override bool ReleaseHandle() { Native.waypost_crowd_free(handle); return true; } }

    /// A map before it becomes a world.
    public sealed unsafe class Map : IDisposable
    {
        internal readonly MapHandle Handle;
        Map(MapHandle handle) { Handle = handle; }
        public void Dispose() { Handle.Dispose(); }

        /// Row by row without padding, the least significant bit first: 1 is free.
        public static Map FromBits(uint width, uint height, ReadOnlySpan<byte> bits)
        {
            MapHandle map;
            fixed (byte* p = &MemoryMarshal.GetReference(bits)) Native.Check(Native.waypost_map_from_bits(width, height, p, Native.Size(bits.Length), out map));
            return new Map(map);
        }

        /// One byte a cell, row by row: not 0 is free.
        public static Map FromCells(uint width, uint height, ReadOnlySpan<byte> cells)
        {
            MapHandle map;
            fixed (byte* p = &MemoryMarshal.GetReference(cells)) Native.Check(Native.waypost_map_from_cells(width, height, p, Native.Size(cells.Length), out map));
            return new Map(map);
        }

        /// The bytes of a map file.
        public static Map FromFileBytes(ReadOnlySpan<byte> bytes)
        {
            MapHandle map;
            fixed (byte* p = &MemoryMarshal.GetReference(bytes)) Native.Check(Native.waypost_map_from_file_bytes(p, Native.Size(bytes.Length), out map));
            return new Map(map);
        }

        public void SetRules(Corners corners, Costs costs) { Native.Check(Native.waypost_map_set_rules(Handle, (uint)corners, (uint)costs)); }

        public void SetDoors(ReadOnlySpan<Point> doors)
        {
            fixed (Point* p = &MemoryMarshal.GetReference(doors)) Native.Check(Native.waypost_map_set_doors(Handle, p, Native.Size(doors.Length)));
        }
    }

    /// A type of unit: its name and its cells on a side.
    public struct UnitType
    {
        public string Name; public uint Cells;
        public UnitType(string name, uint cells) { Name = name; Cells = cells; }
    }

    /// How a world is built; what is 0 or null is as usual.
    public sealed class BuildOptions
    {
        public ulong MaxBytes;
        public double MaxSeconds;
        /// Beside the one of one cell, which is called `unit`.
        public UnitType[] UnitTypes;
        public Progress Progress;
    }

    /// A world as one type of unit sees it; usable from all threads.
    public sealed unsafe class Navigator : IDisposable
    {
        // Kept alive for as long as the program runs: the library may call it from any thread.
        static readonly Native.ReleaseCall Release = FreePinned;
        static readonly Native.ProgressCall TellCall = Tell;
        readonly NavHandle handle;
        Navigator(NavHandle handle) { this.handle = handle; }
        public void Dispose() { handle.Dispose(); }

        public static Navigator Build(Map map, BuildOptions options = null)
        {
            options = options ?? new BuildOptions();
            var raw = new Native.BuildOptions { Size = Native.Size(sizeof(Native.BuildOptions)), MaxBytes = options.MaxBytes, MaxSeconds = options.MaxSeconds };
            var types = options.UnitTypes ?? new UnitType[0];
            var names = new GCHandle[types.Length];
            var rawTypes = new Native.UnitType[types.Length];
            var progress = GCHandle.Alloc(options.Progress);
            if (options.Progress != null)
            {
                raw.Progress = Marshal.GetFunctionPointerForDelegate(TellCall);
                raw.User = GCHandle.ToIntPtr(progress);
            }
            try
            {
                for (int i = 0; i < types.Length; ++i)
                {
                    names[i] = GCHandle.Alloc(Native.Bytes(types[i].Name), GCHandleType.Pinned);
                    rawTypes[i] = new Native.UnitType { Name = names[i].AddrOfPinnedObject(), Cells = types[i].Cells };
                }
                NavHandle nav;
                fixed (Native.UnitType* p = rawTypes)
                {
                    raw.UnitTypes = (IntPtr)p;
                    raw.UnitTypeCount = Native.Size(types.Length);
                    Native.Check(Native.waypost_nav_build(map.Handle, ref raw, out nav));
                }
                return new Navigator(nav);
            }
            finally
            {
                foreach (var name in names) if (name.IsAllocated) name.Free();
                progress.Free();
            }
        }

        // No exception may cross the library: one thrown by the caller's function stops the build.
#if UNITY_5_3_OR_NEWER
        [AOT.MonoPInvokeCallback(typeof(Native.ProgressCall))]
#endif
        static int Tell(IntPtr user, IntPtr stage, ulong done, ulong total)
        {
            try { return ((Progress)GCHandle.FromIntPtr(user).Target)(Native.Text(stage), done, total) ? 1 : 0; }
            catch (Exception) { return 1; }
        }

        /// Opens what Save gave, for the same map. The array stays pinned while the world looks at it and must not change.
        public static Navigator Open(Map map, byte[] bytes)
        {
            var pinned = GCHandle.Alloc(bytes, GCHandleType.Pinned);
            NavHandle nav;
            Native.Check(Native.waypost_nav_open(map.Handle, pinned.AddrOfPinnedObject(), Native.Size(bytes.Length), Release, GCHandle.ToIntPtr(pinned), out nav));
            return new Navigator(nav);
        }

#if UNITY_5_3_OR_NEWER
        [AOT.MonoPInvokeCallback(typeof(Native.ReleaseCall))]
#endif
        static void FreePinned(IntPtr user, IntPtr bytes, UIntPtr length) { GCHandle.FromIntPtr(user).Free(); }

        /// The file to ship with the map.
        public byte[] Save()
        {
            UIntPtr size;
            Native.waypost_nav_save(handle, null, UIntPtr.Zero, out size);
            var bytes = new byte[(int)size];
            fixed (byte* p = bytes) Native.Check(Native.waypost_nav_save(handle, p, size, out size));
            return bytes;
        }

        public Navigator Fork() { NavHandle fork; Native.Check(Native.waypost_nav_fork(handle, out fork)); return new Navigator(fork); }
        public Navigator ForUnit(string name) { NavHandle other; Native.Check(Native.waypost_nav_for_unit(handle, Native.Bytes(name), out other)); return new Navigator(other); }

        /// Writes a shortest path; gives the number of its points, which may be more than fit: then call again with a longer span.
        public int Path(Point from, Point goal, Span<Point> points, out double length)
        {
            UIntPtr count;
            Status status;
            fixed (Point* p = &MemoryMarshal.GetReference(points)) status = Native.waypost_nav_path(handle, from, goal, p, Native.Size(points.Length), out count, out length);
            if (status != Status.TooSmall) Native.Check(status);
            return (int)count;
        }

        public Point[] Path(Point from, Point goal)
        {
            double length;
            var points = new Point[256];
            int count = Path(from, goal, points, out length);
            if (count > points.Length) Path(from, goal, points = new Point[count], out length);
            Array.Resize(ref points, count);
            return points;
        }

        public double Distance(Point from, Point goal) { double length; Native.Check(Native.waypost_nav_distance(handle, from, goal, out length)); return length; }
        public Point NearestReachable(Point from, Point goal) { Point nearest; Native.Check(Native.waypost_nav_nearest_reachable(handle, from, goal, out nearest)); return nearest; }
        public bool IsFree(Point point) { return Native.waypost_nav_is_free(handle, point) != 0; }

        /// Rectangles in order; gives the number of cells that changed.
        public int Patch(ReadOnlySpan<Edit> edits)
        {
            UIntPtr changed;
            fixed (Edit* p = &MemoryMarshal.GetReference(edits)) Native.Check(Native.waypost_nav_patch(handle, p, Native.Size(edits.Length), out changed));
            return (int)changed;
        }

        public int SetDoors(ReadOnlySpan<Point> open, ReadOnlySpan<Point> close)
        {
            UIntPtr changed;
            fixed (Point* p = &MemoryMarshal.GetReference(open))
            fixed (Point* q = &MemoryMarshal.GetReference(close))
                Native.Check(Native.waypost_nav_set_doors(handle, p, Native.Size(open.Length), q, Native.Size(close.Length), out changed));
            return (int)changed;
        }

        public int Advance(ulong operations) { UIntPtr published; Native.Check(Native.waypost_nav_advance(handle, operations, out published)); return (int)published; }
        public Crowd Crowd() { CrowdHandle crowd; Native.Check(Native.waypost_crowd_new(handle, IntPtr.Zero, out crowd)); return new Crowd(crowd); }
    }

    /// Many units in one world; one thread at a time.
    public sealed unsafe class Crowd : IDisposable
    {
        readonly CrowdHandle handle;
        internal Crowd(CrowdHandle handle) { this.handle = handle; }
        public void Dispose() { handle.Dispose(); }

        public ulong Spawn(Point at) { ulong unit; Native.Check(Native.waypost_crowd_spawn(handle, at, out unit)); return unit; }
        public void Despawn(ulong unit) { Native.Check(Native.waypost_crowd_despawn(handle, unit)); }
        public void Send(ulong unit, Goal goal) { Native.Check(Native.waypost_crowd_send(handle, unit, ref goal)); }
        public void Stop(ulong unit) { Native.Check(Native.waypost_crowd_stop(handle, unit)); }

        /// Moves every unit that has a goal by one step and writes where all are, in the order of their ids.
        public Tick Tick(Span<Point> positions)
        {
            Tick report;
            fixed (Point* p = &MemoryMarshal.GetReference(positions)) Native.Check(Native.waypost_crowd_tick(handle, p, Native.Size(positions.Length), out report));
            return report;
        }

        /// What happened in the last tick; gives the number of events, which may be more than fit.
        public int Events(Span<Event> events)
        {
            UIntPtr count;
            Status status;
            fixed (Event* p = &MemoryMarshal.GetReference(events)) status = Native.waypost_crowd_events(handle, p, Native.Size(events.Length), out count);
            if (status != Status.TooSmall) Native.Check(status);
            return (int)count;
        }

        public int Units(Span<Unit> units)
        {
            UIntPtr count;
            Status status;
            fixed (Unit* p = &MemoryMarshal.GetReference(units)) status = Native.waypost_crowd_units(handle, p, Native.Size(units.Length), out count);
            if (status != Status.TooSmall) Native.Check(status);
            return (int)count;
        }

        public bool AllArrived { get { UIntPtr units; int all; Native.Check(Native.waypost_crowd_count(handle, out units, out all)); return all != 0; } }
    }
}
