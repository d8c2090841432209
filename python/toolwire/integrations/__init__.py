"""What makes a host framework keep outcomes: one package per framework, each imports its host itself."""
