"""The framework at work: its own command line, server and harness programs; only the model is scripted."""
