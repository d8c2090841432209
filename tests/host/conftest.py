"""What needs verifiers is skipped where it is missing."""
