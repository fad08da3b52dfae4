"""A benchmark's folder: definition, bundle, examples."""
