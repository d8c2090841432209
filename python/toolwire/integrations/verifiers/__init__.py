"""Inside verifiers 0.4: with `install()` the framework keeps what tools declare, from end to end."""
