"""Makes a benchmark of what was made for another platform: a solution file, a bundle of Codabench, a config of EvalAI.

What is guessed is a note, which the command prints; docs/moving.md has the words of each platform.
"""
