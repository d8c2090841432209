"""The runner of the regression cases: standard library only, knows the package through an adapter alone."""
