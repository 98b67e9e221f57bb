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
//! A frame that is anything else closes the connection that it came by, with code 1002 and the reason, and nothing else.

pub mod ask;
pub mod tell;

/// Changes with every change that an older page or server would misread.
pub const VERSION: u8 = 1;
