//! The address that every error and every loss carries: `messages[3].content[0].text`.

use std::fmt;

/// One step of an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Key(Box<str>),
    Index(usize),
    /// Steps that are only known as they are displayed.
    Shown(Box<str>),
}

/// An address inside a body. The root is written `$`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path(Vec<Step>);

/// Keys longer than this are cut when shown: a path is an address, not a copy of the input.
const SHOWN_KEY: usize = 64;

impl Path {
    pub fn root() -> Self {
        Self::default()
    }

    /// An address that is only known as it is displayed.
    pub fn shown(text: &str) -> Self {
        if text == "$" { Self::root() } else { Self(vec![Step::Shown(text.into())]) }
    }

    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Key(key.into()));
        Self(steps)
    }

    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Index(index));
        Self(steps)
    }

    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    pub fn push(&mut self, step: Step) {
        self.0.push(step);
    }

    pub fn pop(&mut self) {
        self.0.pop();
    }

    pub fn extend(&mut self, tail: Path) {
        self.0.extend(tail.0);
    }

    pub fn reverse(&mut self) {
        self.0.reverse();
    }
}

fn is_plain(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        && key.len() <= SHOWN_KEY
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("$");
        }
        for (n, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(i) => write!(f, "[{i}]")?,
                Step::Shown(text) => f.write_str(text)?,
                Step::Key(key) if is_plain(key) => {
                    if n > 0 {
                        f.write_str(".")?;
                    }
                    f.write_str(key)?;
                }
                Step::Key(key) => {
                    let short: String = key.chars().take(SHOWN_KEY).collect();
                    write!(f, "[{short:?}]")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_like_code() {
        let path = Path::root().key("messages").index(3).key("content").index(0);
        assert_eq!(path.to_string(), "messages[3].content[0]");
        assert_eq!(Path::root().to_string(), "$");
        assert_eq!(Path::root().key("a b").to_string(), "[\"a b\"]");
        assert_eq!(Path::root().index(2).key("x").to_string(), "[2].x");
        assert_eq!(Path::shown("a[0].b").key("c").to_string(), "a[0].b.c");
    }
}
