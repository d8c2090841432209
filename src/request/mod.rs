//! An internal body becomes a provider body.
