//! Who is let in: requests to this address by its own page, with the token.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::io;
use std::net::{IpAddr, SocketAddr};

/// Why a request is refused.
pub type Refused = (StatusCode, &'static str);

/// The address and the token.
pub struct Guard {
    address: SocketAddr,
    token: String,
}

impl Guard {
    /// With a token of 128 random bits.
    pub fn new(address: SocketAddr) -> io::Result<Guard> {
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Guard { address, token })
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Whether a request meant this server: by a number, or by the name of this machine to itself. Names of others may be made to lead here, so
    /// that a foreign page passes for ours.
    fn is_meant(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        if port != Some(self.address.port()) {
            return false;
        }
        let number = name.trim_start_matches('[').trim_end_matches(']');
        let number: Option<IpAddr> = number.parse().ok();
        match (number, self.address.ip().is_loopback()) {
            (Some(number), true) => number.is_loopback(),
            (Some(_), false) => true,
            (None, _) => name.eq_ignore_ascii_case("localhost"),
        }
    }

    /// Looks at every byte, so that the time taken says nothing about the token.
    fn has_token(&self, path: &str) -> bool {
        let given = path.trim_start_matches('/').split('/').next();
        let (given, token) = (given.unwrap_or("").as_bytes(), self.token.as_bytes());
        let differing = given.iter().zip(token).fold(0, |d, (a, b)| d | (a ^ b));
        given.len() == token.len() && differing == 0
    }

    /// Lets a request in, or says why not.
    pub fn admit(&self, headers: &HeaderMap, path: &str) -> Result<(), Refused> {
        // A header that comes twice names nobody.
        let text = |name| {
            let mut all = headers.get_all(name).iter();
            let first = all.next().filter(|_| all.next().is_none());
            first.and_then(|value: &HeaderValue| value.to_str().ok())
        };
        let Some(host) = text(header::HOST).filter(|host| self.is_meant(host)) else {
            let words = "this address belongs to the playground of this machine; open the address that `waypost play` printed";
            return Err((StatusCode::MISDIRECTED_REQUEST, words));
        };
        if headers.contains_key(header::ORIGIN) {
            let origin = text(header::ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
            if origin != Some(host) {
                return Err((StatusCode::FORBIDDEN, "the request comes from another page"));
            }
        }
        match self.has_token(path) {
            true => Ok(()),
            false => Err((
                StatusCode::FORBIDDEN,
                "the token is missing; open the whole address that `waypost play` printed",
            )),
        }
    }
}

/// An answer of a few words.
pub fn refusal(status: StatusCode, words: &'static str) -> Response {
    let mut response = (status, format!("{words}\n")).into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The page runs its own scripts, talks to this server, and nothing else; nobody may frame it or be told its address.
pub fn add_policy(response: &mut Response, request: &HeaderMap) {
    let host = request
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self' ws://{}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        host.unwrap_or("localhost")
    );
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(address: &str) -> Guard {
        Guard::new(address.parse().expect("an address")).expect("random bytes")
    }

    #[test]
    fn hosts_are_numbers_or_localhost() {
        let local = guard("127.0.0.1:8000");
        for good in [
            "127.0.0.1:8000",
            "localhost:8000",
            "LOCALHOST:8000",
            "[::1]:8000",
        ] {
            assert!(local.is_meant(good), "{good}");
        }
        for bad in [
            "",
            "127.0.0.1",
            "127.0.0.1:8001",
            "evil.example:8000",
            "192.168.1.9:8000",
            "localhost.evil.example:8000",
            "127.0.0.1.evil.example:8000",
            "[::1]",
            ":8000",
        ] {
            assert!(!local.is_meant(bad), "{bad}");
        }
        let open = guard("0.0.0.0:8000");
        assert!(open.is_meant("192.168.1.9:8000") && !open.is_meant("evil.example:8000"));
    }

    #[test]
    fn tokens_are_long_and_compared_whole() {
        let (one, other) = (guard("127.0.0.1:1"), guard("127.0.0.1:1"));
        assert!(one.token() != other.token() && one.token().len() == 32);
        assert!(one.has_token(&format!("/{}/x.js", one.token())));
        assert!(!one.has_token(&format!("/{}/x.js", other.token())));
        assert!(!one.has_token(&format!("/{}", &one.token()[..31])));
        assert!(!one.has_token("/") && !one.has_token(""));
    }
}
