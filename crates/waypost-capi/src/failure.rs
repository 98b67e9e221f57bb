//! Failures: a status, and words for the thread that asks what went wrong.

use crate::types::waypost_status;
use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use waypost::crowd::CrowdError;
use waypost::navigator::NoPath;

/// Why a call failed.
pub struct Failure {
    status: waypost_status,
    message: Message,
}

/// What went wrong: put into words when somebody asks for them, so that a call that is refused costs little.
enum Message {
    Text(Cow<'static, CStr>),
    Words(String),
    Error(waypost::Error),
    NoPath(NoPath),
    TooSmall { count: usize, capacity: usize },
}

impl Message {
    /// The words as C has them, which stay where they are until another call fails.
    fn text(&mut self) -> &CStr {
        let words = match self {
            Message::Text(_) => None,
            Message::Words(words) => Some(std::mem::take(words)),
            Message::Error(error) => Some(in_words_of_c(error)),
            Message::NoPath(why) => Some(words_of(*why)),
            Message::TooSmall { count, capacity } => Some(format!(
                "{count} elements do not fit into {capacity}; call again with a larger array"
            )),
        };
        if let Some(words) = words {
            let mut bytes = words.into_bytes();
            bytes.retain(|&byte| byte != 0);
            *self = Message::Text(Cow::Owned(CString::new(bytes).unwrap_or_default()));
        }
        match self {
            Message::Text(text) => text,
            _ => c"",
        }
    }
}

fn words_of(why: NoPath) -> String {
    match why {
        NoPath::Outside(point) => {
            format!("{point} is outside the map; `waypost_nav_size` says how large it is")
        }
        NoPath::Wall(point) => format!(
            "{point} is a wall; `waypost_nav_nearest_free` gives the nearest cell that can be stood on"
        ),
        NoPath::Unreachable(from, goal) => format!(
            "there is no way from {from} to {goal}; `waypost_nav_nearest_reachable` gives the nearest cell that can be reached"
        ),
    }
}

/// What went wrong, with the names that functions have here.
fn in_words_of_c(error: &waypost::Error) -> String {
    use waypost::Error as E;
    match error {
        E::Wall { point, .. } => words_of(NoPath::Wall(*point)),
        E::NotADoor { point } => format!(
            "{point} is no door of this map; `waypost_map_doors` says which cells are, `waypost_nav_patch` changes others"
        ),
        E::NoNavFile(_) => format!("{error} (`waypost_nav_save` writes it)"),
        E::Snapshot(_) => format!("{error} (`waypost_crowd_snapshot` writes it)"),
        other => other.to_string(),
    }
}

pub type Outcome = Result<(), Failure>;

pub fn failure(status: waypost_status, message: impl Into<String>) -> Failure {
    Failure {
        status,
        message: Message::Words(message.into()),
    }
}

/// Why an array that is too small is refused.
pub fn too_small(count: usize, capacity: usize) -> Failure {
    let message = Message::TooSmall { count, capacity };
    let status = waypost_status::WAYPOST_TOO_SMALL;
    Failure { status, message }
}

impl From<NoPath> for Failure {
    fn from(why: NoPath) -> Failure {
        let status = match why {
            NoPath::Outside(_) => waypost_status::WAYPOST_OUTSIDE,
            NoPath::Wall(_) => waypost_status::WAYPOST_WALL,
            NoPath::Unreachable(..) => waypost_status::WAYPOST_UNREACHABLE,
        };
        let message = Message::NoPath(why);
        Failure { status, message }
    }
}

impl From<waypost::Error> for Failure {
    fn from(error: waypost::Error) -> Failure {
        use waypost::Error as E;
        let status = match &error {
            E::Outside { .. } => waypost_status::WAYPOST_OUTSIDE,
            E::Wall { .. } => waypost_status::WAYPOST_WALL,
            E::Unreachable { .. } | E::NoGoal { .. } => waypost_status::WAYPOST_UNREACHABLE,
            E::NoSuchUnitType { .. } => waypost_status::WAYPOST_NO_SUCH_UNIT_TYPE,
            E::BadUnitType { .. } => waypost_status::WAYPOST_BAD_UNIT_TYPE,
            E::Cancelled => waypost_status::WAYPOST_CANCELLED,
            E::Size(_) | E::Map(_) | E::Terrain(_) => waypost_status::WAYPOST_BAD_MAP,
            E::Build(_) | E::Replace(_) => waypost_status::WAYPOST_BUILD_FAILED,
            E::NotADoor { .. } => waypost_status::WAYPOST_BAD_VALUE,
            E::File(_) | E::NoNavFile(_) | E::Io(_) | E::Snapshot(_) => {
                waypost_status::WAYPOST_BAD_FILE
            }
            E::Method(_) => waypost_status::WAYPOST_BAD_METHOD,
            E::Crowd(CrowdError::Blocked { .. }) => waypost_status::WAYPOST_WALL,
            E::Crowd(CrowdError::Taken { .. }) => waypost_status::WAYPOST_TAKEN,
            E::Crowd(CrowdError::NoAgent { .. }) => waypost_status::WAYPOST_BAD_METHOD,
            E::Crowd(CrowdError::NoSuchWalker) => waypost_status::WAYPOST_NO_SUCH_UNIT,
            E::Crowd(CrowdError::Pace { .. }) => waypost_status::WAYPOST_BAD_VALUE,
        };
        let message = Message::Error(error);
        Failure { status, message }
    }
}

thread_local! {
    static MESSAGE: RefCell<Message> = const { RefCell::new(Message::Text(Cow::Borrowed(c""))) };
}

/// Fails with a message that takes no memory.
pub fn refuse(status: waypost_status, message: &'static CStr) -> waypost_status {
    let message = Message::Text(Cow::Borrowed(message));
    keep(Failure { status, message })
}

/// Remembers what went wrong for this thread.
pub fn keep(Failure { status, message }: Failure) -> waypost_status {
    // A thread that is about to end has no message any more: nobody can ask for it either.
    let _ = MESSAGE.try_with(|last| *last.borrow_mut() = message);
    status
}

/// The message of this thread's last failure.
pub fn last_message() -> *const c_char {
    let text = MESSAGE.try_with(|last| last.borrow_mut().text().as_ptr());
    text.unwrap_or(c"".as_ptr())
}
