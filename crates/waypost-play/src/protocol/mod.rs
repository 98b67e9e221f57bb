//! What page and server say to each other: binary WebSocket frames, all numbers with their least byte first.
//!
//! A frame begins with the version of the protocol ([`VERSION`]) and its kind, a byte each.
//!
//! **To the server** ([`ask`]). Kind 0: an [`Ask`](ask::Ask) as JSON. Kind 1: a part of the file that [`Ask::Upload`](ask::Ask::Upload)
//! announced, up to [`MAX_PART`](ask::MAX_PART) bytes; the last part completes the number of bytes announced.
//!
//! **To the page** ([`tell`]). Kind 0: a note as JSON, an object with the key `tell`. Kind 1: a tile. Kind 2: the units after a
//! tick. Kind 3: a path with its search. Kind 4: a layer. Kind 5: a file. The last three begin with the length of their JSON as 32 bits,
//! the JSON, and zeros up to a multiple of four; the numbers that the JSON counts follow.
//!
//! *A tile*: the zoom as a byte, a zero, which tile of the row and which row as 32 bits each, then 256 x 256 bytes, row by row. 0 is beyond
//! the map, 1 wall, 2 floor, 3 an open door, 4 a closed one, `64 + 4 g + s` ground of kind g (0 plain, 1 road, 2 swamp, 3 woods, 4 water, 5
//! other slow ground) that is open to s thirds, `128 + s` floor to s of 63 parts and wall for the rest.
//!
//! *Units*: a head of 64 bytes, then for each unit its cell (32 bits, counted row by row), the cells that the followed unit is going to
//! walk, a pair for each of the latest ticks (microseconds as a 32-bit float, weighted operations as 32 bits), and a byte for each unit: its last
//! direction, 0 for north and on with the clock, 8 for none, in bits 0 to 3, and what it does in bits 4 to 6 (0 no goal, 1 walking, 2 arrived, 3 no way there,
//! 4 in a wall, 5 holding its ground, 6 waiting). Ten thousand units take up to 53 kB.
//!
//! | byte | in the head of units |
//! |---|---|
//! | 2, 4, 8 | units (16 bits), epoch: which crowd of the tab, tick |
//! | 12 | ticks that are told of |
//! | 16 | efficiency of a sample of units, a 32-bit float; not a number before there is one |
//! | 20 | arrivals so far |
//! | 24, 28, 32, 36 | waits, provisional moves, units that wait for a plan, moves, all of this tick |
//! | 40 | the bound of a tick in weighted operations, a 64-bit float: that of a move, times the units; 0 for none |
//! | 48 | weighted operations that a tick may spend on plans |
//! | 52 | microseconds of a tick with its frame, in the mean of all that had one, a 32-bit float |
//! | 56, 60 | cells that the followed unit is going to walk, its place among the units (all ones for nobody) |
//!
//! A frame that is anything else closes the connection that it came by and nothing else: with code 1002 and the reason, 1003 for a frame of text, and
//! without a word where it is larger than any frame may be.

pub mod ask;
pub mod tell;

/// Changes with every change that an older page or server would misread.
pub const VERSION: u8 = 1;
