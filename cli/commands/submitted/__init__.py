"""Commands about submissions that were scored: all of a benchmark in files, and two side by side."""
