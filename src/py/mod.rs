//! The Python module: exports only, it decides nothing.
