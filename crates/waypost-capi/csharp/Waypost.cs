// Waypost for C#: one file for Unity and .NET (C# 7, unsafe code allowed). Put libwaypost.so, waypost.dll or libwaypost.dylib where
// native libraries are looked for. Handles free themselves; failures throw WaypostException; threads are as waypost.h says.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;

namespace Waypost
{
    public enum Status
    {
        Ok = 0, Null = 1, BadValue = 2, TooSmall = 3, Outside = 4, Wall = 5, Unreachable = 6, NoSuchUnitType = 7, BadUnitType = 8,
        Cancelled = 9, BadMap = 10, BuildFailed = 11, BadFile = 12, BadMethod = 13, NoSuchUnit = 14, Taken = 15, Busy = 16, Panic = 17,
        TooLate = 18
    }

    public enum Corners : uint { Never = 0, One = 1, Always = 2, NoDiagonals = 3 }
    public enum Costs : uint { Sqrt2 = 0, OnePointFour = 1 }
    public enum GoalKind : uint { Cell = 0, Area = 1, Within = 2, Unit = 3 }
    public enum EventKind : uint { Arrived = 0, Unreachable = 1, Blocked = 2, Freed = 3, IndexRenewed = 4, Stuck = 5 }
    public enum UnitStatus : uint { Idle = 0, Moving = 1, Arrived = 2, Unreachable = 3, Blocked = 4, Waiting = 5, Holding = 6, Stuck = 7 }
    public enum Formation : uint { Close = 0, Kept = 1 }
    public enum RequestState : uint { Pending = 0, Found = 1, NoPath = 2, Unknown = 3 }
    public enum IndexKind : uint
    {
        Subgoals = 1, Regions = 2, Cpd = 3, Landmarks = 4, Hierarchy = 5, Jump = 6, Labels = 7, Sectors = 8, Auto = 9, Tables = 10, ClimbRegions = 11
    }
    public enum IndexState : uint { Current = 0, Repairing = 1, Rebuilding = 2, Stale = 3 }

    [StructLayout(LayoutKind.Sequential)]
    public struct Point
    {
        public uint X, Y;
        public Point(uint x, uint y) { X = x; Y = y; }
        public override string ToString() { return X + "," + Y; }
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Query { public Point From, Goal; }

    [StructLayout(LayoutKind.Sequential)]
    public struct Edit { public Point At; public uint Width, Height, Passable; }

    [StructLayout(LayoutKind.Sequential)]
    public struct Goal
    {
        public GoalKind Kind; public Point At; public uint Width, Height; public ulong Unit;
        public static implicit operator Goal(Point at) { return new Goal { At = at }; }
        public static Goal Area(Point corner, uint width, uint height) { return new Goal { Kind = GoalKind.Area, At = corner, Width = width, Height = height }; }
        public static Goal Within(Point at, uint cells) { return new Goal { Kind = GoalKind.Within, At = at, Width = cells }; }
        public static Goal Wherever(ulong unit) { return new Goal { Kind = GoalKind.Unit, Unit = unit }; }
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Event { public EventKind Kind; public uint HasNearest; public ulong Unit; public Point Nearest; public uint Late, IndexKind, Why, Reserved; }

    [StructLayout(LayoutKind.Sequential)]
    public struct Unit { public ulong Id; public Point At, Previous; public UnitStatus Status; public uint Waited, Cells, HasNearest; public Point Nearest; public uint Why, Reserved; }

    [StructLayout(LayoutKind.Sequential)]
    public struct Tick { public ulong Units, Events, Moves, Arrived, Planned, Waits, Provisional, Operations; }

    [StructLayout(LayoutKind.Sequential)]
    public struct Corner { public Point At; public uint Hubs; }

    [StructLayout(LayoutKind.Sequential)]
    public struct Region { public uint Number; public Point At; }

    /// A cell that can be reached, and what the cheapest path to it costs.
    [StructLayout(LayoutKind.Sequential)]
    public struct Reached { public Point At; public double Cost; }

    /// A door; IsOpen is 1 or 0.
    [StructLayout(LayoutKind.Sequential)]
    public struct Door { public Point At; public int IsOpen; }

    [StructLayout(LayoutKind.Sequential)]
    public struct FirstMove { public Point From, To; }

    /// How an index of a unit type stands.
    public struct IndexInfo { public string UnitType; public IndexKind Kind; public IndexState State; }

    /// Where cells lie in a game's own coordinates. Filled with zeros: cells of 1 x 1 from 0,0; CellY is negative where y grows upwards.
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct Transform
    {
        public float OriginX, OriginY, CellX, CellY;

        /// The middle of a cell.
        public void Position(Point cell, out float x, out float y)
        {
            float* out2 = stackalloc float[2];
            var transform = this;
            Native.Check(Native.waypost_transform_position(&transform, cell, out2));
            x = out2[0];
            y = out2[1];
        }

        /// The cell that holds a position.
        public Point Cell(float x, float y)
        {
            float* position = stackalloc float[2];
            position[0] = x;
            position[1] = y;
            Point cell;
            var transform = this;
            Native.Check(Native.waypost_transform_cell(&transform, position, out cell));
            return cell;
        }
    }

    public static class Library
    {
        /// major * 65536 + minor * 256 + patch
        public static uint Version { get { return Native.waypost_version(); } }
        public static string VersionText { get { return Native.Text(Native.waypost_version_text()); } }

        /// Native functions (waypost_allocate, waypost_release_memory) that all memory comes from; before anything else, once.
        public static void SetAllocator(IntPtr allocate, IntPtr release, IntPtr user)
        {
            var allocator = new Native.Allocator { Allocate = allocate, Release = release, User = user };
            allocator.Size = Native.Size(Marshal.SizeOf(allocator));
            Native.Check(Native.waypost_set_allocator(ref allocator));
        }
    }

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
            public UIntPtr Size; public ulong MaxBytes; public double MaxSeconds; public IntPtr UnitTypes; public UIntPtr UnitTypeCount; public IntPtr Progress, User; public ulong FitBytes; public UIntPtr Threads;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct UnitType { public UIntPtr Size; public IntPtr Name; public uint Cells; public IntPtr Grounds; public UIntPtr GroundCount; }

        [StructLayout(LayoutKind.Sequential)]
        internal struct Ground { public IntPtr Name; public double Factor; }

        [StructLayout(LayoutKind.Sequential)]
        internal struct File { public IntPtr Name, Bytes; public UIntPtr Length; }

        [StructLayout(LayoutKind.Sequential)]
        internal struct FileOptions { public UIntPtr Size; public IntPtr Level, Layer, Files; public UIntPtr FileCount; }

        [StructLayout(LayoutKind.Sequential)]
        internal struct CrowdOptions
        {
            public UIntPtr Size; public IntPtr Method; public ulong PlanOperations, RepairOperations; public uint Exclusive, FreeRunning; public Transform Transform;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct IndexInfo { public fixed byte UnitType[64]; public IndexKind Kind; public IndexState State; }

        [StructLayout(LayoutKind.Sequential)]
        internal struct Allocator { public UIntPtr Size; public IntPtr Allocate, Release, User; }

        [UnmanagedFunctionPointer(C)] internal delegate int ProgressCall(IntPtr user, IntPtr stage, ulong done, ulong total);
        [UnmanagedFunctionPointer(C)] internal delegate void ReleaseCall(IntPtr user, IntPtr bytes, UIntPtr length);

        [DllImport(Library, CallingConvention = C)] internal static extern uint waypost_version();
        [DllImport(Library, CallingConvention = C)] internal static extern IntPtr waypost_version_text();
        [DllImport(Library, CallingConvention = C)] internal static extern IntPtr waypost_last_error();
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_set_allocator(ref Allocator allocator);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_transform_position(Transform* transform, Point cell, float* position);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_transform_cell(Transform* transform, float* position, out Point cell);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_from_bits(uint width, uint height, byte* bits, UIntPtr length, out MapHandle map);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_from_cells(uint width, uint height, byte* cells, UIntPtr length, out MapHandle map);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_from_file_bytes(byte* bytes, UIntPtr length, out MapHandle map);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_from_files(byte* bytes, UIntPtr length, ref FileOptions options, out MapHandle map);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_from_classes(uint width, uint height, byte* cells, UIntPtr length, Ground* grounds, UIntPtr groundCount, out MapHandle map);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_from_factors(uint width, uint height, double* factors, UIntPtr length, out MapHandle map);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_set_rules(MapHandle map, uint corners, uint costs);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_set_doors(MapHandle map, Point* doors, UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_size(MapHandle map, out uint width, out uint height);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_cells(MapHandle map, byte* cells, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_factors(MapHandle map, double* factors, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_doors(MapHandle map, Door* doors, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_map_rules(MapHandle map, out Corners corners, out Costs costs);
        [DllImport(Library, CallingConvention = C)] internal static extern void waypost_map_free(IntPtr map);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_build(MapHandle map, ref BuildOptions options, out NavHandle nav);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_open(MapHandle map, IntPtr bytes, UIntPtr length, ReleaseCall release, IntPtr user, out NavHandle nav);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_save(NavHandle nav, byte* bytes, UIntPtr capacity, out UIntPtr size);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_fork(NavHandle nav, out NavHandle fork);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_for_unit(NavHandle nav, byte[] name, out NavHandle other);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_add_unit_type(NavHandle nav, ref UnitType type, out NavHandle other);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_type_job(NavHandle nav, ref UnitType type, out TypeJobHandle job);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_type_job_run(TypeJobHandle job, IntPtr progress, IntPtr user);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_type_job_add(TypeJobHandle job, NavHandle nav, out NavHandle other);
        [DllImport(Library, CallingConvention = C)] internal static extern void waypost_type_job_free(IntPtr job);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_own_unit_type(NavHandle nav, out UIntPtr index);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_unit_type_count(NavHandle nav, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_unit_type(NavHandle nav, UIntPtr index, byte* name, UIntPtr capacity, out UIntPtr size, out uint cells);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_unit_type_grounds(NavHandle nav, UIntPtr index, double* factors, UIntPtr capacity, out UIntPtr count, byte* names, UIntPtr nameCapacity, out UIntPtr size);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_path(NavHandle nav, Point from, Point goal, Point* points, UIntPtr capacity, out UIntPtr count, out double length);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_path_corners(NavHandle nav, Point from, Point goal, Point* points, UIntPtr capacity, out UIntPtr count, out double length);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_paths(NavHandle nav, Query* queries, UIntPtr count, Point* points, UIntPtr capacity, UIntPtr* offsets, double* lengths);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_path_to_nearest(NavHandle nav, Point from, Point* goals, UIntPtr goalCount, out UIntPtr nearest, Point* points, UIntPtr capacity, out UIntPtr count, out double length);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_smooth_path(NavHandle nav, Point from, Point goal, Point* points, UIntPtr capacity, out UIntPtr count, out double length);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_range(NavHandle nav, Point from, double cost, Reached* reached, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_stays_connected(NavHandle nav, Point* block, UIntPtr blockCount, Point* from, Point* to, UIntPtr pairCount, out int stays);
        [DllImport(Library, CallingConvention = C)] internal static extern int waypost_nav_would_wait(NavHandle nav, ulong operations);
        [DllImport(Library, CallingConvention = C)] internal static extern int waypost_nav_sees(NavHandle nav, Point from, Point to);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_distance(NavHandle nav, Point from, Point goal, out double length);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_cost(NavHandle nav, Point from, Point goal, out ulong cost);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_nearest_reachable(NavHandle nav, Point from, Point goal, out Point nearest);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_nearest_free(NavHandle nav, Point point, out Point nearest);
        [DllImport(Library, CallingConvention = C)] internal static extern int waypost_nav_is_free(NavHandle nav, Point point);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_size(NavHandle nav, out uint width, out uint height);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_map(NavHandle nav, out MapHandle map);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_patch(NavHandle nav, Edit* edits, UIntPtr count, out UIntPtr changed);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_patch_cells(NavHandle nav, uint width, uint height, byte* cells, UIntPtr length, out UIntPtr changed);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_set_doors(NavHandle nav, Point* open, UIntPtr openCount, Point* close, UIntPtr closeCount, out UIntPtr changed);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_index_states(NavHandle nav, IndexInfo* states, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_advance(NavHandle nav, ulong operations, out UIntPtr published);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_rebuild(NavHandle nav, IntPtr progress, IntPtr user, out UIntPtr ran);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_open_with(MapHandle map, IntPtr bytes, UIntPtr length, ReleaseCall release, IntPtr user, ref BuildOptions options, out NavHandle nav);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_field(NavHandle nav, Point* places, double* added, UIntPtr count, out FieldHandle field);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_field_fleeing(FieldHandle field, out FieldHandle fleeing);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_field_value(FieldHandle field, Point at, out double value);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_field_next(FieldHandle field, Point at, out Point next, out int heading);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_field_walk(FieldHandle field, Point from, uint steps, out Point end);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_field_within(FieldHandle field, double value, Reached* reached, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern int waypost_field_is_current(FieldHandle field, NavHandle nav);
        [DllImport(Library, CallingConvention = C)] internal static extern void waypost_field_free(IntPtr field);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_units_near(CrowdHandle crowd, ulong unit, uint cells, Unit* units, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_inspect(NavHandle nav, uint kind, out InspectionHandle inspection);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_kind(InspectionHandle inspection, out IndexKind kind, out ulong memoryBytes);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_reason(InspectionHandle inspection, byte* reason, UIntPtr capacity, out UIntPtr size);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_facts(InspectionHandle inspection, out UIntPtr count, byte* facts, UIntPtr capacity, out UIntPtr size);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_corners(InspectionHandle inspection, Corner* corners, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_hubs(InspectionHandle inspection, UIntPtr corner, Point* hubs, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_sectors(InspectionHandle inspection, out uint side, Region* regions, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_corners_seen(InspectionHandle inspection, Point from, uint* corners, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_chain(InspectionHandle inspection, Point from, Point goal, Point* points, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_chosen_record(InspectionHandle inspection, NavHandle nav, Point from, Point goal, out ulong record);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_record_count(InspectionHandle inspection, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_record(InspectionHandle inspection, UIntPtr record, Point* points, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_groups(InspectionHandle inspection, uint level, out uint levels, uint* groups, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_inspection_first_moves(InspectionHandle inspection, Point goal, FirstMove* moves, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern void waypost_inspection_free(IntPtr inspection);
        [DllImport(Library, CallingConvention = C)] internal static extern void waypost_nav_free(IntPtr nav);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_requests_new(NavHandle nav, uint shortSteps, out RequestsHandle requests);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_requests_ask(RequestsHandle requests, Point from, Point goal, out ulong ticket);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_requests_tick(RequestsHandle requests, ulong expansions, out ulong spent);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_requests_state(RequestsHandle requests, ulong ticket, out RequestState state, Point* points, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_requests_close(RequestsHandle requests, ulong ticket);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_requests_pending(RequestsHandle requests, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern void waypost_requests_free(IntPtr requests);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_new(NavHandle nav, ref CrowdOptions options, out CrowdHandle crowd);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_spawn(CrowdHandle crowd, Point at, out ulong unit);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_spawn_type(CrowdHandle crowd, byte[] unitType, Point at, out ulong unit);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_nav(CrowdHandle crowd, ulong unit, out NavHandle nav);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_despawn(CrowdHandle crowd, ulong unit);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_send(CrowdHandle crowd, ulong unit, ref Goal goal);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_send_group(CrowdHandle crowd, ulong* units, UIntPtr count, Point place, uint formation, ulong* cannot, out UIntPtr cannotCount);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_snapshot(CrowdHandle crowd, byte* bytes, UIntPtr capacity, out UIntPtr size);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_restore(CrowdHandle crowd, byte* bytes, UIntPtr length);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_set_budget(CrowdHandle crowd, ulong planOperations, ulong repairOperations);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_unit_bound(CrowdHandle crowd, out ulong operations);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_set_pace(CrowdHandle crowd, ulong unit, uint ticks);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_hold(CrowdHandle crowd, ulong unit, int holds);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_stop(CrowdHandle crowd, ulong unit);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_tick(CrowdHandle crowd, Point* positions, UIntPtr capacity, out Tick report);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_events(CrowdHandle crowd, Event* events, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_units(CrowdHandle crowd, Unit* units, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_unit(CrowdHandle crowd, ulong unit, out Unit found);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_path_ahead(CrowdHandle crowd, ulong unit, Point* points, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_positions_between(CrowdHandle crowd, float part, float* positions, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_nav_doors(NavHandle nav, Door* doors, UIntPtr capacity, out UIntPtr count);
        [DllImport(Library, CallingConvention = C)] internal static extern Status waypost_crowd_planning(CrowdHandle crowd, out UIntPtr waiting);
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

        /// Texts one after the other, each with a zero at its end.
        internal static string[] Texts(byte[] all, int size)
        {
            var found = new List<string>();
            for (int at = 0; at < size; )
            {
                int end = Array.IndexOf(all, (byte)0, at);
                found.Add(Encoding.UTF8.GetString(all, at, end - at));
                at = end + 1;
            }
            return found.ToArray();
        }

        internal static byte[] Bytes(string text)
        {
            if (text != null && text.IndexOf('\0') >= 0) throw new ArgumentException("a text with a zero in it; C would see what stands before that");
            return Encoding.UTF8.GetBytes(text + "\0");
        }
        internal static UIntPtr Size(int size) { return (UIntPtr)(uint)size; }

        /// The number of elements; more of them than fit is for the caller to see.
        internal static int Count(Status status, UIntPtr count)
        {
            if (status != Status.TooSmall) Check(status);
            return checked((int)count);
        }

        internal delegate Status BytesCall(byte* bytes, UIntPtr capacity, out UIntPtr size);

        /// All bytes that a function writes; it is asked again where they have become more since it said how many there are.
        internal static byte[] Fill(BytesCall call)
        {
            UIntPtr size;
            int count = Count(call(null, UIntPtr.Zero, out size), size);
            while (true)
            {
                var bytes = new byte[count];
                fixed (byte* p = bytes) count = Count(call(p, Size(bytes.Length), out size), size);
                if (count > bytes.Length) continue;
                Array.Resize(ref bytes, count);
                return bytes;
            }
        }
    }

    /// Structs and texts that stay where they are while a native function looks at them.
    internal sealed unsafe class Pins : IDisposable
    {
        readonly List<GCHandle> pins = new List<GCHandle>();

        internal IntPtr Of(object array)
        {
            var pin = GCHandle.Alloc(array, GCHandleType.Pinned);
            pins.Add(pin);
            return pin.AddrOfPinnedObject();
        }

        internal Native.Ground[] Grounds(Ground[] grounds)
        {
            var raw = new Native.Ground[grounds == null ? 0 : grounds.Length];
            for (int i = 0; i < raw.Length; ++i) raw[i] = new Native.Ground { Name = Of(Native.Bytes(grounds[i].Name)), Factor = grounds[i].Factor };
            return raw;
        }

        internal Native.UnitType Type(UnitType type)
        {
            var grounds = Grounds(type.Grounds);
            return new Native.UnitType
            {
                Size = Native.Size(sizeof(Native.UnitType)), Name = Of(Native.Bytes(type.Name)), Cells = type.Cells, Grounds = Of(grounds), GroundCount = Native.Size(grounds.Length)
            };
        }

        public void Dispose() { foreach (var pin in pins) pin.Free(); }
    }

    internal abstract class Handle : SafeHandle
    {
        protected Handle() : base(IntPtr.Zero, true) { }
        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }
    }

    internal sealed class MapHandle : Handle { protected override bool ReleaseHandle() { Native.waypost_map_free(handle); return true; } }
    internal sealed class NavHandle : Handle { protected override bool ReleaseHandle() { Native.waypost_nav_free(handle); return true; } }
    internal sealed class TypeJobHandle : Handle { protected override bool ReleaseHandle() { Native.waypost_type_job_free(handle); return true; } }
    internal sealed class RequestsHandle : Handle { protected override bool ReleaseHandle() { Native.waypost_requests_free(handle); return true; } }
    internal sealed class InspectionHandle : Handle { protected override bool ReleaseHandle() { Native.waypost_inspection_free(handle); return true; } }
    internal sealed class FieldHandle : Handle { protected override bool ReleaseHandle() { Native.waypost_field_free(handle); return true; } }
    internal sealed class CrowdHandle : Handle { protected override bool ReleaseHandle() { Native.waypost_crowd_free(handle); return true; } }

    /// A map before it becomes a world.
    public sealed unsafe class Map : IDisposable
    {
        internal readonly MapHandle Handle;
        internal Map(MapHandle handle) { Handle = handle; }
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

        /// Of a file that names others, or holds more than one map.
        public static Map FromFiles(ReadOnlySpan<byte> bytes, MapFileOptions options)
        {
            MapHandle map;
            using (var pins = new Pins())
            {
                var given = options.Files ?? new MapFile[0];
                var files = new Native.File[given.Length];
                for (int i = 0; i < files.Length; ++i) files[i] = new Native.File { Name = pins.Of(Native.Bytes(given[i].Name)), Bytes = pins.Of(given[i].Bytes), Length = Native.Size(given[i].Bytes.Length) };
                var raw = new Native.FileOptions
                {
                    Size = Native.Size(sizeof(Native.FileOptions)), Level = options.Level == null ? IntPtr.Zero : pins.Of(Native.Bytes(options.Level)),
                    Layer = options.Layer == null ? IntPtr.Zero : pins.Of(Native.Bytes(options.Layer)), Files = pins.Of(files), FileCount = Native.Size(files.Length)
                };
                fixed (byte* p = &MemoryMarshal.GetReference(bytes)) Native.Check(Native.waypost_map_from_files(p, Native.Size(bytes.Length), ref raw, out map));
            }
            return new Map(map);
        }

        /// Classes of ground, each cell a number of `grounds`; the first is what a wall becomes when it is opened.
        public static Map FromClasses(uint width, uint height, ReadOnlySpan<byte> cells, Ground[] grounds)
        {
            MapHandle map;
            using (var pins = new Pins())
            {
                var raw = pins.Grounds(grounds);
                fixed (byte* p = &MemoryMarshal.GetReference(cells))
                fixed (Native.Ground* g = raw) Native.Check(Native.waypost_map_from_classes(width, height, p, Native.Size(cells.Length), g, Native.Size(raw.Length), out map));
            }
            return new Map(map);
        }

        /// What a step costs in each cell, in lengths; 0 is a wall.
        public static Map FromFactors(uint width, uint height, ReadOnlySpan<double> factors)
        {
            MapHandle map;
            fixed (double* p = &MemoryMarshal.GetReference(factors)) Native.Check(Native.waypost_map_from_factors(width, height, p, Native.Size(factors.Length), out map));
            return new Map(map);
        }

        public void SetRules(Corners corners, Costs costs) { Native.Check(Native.waypost_map_set_rules(Handle, (uint)corners, (uint)costs)); }

        public void SetDoors(ReadOnlySpan<Point> doors)
        {
            fixed (Point* p = &MemoryMarshal.GetReference(doors)) Native.Check(Native.waypost_map_set_doors(Handle, p, Native.Size(doors.Length)));
        }

        public uint Width { get { uint width, height; Native.Check(Native.waypost_map_size(Handle, out width, out height)); return width; } }
        public uint Height { get { uint width, height; Native.Check(Native.waypost_map_size(Handle, out width, out height)); return height; } }

        /// Writes one byte a cell, row by row, 1 where it is free; gives the number of cells, which may be more than fit.
        public int Cells(Span<byte> cells)
        {
            UIntPtr count;
            fixed (byte* p = &MemoryMarshal.GetReference(cells)) return Native.Count(Native.waypost_map_cells(Handle, p, Native.Size(cells.Length), out count), count);
        }

        /// Writes what a step costs in each cell, row by row, in lengths, 0 for a wall; gives the number of cells, which may be more than fit.
        public int Factors(Span<double> factors)
        {
            UIntPtr count;
            fixed (double* p = &MemoryMarshal.GetReference(factors)) return Native.Count(Native.waypost_map_factors(Handle, p, Native.Size(factors.Length), out count), count);
        }

        /// Writes the doors, in the order of rows; gives their number, which may be more than fit.
        public int Doors(Span<Door> doors)
        {
            UIntPtr count;
            fixed (Door* p = &MemoryMarshal.GetReference(doors)) return Native.Count(Native.waypost_map_doors(Handle, p, Native.Size(doors.Length), out count), count);
        }

        public void Rules(out Corners corners, out Costs costs) { Native.Check(Native.waypost_map_rules(Handle, out corners, out costs)); }
    }

    /// A type of unit on its way into a world: run on any thread, then added.
    public sealed unsafe class TypeJob : IDisposable
    {
        readonly TypeJobHandle handle;
        internal TypeJob(TypeJobHandle handle) { this.handle = handle; }
        public void Dispose() { handle.Dispose(); }

        /// Builds, once.
        public void Run(Progress progress = null)
        {
            var kept = GCHandle.Alloc(progress);
            try { Native.Check(Native.waypost_type_job_run(handle, progress == null ? IntPtr.Zero : Navigator.TellPointer, GCHandle.ToIntPtr(kept))); }
            finally { kept.Free(); }
        }

        /// Gives the world as the new type sees it; the world is the one that the job was made from.
        public Navigator AddTo(Navigator nav) { NavHandle other; Native.Check(Native.waypost_type_job_add(handle, nav.handle, out other)); return new Navigator(other); }
    }

    /// A file that another one names, by the name that it has there.
    public struct MapFile
    {
        public string Name; public byte[] Bytes;
        public MapFile(string name, byte[] bytes) { Name = name; Bytes = bytes; }
    }

    /// What of a map file is read; what is null is as usual.
    public sealed class MapFileOptions
    {
        /// LDtk: the level, by its name (null: the first).
        public string Level;
        /// Tiled: the layer whose tiles are walls; LDtk: the layer of integers (null: found by their names).
        public string Layer;
        /// Tilesets of Tiled maps, levels of LDtk projects.
        public MapFile[] Files;
    }

    /// A class of ground by its name: how many times its length a step costs, 0.1 to 100; 0 is a wall.
    public struct Ground
    {
        public string Name; public double Factor;
        public Ground(string name, double factor) { Name = name; Factor = factor; }
    }

    /// A type of unit: its name, its cells on a side, and what it makes of classes of ground.
    public struct UnitType
    {
        public string Name; public uint Cells; public Ground[] Grounds;
        public UnitType(string name, uint cells, params Ground[] grounds) { Name = name; Cells = cells; Grounds = grounds; }
    }

    /// How a world is built; what is 0 or null is as usual.
    public sealed class BuildOptions
    {
        public ulong MaxBytes;
        public double MaxSeconds;
        /// Beside the one of one cell, which is called `unit`.
        public UnitType[] UnitTypes;
        public Progress Progress;
        /// Cuts labels to so many bytes.
        public ulong FitBytes;
        /// Builds on so many threads of its own; 0 on all cores.
        public uint Threads;
    }

    /// How a crowd is made; what is 0 or null is as usual.
    public sealed class CrowdOptions
    {
        /// The method that units walk by, as the command line names it.
        public string Method;
        public ulong PlanOperations, RepairOperations;
        /// Only one unit may stand in a cell.
        public bool Exclusive;
        /// An index that is late is not waited for: what happens then depends on threads too.
        public bool FreeRunning;
        public Transform Transform;
    }

    /// A world as one type of unit sees it; usable from all threads.
    public sealed unsafe class Navigator : IDisposable
    {
        // Kept alive for as long as the program runs: the library may call it from any thread.
        static readonly Native.ReleaseCall Release = FreePinned;
        static readonly Native.ProgressCall TellCall = Tell;
        internal static IntPtr TellPointer { get { return Marshal.GetFunctionPointerForDelegate(TellCall); } }
        internal readonly NavHandle handle;
        internal Navigator(NavHandle handle) { this.handle = handle; }
        public void Dispose() { handle.Dispose(); }

        delegate Status MakeCall(ref Native.BuildOptions options, out NavHandle nav);

        public static Navigator Build(Map map, BuildOptions options = null)
        {
            return WithOptions(options, (ref Native.BuildOptions raw, out NavHandle nav) => Native.waypost_nav_build(map.Handle, ref raw, out nav));
        }

        static Navigator WithOptions(BuildOptions options, MakeCall make)
        {
            options = options ?? new BuildOptions();
            var raw = new Native.BuildOptions { Size = Native.Size(sizeof(Native.BuildOptions)), MaxBytes = options.MaxBytes, MaxSeconds = options.MaxSeconds, FitBytes = options.FitBytes, Threads = (UIntPtr)options.Threads };
            var types = options.UnitTypes ?? new UnitType[0];
            var rawTypes = new Native.UnitType[types.Length];
            var progress = GCHandle.Alloc(options.Progress);
            if (options.Progress != null)
            {
                raw.Progress = TellPointer;
                raw.User = GCHandle.ToIntPtr(progress);
            }
            var pins = new Pins();
            try
            {
                for (int i = 0; i < types.Length; ++i) rawTypes[i] = pins.Type(types[i]);
                NavHandle nav;
                raw.UnitTypes = pins.Of(rawTypes);
                raw.UnitTypeCount = Native.Size(types.Length);
                Native.Check(make(ref raw, out nav));
                return new Navigator(nav);
            }
            finally
            {
                pins.Dispose();
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

        /// Opens what Save gave, for the same map. The array stays pinned while the world looks at it and must not change. With options: refuses an index
        /// beyond the limits, and builds the unit types that the file does not have.
        public static Navigator Open(Map map, byte[] bytes, BuildOptions options)
        {
            return WithOptions(options, (ref Native.BuildOptions raw, out NavHandle nav) =>
            {
                if (map.Handle.IsClosed) throw new ObjectDisposedException("map");
                var pinned = GCHandle.Alloc(bytes, GCHandleType.Pinned);
                return Native.waypost_nav_open_with(map.Handle, pinned.AddrOfPinnedObject(), Native.Size(bytes.Length), Release, GCHandle.ToIntPtr(pinned), ref raw, out nav);
            });
        }

        public static Navigator Open(Map map, byte[] bytes)
        {
            var length = Native.Size(bytes.Length);
            // Once the array is pinned the library is asked, and lets it go in any case.
            if (map.Handle.IsClosed) throw new ObjectDisposedException("map");
            var pinned = GCHandle.Alloc(bytes, GCHandleType.Pinned);
            NavHandle nav;
            Native.Check(Native.waypost_nav_open(map.Handle, pinned.AddrOfPinnedObject(), length, Release, GCHandle.ToIntPtr(pinned), out nav));
            return new Navigator(nav);
        }

#if UNITY_5_3_OR_NEWER
        [AOT.MonoPInvokeCallback(typeof(Native.ReleaseCall))]
#endif
        static void FreePinned(IntPtr user, IntPtr bytes, UIntPtr length) { GCHandle.FromIntPtr(user).Free(); }

        /// The file to ship with the map that the indexes are of: the map as it was built or, when every index is current again after a rebuild, as it is now.
        public byte[] Save()
        {
            return Native.Fill((byte* p, UIntPtr capacity, out UIntPtr size) => Native.waypost_nav_save(handle, p, capacity, out size));
        }

        public Navigator Fork() { NavHandle fork; Native.Check(Native.waypost_nav_fork(handle, out fork)); return new Navigator(fork); }
        public Navigator ForUnit(string name) { NavHandle other; Native.Check(Native.waypost_nav_for_unit(handle, Native.Bytes(name), out other)); return new Navigator(other); }

        /// Adds a type of unit, builds its index and gives the world as that type sees it.
        public Navigator AddUnitType(UnitType type)
        {
            NavHandle other;
            using (var pins = new Pins())
            {
                var raw = pins.Type(type);
                Native.Check(Native.waypost_nav_add_unit_type(handle, ref raw, out other));
            }
            return new Navigator(other);
        }

        /// The same in three parts, so that the build runs on a thread of the game's own.
        public TypeJob TypeJob(UnitType type)
        {
            TypeJobHandle job;
            using (var pins = new Pins())
            {
                var raw = pins.Type(type);
                Native.Check(Native.waypost_nav_type_job(handle, ref raw, out job));
            }
            return new TypeJob(job);
        }

        /// The place of this handle's type in UnitTypes().
        public int OwnUnitType() { UIntPtr index; Native.Check(Native.waypost_nav_own_unit_type(handle, out index)); return (int)index; }

        public UnitType[] UnitTypes()
        {
            UIntPtr count, size;
            Native.Check(Native.waypost_nav_unit_type_count(handle, out count));
            var types = new UnitType[(int)count];
            for (int i = 0; i < types.Length; ++i)
            {
                int length = Native.Count(Native.waypost_nav_unit_type(handle, Native.Size(i), null, UIntPtr.Zero, out size, out types[i].Cells), size);
                fixed (byte* name = new byte[length])
                {
                    Native.Check(Native.waypost_nav_unit_type(handle, Native.Size(i), name, size, out size, out types[i].Cells));
                    types[i].Name = Native.Text((IntPtr)name);
                }
                types[i].Grounds = Grounds(i);
            }
            return types;
        }

        Ground[] Grounds(int type)
        {
            UIntPtr count, size;
            int classes = Native.Count(Native.waypost_nav_unit_type_grounds(handle, Native.Size(type), null, UIntPtr.Zero, out count, null, UIntPtr.Zero, out size), count);
            var factors = new double[classes];
            var names = new byte[(int)size];
            fixed (double* f = factors)
            fixed (byte* n = names) Native.Check(Native.waypost_nav_unit_type_grounds(handle, Native.Size(type), f, count, out count, n, size, out size));
            var texts = Native.Texts(names, names.Length);
            var grounds = new Ground[classes];
            for (int i = 0; i < classes; ++i) grounds[i] = new Ground(texts[i], factors[i]);
            return grounds;
        }

        /// Writes a shortest path; gives the number of its points, which may be more than fit: then call again with a longer span.
        public int Path(Point from, Point goal, Span<Point> points, out double length)
        {
            UIntPtr count;
            fixed (Point* p = &MemoryMarshal.GetReference(points)) return Native.Count(Native.waypost_nav_path(handle, from, goal, p, Native.Size(points.Length), out count, out length), count);
        }

        /// As Path, but only the points at which it turns.
        public int PathCorners(Point from, Point goal, Span<Point> points, out double length)
        {
            UIntPtr count;
            fixed (Point* p = &MemoryMarshal.GetReference(points)) return Native.Count(Native.waypost_nav_path_corners(handle, from, goal, p, Native.Size(points.Length), out count, out length), count);
        }

        /// Straightened: start, turns at any angle, goal.
        public int SmoothPath(Point from, Point goal, Span<Point> points, out double length)
        {
            UIntPtr count;
            fixed (Point* p = &MemoryMarshal.GetReference(points)) return Native.Count(Native.waypost_nav_smooth_path(handle, from, goal, p, Native.Size(points.Length), out count, out length), count);
        }

        /// A path to the goal that costs least to reach; `nearest` is its number.
        public int PathToNearest(Point from, ReadOnlySpan<Point> goals, out int nearest, Span<Point> points, out double length)
        {
            UIntPtr count, number;
            Status status;
            fixed (Point* g = &MemoryMarshal.GetReference(goals))
            fixed (Point* p = &MemoryMarshal.GetReference(points))
                status = Native.waypost_nav_path_to_nearest(handle, from, g, Native.Size(goals.Length), out number, p, Native.Size(points.Length), out count, out length);
            nearest = (int)number;
            return Native.Count(status, count);
        }

        /// How far it is from everywhere to the nearest of these places, `added[i]` more to the i-th where there are lengths to add.
        public Field Field(ReadOnlySpan<Point> places, ReadOnlySpan<double> added = default(ReadOnlySpan<double>))
        {
            if (added.Length != 0 && added.Length != places.Length) throw new ArgumentException("`added` has another number of elements than `places`; give one for each, or none");
            FieldHandle field;
            fixed (Point* p = &MemoryMarshal.GetReference(places)) fixed (double* q = &MemoryMarshal.GetReference(added)) Native.Check(Native.waypost_nav_field(handle, p, added.Length == 0 ? null : q, Native.Size(places.Length), out field));
            return new Field(field);
        }

        /// Every cell that a unit can go to for a cost, row by row.
        public int Range(Point from, double cost, Span<Reached> reached)
        {
            UIntPtr count;
            fixed (Reached* p = &MemoryMarshal.GetReference(reached)) return Native.Count(Native.waypost_nav_range(handle, from, cost, p, Native.Size(reached.Length), out count), count);
        }

        /// Whether all pairs of points would still have a way between them with these cells blocked; nothing is changed.
        public bool StaysConnected(ReadOnlySpan<Point> block, ReadOnlySpan<Point> from, ReadOnlySpan<Point> to)
        {
            if (from.Length != to.Length) throw new ArgumentException("`from` and `to` have as many points");
            int stays;
            fixed (Point* b = &MemoryMarshal.GetReference(block))
            fixed (Point* f = &MemoryMarshal.GetReference(from))
            fixed (Point* t = &MemoryMarshal.GetReference(to))
                Native.Check(Native.waypost_nav_stays_connected(handle, b, Native.Size(block.Length), f, t, Native.Size(from.Length), out stays));
            return stays != 0;
        }

        /// Whether a tick with so much upkeep would wait for an index that is due.
        public bool WouldWait(ulong operations) { return Native.waypost_nav_would_wait(handle, operations) != 0; }

        public bool Sees(Point from, Point to) { return Native.waypost_nav_sees(handle, from, to) != 0; }

        /// Many shortest paths at once, on all cores: path i is points[offsets[i]] to points[offsets[i + 1] - 1], infinitely long where there
        /// is none. Gives the number of points, which may be more than fit.
        public int Paths(ReadOnlySpan<Query> queries, Span<Point> points, Span<UIntPtr> offsets, Span<double> lengths)
        {
            if (offsets.Length <= queries.Length || lengths.Length < queries.Length) throw new ArgumentException("offsets takes one number more than there are queries, lengths as many");
            Status status;
            fixed (Query* q = &MemoryMarshal.GetReference(queries))
            fixed (Point* p = &MemoryMarshal.GetReference(points))
            fixed (UIntPtr* o = &MemoryMarshal.GetReference(offsets))
            fixed (double* l = &MemoryMarshal.GetReference(lengths))
                status = Native.waypost_nav_paths(handle, q, Native.Size(queries.Length), p, Native.Size(points.Length), o, l);
            return Native.Count(status, offsets[queries.Length]);
        }

        public Point[] Path(Point from, Point goal)
        {
            double length;
            var points = new Point[256];
            int count;
            // The world may change between two calls, and the path with it.
            while ((count = Path(from, goal, points, out length)) > points.Length) points = new Point[count];
            Array.Resize(ref points, count);
            return points;
        }

        public double Distance(Point from, Point goal) { double length; Native.Check(Native.waypost_nav_distance(handle, from, goal, out length)); return length; }
        /// What a shortest path costs in whole units, the same on every machine.
        public ulong Cost(Point from, Point goal) { ulong cost; Native.Check(Native.waypost_nav_cost(handle, from, goal, out cost)); return cost; }
        public Point NearestReachable(Point from, Point goal) { Point nearest; Native.Check(Native.waypost_nav_nearest_reachable(handle, from, goal, out nearest)); return nearest; }
        public Point NearestFree(Point point) { Point nearest; Native.Check(Native.waypost_nav_nearest_free(handle, point, out nearest)); return nearest; }
        public uint Width { get { uint width, height; Native.Check(Native.waypost_nav_size(handle, out width, out height)); return width; } }
        public uint Height { get { uint width, height; Native.Check(Native.waypost_nav_size(handle, out width, out height)); return height; } }
        /// The map as it is now for this unit type.
        public Map Map() { MapHandle map; Native.Check(Native.waypost_nav_map(handle, out map)); return new Map(map); }
        public bool IsFree(Point point) { return Native.waypost_nav_is_free(handle, point) != 0; }

        /// Rectangles in order; gives the number of cells that changed.
        public int Patch(ReadOnlySpan<Edit> edits)
        {
            UIntPtr changed;
            fixed (Edit* p = &MemoryMarshal.GetReference(edits)) Native.Check(Native.waypost_nav_patch(handle, p, Native.Size(edits.Length), out changed));
            return (int)changed;
        }

        /// A part of the world, from its top left cell on, becomes as these cells are, one byte each: not 0 is free.
        public int PatchCells(uint width, uint height, ReadOnlySpan<byte> cells)
        {
            UIntPtr changed;
            fixed (byte* p = &MemoryMarshal.GetReference(cells)) Native.Check(Native.waypost_nav_patch_cells(handle, width, height, p, Native.Size(cells.Length), out changed));
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

        /// Builds again what is stale, on this thread; gives the number of indexes that were built.
        public int Rebuild(Progress progress = null)
        {
            UIntPtr ran;
            var kept = GCHandle.Alloc(progress);
            try
            {
                var call = progress == null ? IntPtr.Zero : TellPointer;
                Native.Check(Native.waypost_nav_rebuild(handle, call, GCHandle.ToIntPtr(kept), out ran));
                return (int)ran;
            }
            finally { kept.Free(); }
        }

        /// All doors in the order of rows, and whether each is open.
        public Door[] Doors()
        {
            UIntPtr count;
            Door[] doors = new Door[16];
            for (;;)
            {
                int found;
                fixed (Door* p = doors) found = Native.Count(Native.waypost_nav_doors(handle, p, Native.Size(doors.Length), out count), count);
                bool whole = found <= doors.Length;
                Array.Resize(ref doors, found);
                if (whole) return doors;
            }
        }

        public IndexInfo[] IndexStates()
        {
            UIntPtr count;
            Native.IndexInfo[] raw = new Native.IndexInfo[4];
            for (;;)
            {
                int found;
                fixed (Native.IndexInfo* p = raw) found = Native.Count(Native.waypost_nav_index_states(handle, p, Native.Size(raw.Length), out count), count);
                bool whole = found <= raw.Length;
                Array.Resize(ref raw, found);
                if (whole) break;
            }
            var states = new IndexInfo[raw.Length];
            fixed (Native.IndexInfo* p = raw)
                for (int i = 0; i < states.Length; ++i) states[i] = new IndexInfo { UnitType = Native.Text((IntPtr)p[i].UnitType), Kind = p[i].Kind, State = p[i].State };
            return states;
        }

        /// What the index that was chosen knows.
        public Inspection Inspect() { return InspectBy(0); }
        /// What an index of a kind knows; it is built where the world has none.
        public Inspection InspectKind(IndexKind kind) { return InspectBy((uint)kind); }

        Inspection InspectBy(uint kind)
        {
            InspectionHandle inspection;
            Native.Check(Native.waypost_nav_inspect(handle, kind, out inspection));
            return new Inspection(inspection);
        }

        public Crowd Crowd(CrowdOptions options = null)
        {
            options = options ?? new CrowdOptions();
            CrowdHandle crowd;
            fixed (byte* method = options.Method == null ? null : Native.Bytes(options.Method))
            {
                var raw = new Native.CrowdOptions
                {
                    Size = Native.Size(sizeof(Native.CrowdOptions)), Method = (IntPtr)method, PlanOperations = options.PlanOperations, RepairOperations = options.RepairOperations,
                    Exclusive = options.Exclusive ? 1u : 0, FreeRunning = options.FreeRunning ? 1u : 0, Transform = options.Transform
                };
                Native.Check(Native.waypost_crowd_new(handle, ref raw, out crowd));
            }
            return new Crowd(crowd);
        }

        /// A queue of requests for paths; those up to so many straight steps long do not wait behind longer ones.
        public Requests Requests(uint shortSteps) { RequestsHandle requests; Native.Check(Native.waypost_requests_new(handle, shortSteps, out requests)); return new Requests(requests); }
    }

    /// How far it is from every cell to the nearest of some places; usable from all threads.
    public sealed unsafe class Field : IDisposable
    {
        readonly FieldHandle handle;
        internal Field(FieldHandle handle) { this.handle = handle; }
        public void Dispose() { handle.Dispose(); }

        /// Of those who flee what this one leads to.
        public Field Fleeing() { FieldHandle field; Native.Check(Native.waypost_field_fleeing(handle, out field)); return new Field(field); }
        /// Null where there is no way.
        public double? Value(Point at)
        {
            double value;
            var status = Native.waypost_field_value(handle, at, out value);
            if (status == Status.Unreachable) return null;
            Native.Check(status);
            return value;
        }
        /// The neighbouring cell to go to; the cell itself where there is no step.
        public Point Next(Point at) { Point next; int heading; Native.Check(Native.waypost_field_next(handle, at, out next, out heading)); return next; }
        /// The direction of that step, 0 to 7 clockwise from up; -1 where there is none.
        public int Heading(Point at) { Point next; int heading; Native.Check(Native.waypost_field_next(handle, at, out next, out heading)); return heading; }
        /// Where one is after so many steps.
        public Point Walk(Point from, uint steps) { Point end; Native.Check(Native.waypost_field_walk(handle, from, steps, out end)); return end; }
        /// The cells whose value is at most this one; gives their number, which may be more than fit.
        public int Within(double value, Span<Reached> reached)
        {
            UIntPtr count;
            fixed (Reached* p = &MemoryMarshal.GetReference(reached)) return Native.Count(Native.waypost_field_within(handle, value, p, Native.Size(reached.Length), out count), count);
        }
        /// Whether the world is still as it was when the field was made.
        public bool IsCurrent(Navigator nav) { return Native.waypost_field_is_current(handle, nav.handle) != 0; }
    }

    /// What an index knows of a map; what it is not made for is empty. Functions that fill a span give the number of elements, which may be more than fit.
    public sealed unsafe class Inspection : IDisposable
    {
        readonly InspectionHandle handle;
        internal Inspection(InspectionHandle handle) { this.handle = handle; }
        public void Dispose() { handle.Dispose(); }

        public IndexKind Kind { get { IndexKind kind; ulong bytes; Native.Check(Native.waypost_inspection_kind(handle, out kind, out bytes)); return kind; } }
        /// What it takes beyond the map.
        public ulong MemoryBytes { get { IndexKind kind; ulong bytes; Native.Check(Native.waypost_inspection_kind(handle, out kind, out bytes)); return bytes; } }

        /// Why it was chosen, in one line.
        public string Reason
        {
            get
            {
                UIntPtr size;
                var text = new byte[Native.Count(Native.waypost_inspection_reason(handle, null, UIntPtr.Zero, out size), size)];
                fixed (byte* p = text) Native.Check(Native.waypost_inspection_reason(handle, p, size, out size));
                return Native.Texts(text, text.Length)[0];
            }
        }

        public KeyValuePair<string, string>[] Facts()
        {
            UIntPtr count, size;
            var text = new byte[Native.Count(Native.waypost_inspection_facts(handle, out count, null, UIntPtr.Zero, out size), size)];
            fixed (byte* p = text) Native.Check(Native.waypost_inspection_facts(handle, out count, p, size, out size));
            var texts = Native.Texts(text, text.Length);
            var facts = new KeyValuePair<string, string>[texts.Length / 2];
            for (int i = 0; i < facts.Length; ++i) facts[i] = new KeyValuePair<string, string>(texts[2 * i], texts[2 * i + 1]);
            return facts;
        }

        /// The corners that paths bend at.
        public int Corners(Span<Corner> corners)
        {
            UIntPtr count;
            fixed (Corner* p = &MemoryMarshal.GetReference(corners)) return Native.Count(Native.waypost_inspection_corners(handle, p, Native.Size(corners.Length), out count), count);
        }

        /// The hubs in the label of a corner, by its place in the corners.
        public int Hubs(int corner, Span<Point> hubs)
        {
            UIntPtr count;
            fixed (Point* p = &MemoryMarshal.GetReference(hubs)) return Native.Count(Native.waypost_inspection_hubs(handle, Native.Size(corner), p, Native.Size(hubs.Length), out count), count);
        }

        /// The places in the corners of those at which a path from a point may turn first.
        public int CornersSeen(Point from, Span<uint> corners)
        {
            UIntPtr count;
            fixed (uint* p = &MemoryMarshal.GetReference(corners)) return Native.Count(Native.waypost_inspection_corners_seen(handle, from, p, Native.Size(corners.Length), out count), count);
        }

        /// The regions that lead from a point to another, by the cells that stand for them.
        public int Chain(Point from, Point goal, Span<Point> points)
        {
            UIntPtr count;
            fixed (Point* p = &MemoryMarshal.GetReference(points)) return Native.Count(Native.waypost_inspection_chain(handle, from, goal, p, Native.Size(points.Length), out count), count);
        }

        /// The regions of sectors and their side in cells (0 where the index is another one).
        public int Sectors(out uint side, Span<Region> regions)
        {
            UIntPtr count;
            fixed (Region* p = &MemoryMarshal.GetReference(regions)) return Native.Count(Native.waypost_inspection_sectors(handle, out side, p, Native.Size(regions.Length), out count), count);
        }

        public int RecordCount { get { UIntPtr count; Native.Check(Native.waypost_inspection_record_count(handle, out count)); return checked((int)count); } }

        /// The record that kNN LRTA* chooses on the map of a world; -1 where it goes without one.
        public int ChosenRecord(Navigator nav, Point from, Point goal)
        {
            ulong record;
            Native.Check(Native.waypost_inspection_chosen_record(handle, nav.handle, from, goal, out record));
            return record == ulong.MaxValue ? -1 : checked((int)record);
        }

        /// The start, the subgoals and the goal of a record.
        public int Record(int record, Span<Point> points)
        {
            UIntPtr count;
            fixed (Point* p = &MemoryMarshal.GetReference(points)) return Native.Count(Native.waypost_inspection_record(handle, Native.Size(record), p, Native.Size(points.Length), out count), count);
        }

        /// The number of the group of each cell at a level (from 1), row by row, uint.MaxValue for walls.
        public int Groups(uint level, out uint levels, Span<uint> groups)
        {
            UIntPtr count;
            fixed (uint* p = &MemoryMarshal.GetReference(groups)) return Native.Count(Native.waypost_inspection_groups(handle, level, out levels, p, Native.Size(groups.Length), out count), count);
        }

        /// The first step of a shortest path to a goal from every cell that has one.
        public int FirstMoves(Point goal, Span<FirstMove> moves)
        {
            UIntPtr count;
            fixed (FirstMove* p = &MemoryMarshal.GetReference(moves)) return Native.Count(Native.waypost_inspection_first_moves(handle, goal, p, Native.Size(moves.Length), out count), count);
        }
    }

    /// Many units in one world; one thread at a time.
    public sealed unsafe class Crowd : IDisposable
    {
        readonly CrowdHandle handle;
        internal Crowd(CrowdHandle handle) { this.handle = handle; }
        public void Dispose() { handle.Dispose(); }

        public ulong Spawn(Point at) { ulong unit; Native.Check(Native.waypost_crowd_spawn(handle, at, out unit)); return unit; }
        /// A unit of any type of the world.
        public ulong SpawnType(string unitType, Point at) { ulong unit; Native.Check(Native.waypost_crowd_spawn_type(handle, Native.Bytes(unitType), at, out unit)); return unit; }
        /// The world as a unit's type sees it.
        /// As the crowd's own type sees the world where `unit` is 0.
        public Navigator NavigatorOf(ulong unit) { NavHandle nav; Native.Check(Native.waypost_crowd_nav(handle, unit, out nav)); return new Navigator(nav); }
        public void Despawn(ulong unit) { Native.Check(Native.waypost_crowd_despawn(handle, unit)); }
        public void Send(ulong unit, Goal goal) { Native.Check(Native.waypost_crowd_send(handle, unit, ref goal)); }
        /// Gives those that have no way to the place; they go as near as they can.
        public ulong[] SendGroup(ReadOnlySpan<ulong> units, Point place, Formation formation = Formation.Close)
        {
            var cannot = new ulong[units.Length];
            UIntPtr count;
            fixed (ulong* p = &MemoryMarshal.GetReference(units)) fixed (ulong* q = cannot) Native.Check(Native.waypost_crowd_send_group(handle, p, Native.Size(units.Length), place, (uint)formation, q, out count));
            Array.Resize(ref cannot, (int)count);
            return cannot;
        }

        /// What the crowd and its world are at this moment, to go back to or to go on from elsewhere.
        public byte[] Snapshot()
        {
            return Native.Fill((byte* p, UIntPtr capacity, out UIntPtr size) => Native.waypost_crowd_snapshot(handle, p, capacity, out size));
        }

        /// Goes back to a snapshot of this crowd, or on from one of another process.
        public void Restore(ReadOnlySpan<byte> snapshot)
        {
            fixed (byte* p = &MemoryMarshal.GetReference(snapshot)) Native.Check(Native.waypost_crowd_restore(handle, p, Native.Size(snapshot.Length)));
        }

        /// What a tick may spend from now on: weighted operations of plans, operations of repairs and rebuilds, for each type of unit.
        public void SetBudget(ulong planOperations, ulong repairOperations) { Native.Check(Native.waypost_crowd_set_budget(handle, planOperations, repairOperations)); }
        /// The most weighted operations of one unit's move; 0 where there is no bound.
        public ulong UnitBound { get { ulong operations; Native.Check(Native.waypost_crowd_unit_bound(handle, out operations)); return operations; } }
        /// A move takes so many ticks, 1 to 16.
        public void SetPace(ulong unit, uint ticks) { Native.Check(Native.waypost_crowd_set_pace(handle, unit, ticks)); }
        public void Hold(ulong unit, bool holds = true) { Native.Check(Native.waypost_crowd_hold(handle, unit, holds ? 1 : 0)); }
        public void Stop(ulong unit) { Native.Check(Native.waypost_crowd_stop(handle, unit)); }

        /// Moves every unit that has a goal by one step and writes where all are, in the order of Units. Nobody moves where they do not fit.
        public Tick Tick(Span<Point> positions)
        {
            Tick report;
            fixed (Point* p = &MemoryMarshal.GetReference(positions)) Native.Check(Native.waypost_crowd_tick(handle, positions.Length == 0 ? null : p, Native.Size(positions.Length), out report));
            return report;
        }

        public Tick Tick() { return Tick(Span<Point>.Empty); }

        /// What happened in the last tick; gives the number of events, which may be more than fit.
        public int Events(Span<Event> events)
        {
            UIntPtr count;
            fixed (Event* p = &MemoryMarshal.GetReference(events)) return Native.Count(Native.waypost_crowd_events(handle, p, Native.Size(events.Length), out count), count);
        }

        /// All units, in the order of their ids; gives their number, which may be more than fit.
        public int Units(Span<Unit> units)
        {
            UIntPtr count;
            fixed (Unit* p = &MemoryMarshal.GetReference(units)) return Native.Count(Native.waypost_crowd_units(handle, p, Native.Size(units.Length), out count), count);
        }

        /// The other units that are at most so many columns and rows away; gives their number, which may be more than fit.
        public int UnitsNear(ulong unit, uint cells, Span<Unit> units)
        {
            UIntPtr count;
            fixed (Unit* p = &MemoryMarshal.GetReference(units)) return Native.Count(Native.waypost_crowd_units_near(handle, unit, cells, p, Native.Size(units.Length), out count), count);
        }

        public Unit Unit(ulong unit) { Unit found; Native.Check(Native.waypost_crowd_unit(handle, unit, out found)); return found; }

        /// The cells that a unit is going to walk, its own first; gives their number, which may be more than fit.
        public int PathAhead(ulong unit, Span<Point> points)
        {
            UIntPtr count;
            fixed (Point* p = &MemoryMarshal.GetReference(points)) return Native.Count(Native.waypost_crowd_path_ahead(handle, unit, p, Native.Size(points.Length), out count), count);
        }

        /// Two numbers a unit in the game's coordinates, `part` of the way from the last tick to this one; gives the number of units.
        public int PositionsBetween(float part, Span<float> positions)
        {
            UIntPtr count;
            fixed (float* p = &MemoryMarshal.GetReference(positions)) return Native.Count(Native.waypost_crowd_positions_between(handle, part, p, Native.Size(positions.Length / 2), out count), count);
        }

        public int Count { get { UIntPtr units; int all; Native.Check(Native.waypost_crowd_count(handle, out units, out all)); return (int)units; } }
        /// How many units wait for a plan.
        public int Planning { get { UIntPtr waiting; Native.Check(Native.waypost_crowd_planning(handle, out waiting)); return checked((int)waiting); } }
        public bool AllArrived { get { UIntPtr units; int all; Native.Check(Native.waypost_crowd_count(handle, out units, out all)); return all != 0; } }
    }

    /// A queue of requests for paths, spread over ticks; one thread at a time.
    public sealed unsafe class Requests : IDisposable
    {
        readonly RequestsHandle handle;
        internal Requests(RequestsHandle handle) { this.handle = handle; }
        public void Dispose() { handle.Dispose(); }

        /// Gives a ticket, to be closed once.
        public ulong Ask(Point from, Point goal) { ulong ticket; Native.Check(Native.waypost_requests_ask(handle, from, goal, out ticket)); return ticket; }
        /// Gives how many expansions were spent.
        public ulong Tick(ulong expansions) { ulong spent; Native.Check(Native.waypost_requests_tick(handle, expansions, out spent)); return spent; }
        public void Close(ulong ticket) { Native.Check(Native.waypost_requests_close(handle, ticket)); }
        public int Pending { get { UIntPtr count; Native.Check(Native.waypost_requests_pending(handle, out count)); return (int)count; } }

        /// How a request stands; writes its path where it was found and gives the number of its points, which may be more than fit.
        public RequestState State(ulong ticket, Span<Point> points, out int count)
        {
            RequestState state;
            UIntPtr found;
            fixed (Point* p = &MemoryMarshal.GetReference(points)) count = Native.Count(Native.waypost_requests_state(handle, ticket, out state, p, Native.Size(points.Length), out found), found);
            return state;
        }
    }
}
