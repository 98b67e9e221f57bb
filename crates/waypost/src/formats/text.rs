//! Lines and fields of text files, with their positions for error messages. Nothing here allocates but [`quote`].

/// Lines of a file, without their `\n` or `\r\n`, and their numbers from 1.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

/// A line and its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub number: usize,
    pub bytes: &'a [u8],
}

/// A piece of a line and its column, from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub column: usize,
    pub bytes: &'a [u8],
}

impl<'a> Lines<'a> {
    /// Editors on Windows may put a byte order mark first: it is skipped.
    pub fn new(bytes: &'a [u8]) -> Lines<'a> {
        Lines {
            rest: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes),
            number: 0,
        }
    }

    /// The bytes of the lines to come.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The number of the line read last.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Takes a line of `width` bytes whose end is known to be there, without looking for it: the fast way over maps.
    /// `None` where no line end or file end follows at that place.
    pub fn next_of_width(&mut self, width: usize) -> Option<&'a [u8]> {
        let line = self.rest.get(..width)?;
        let end = match self.rest.get(width..) {
            Some([b'\n', ..]) => 1,
            Some([b'\r', b'\n', ..]) => 2,
            Some([]) => 0,
            _ => return None,
        };
        self.rest = &self.rest[width + end..];
        self.number += 1;
        Some(line)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|&byte| byte == b'\n');
        let line = &self.rest[..end.unwrap_or(self.rest.len())];
        self.rest = end.map_or(&[], |end| &self.rest[end + 1..]);
        self.number += 1;
        Some(Line {
            number: self.number,
            bytes: line.strip_suffix(b"\r").unwrap_or(line),
        })
    }
}

impl<'a> Line<'a> {
    /// The pieces of a line between spaces and tabs, with their columns.
    pub fn fields(self) -> impl Iterator<Item = Field<'a>> {
        self.split(|byte| byte == b' ' || byte == b'\t')
    }

    /// The pieces of a line between tabs, blanks around them removed.
    pub fn tab_fields(self) -> impl Iterator<Item = Field<'a>> {
        self.split(|byte| byte == b'\t').filter_map(|field| {
            let blanks = field.bytes.iter().take_while(|&&byte| byte == b' ').count();
            let bytes = field.bytes[blanks..].trim_ascii_end();
            (!bytes.is_empty()).then_some(Field {
                column: field.column + blanks,
                bytes,
            })
        })
    }

    fn split(self, is_separator: impl Fn(u8) -> bool) -> impl Iterator<Item = Field<'a>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at + self.bytes[at..].iter().position(|&b| !is_separator(b))?;
            let length = self.bytes[start..].iter().position(|&b| is_separator(b));
            at = length.map_or(self.bytes.len(), |length| start + length);
            Some(Field {
                column: start + 1,
                bytes: &self.bytes[start..at],
            })
        })
    }

    /// Whether there are only blanks.
    pub fn is_blank(self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }

    /// The column behind the last byte.
    pub fn end_column(self) -> usize {
        self.bytes.len() + 1
    }
}

impl Field<'_> {
    /// A whole number without sign.
    pub fn number(self) -> Option<u32> {
        if !self.bytes.iter().all(u8::is_ascii_digit) {
            return None;
        }
        std::str::from_utf8(self.bytes).ok()?.parse().ok()
    }
}

/// The longest excerpt of a file in an error message.
const QUOTED: usize = 40;

/// A piece of a file for an error message: printable, and short however long the piece is.
pub(super) fn quote(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    let short = &bytes[..bytes.len().min(QUOTED)];
    let dots = if short.len() < bytes.len() { "..." } else { "" };
    format!("`{}{dots}`", short.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_every_way() {
        let lines: Vec<_> = Lines::new(b"\xef\xbb\xbfa\r\n\nb\nc").collect();
        let found: Vec<_> = lines.iter().map(|line| (line.number, line.bytes)).collect();
        let expected: [(usize, &[u8]); 4] = [(1, b"a"), (2, b""), (3, b"b"), (4, b"c")];
        assert_eq!(found, expected);
    }

    #[test]
    fn fields_know_their_columns() {
        let line = Line {
            number: 1,
            bytes: b" ab\t cd e\t",
        };
        let fields = |fields: &mut dyn Iterator<Item = Field>| -> Vec<(usize, String)> {
            fields.map(|f| (f.column, quote(f.bytes))).collect()
        };
        let quoted = |column, text: &str| (column, format!("`{text}`"));
        assert_eq!(
            fields(&mut line.fields()),
            [quoted(2, "ab"), quoted(6, "cd"), quoted(9, "e")]
        );
        assert_eq!(
            fields(&mut line.tab_fields()),
            [quoted(2, "ab"), quoted(6, "cd e")]
        );
    }

    #[test]
    fn numbers_have_no_sign_and_fit() {
        let number = |bytes| Field { column: 1, bytes }.number();
        assert_eq!(number(b"4294967295"), Some(u32::MAX));
        for bad in [&b"4294967296"[..], b"-1", b"+1", b"1.5", b"x", b""] {
            assert_eq!(number(bad), None);
        }
    }

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(quote(b"a\tb\xff"), "`a\\tb\\xff`");
        assert!(quote(&[b'x'; 10_000]).len() < 60);
        assert_eq!(quote(b""), "nothing");
    }
}
