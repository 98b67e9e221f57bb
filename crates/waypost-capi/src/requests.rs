//! Requests for whole paths, spread over ticks.

use crate::border::{
    Failure, Outcome, Output, exclusive, free, give, given, guarded, put, put_if_wanted,
};
use crate::types::{waypost_point, waypost_status};
use crate::world::waypost_nav;
use std::sync::Mutex;
use waypost::Point;
use waypost::crowd::Ticket;
use waypost::navigator::{PathRequests, Request};

/// A queue of requests for paths, for maps whose exact paths take long. One thread at a time (WAYPOST_BUSY otherwise), not always the
/// same; it keeps its world alive.
pub struct waypost_requests(Mutex<PathRequests>);

/// Names a request; never names another one. Never 0.
pub type waypost_ticket = u64;

/// How a request stands.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum waypost_request_state {
    /// It waits, or is being searched.
    WAYPOST_REQUEST_PENDING = 0,
    /// There is a path.
    WAYPOST_REQUEST_FOUND = 1,
    /// There is none.
    WAYPOST_REQUEST_NO_PATH = 2,
    /// It was closed, or is not of this queue.
    WAYPOST_REQUEST_UNKNOWN = 3,
}

fn ticket_of(number: waypost_ticket) -> Ticket {
    Ticket::from_bits(number.wrapping_sub(1))
}

/// Does something with a queue that nobody else uses.
///
/// # Safety
/// `requests` was not freed, or is null.
unsafe fn with(
    requests: *const waypost_requests,
    act: impl FnOnce(&mut PathRequests) -> Outcome,
) -> waypost_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        let requests = unsafe { given(requests, "requests") }?;
        act(&mut *exclusive(&requests.0, "queue of requests")?)
    })
}

/// Makes a queue for the handle's unit type. Requests whose ends are up to `short_steps` straight steps apart do not wait behind longer ones.
/// Free it with `waypost_requests_free`. Any thread.
///
/// # Safety
/// `nav` was not freed; `out` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_requests_new(
    nav: *const waypost_nav,
    short_steps: u32,
    out: *mut *mut waypost_requests,
) -> waypost_status {
    let make = || {
        // SAFETY: the caller's promise.
        let requests = unsafe { given(nav, "nav") }?.0.requests(short_steps);
        Ok::<_, Failure>(waypost_requests(Mutex::new(requests)))
    };
    // SAFETY: the caller's promise.
    guarded(|| unsafe { give(out, make) })
}

/// Asks for a path and gives a ticket, to be closed once. One thread at a time.
///
/// # Safety
/// `requests` was not freed; `ticket` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_requests_ask(
    requests: *mut waypost_requests,
    from: waypost_point,
    goal: waypost_point,
    ticket: *mut waypost_ticket,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(requests, |requests| {
            put(ticket, 0, "ticket")?;
            let asked = requests.ask(Point::from(from), Point::from(goal))?;
            put(ticket, asked.to_bits().wrapping_add(1), "ticket")
        })
    }
}

/// Spends at most so many expansions of cells on all requests; `spent` (may be NULL) is how many it was. One thread at a time.
///
/// # Safety
/// `requests` was not freed; `spent` is NULL or valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_requests_tick(
    requests: *mut waypost_requests,
    expansions: u64,
    spent: *mut u64,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(requests, |requests| {
            put_if_wanted(spent, requests.tick(expansions));
            Ok(())
        })
    }
}

/// # Safety
/// As the functions below.
unsafe fn write(
    request: Request,
    state: *mut waypost_request_state,
    points: *mut waypost_point,
    capacity: usize,
    count: *mut usize,
) -> Outcome {
    use waypost_request_state::*;
    // SAFETY: the caller's promise.
    let mut out = unsafe { Output::new(points, capacity) };
    let stands = match request {
        Request::Pending => WAYPOST_REQUEST_PENDING,
        Request::NoPath => WAYPOST_REQUEST_NO_PATH,
        Request::Unknown => WAYPOST_REQUEST_UNKNOWN,
        Request::Found(path) => {
            path.into_iter().for_each(|point| out.push(point.into()));
            WAYPOST_REQUEST_FOUND
        }
    };
    // SAFETY: the caller's promise.
    unsafe {
        put(state, stands, "state")?;
        out.finish(count)
    }
}

/// Gives how a request stands and writes its path, start and goal included, where it was found; `count` (may be NULL) is the number of its
/// points. WAYPOST_TOO_SMALL where there are more than `capacity`. One thread at a time.
///
/// # Safety
/// `requests` was not freed; `state` is valid for a write; `points` is valid for writes of `capacity` points, or NULL; `count` is NULL or
/// valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_requests_state(
    requests: *const waypost_requests,
    ticket: waypost_ticket,
    state: *mut waypost_request_state,
    points: *mut waypost_point,
    capacity: usize,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(requests, |requests| {
            let request = requests.state(ticket_of(ticket));
            write(request, state, points, capacity, count)
        })
    }
}

/// Gives a ticket back, answered or not: a request that nobody holds any more is given up. WAYPOST_BAD_VALUE where it is not of this
/// queue or was closed. One thread at a time.
///
/// # Safety
/// `requests` was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_requests_close(
    requests: *mut waypost_requests,
    ticket: waypost_ticket,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe {
        with(requests, |requests| {
            let is_known = requests.state(ticket_of(ticket)) != Request::Unknown;
            requests.close(ticket_of(ticket));
            match is_known {
                true => Ok(()),
                false => Err(crate::border::failure(
                    waypost_status::WAYPOST_BAD_VALUE,
                    format!("no request has the ticket {ticket}: it was closed, or never was"),
                )),
            }
        })
    }
}

/// Gives the number of requests without an answer. One thread at a time.
///
/// # Safety
/// `requests` was not freed; `count` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_requests_pending(
    requests: *const waypost_requests,
    count: *mut usize,
) -> waypost_status {
    // SAFETY: the caller's promise.
    unsafe { with(requests, |requests| put(count, requests.pending(), "count")) }
}

/// Frees a queue and its requests. NULL is ignored.
///
/// # Safety
/// `requests` was not freed, or is NULL, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waypost_requests_free(requests: *mut waypost_requests) {
    free(requests);
}
