//! The answer as terminal text, HTML, Markdown and JSON.
