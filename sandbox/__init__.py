"""The runner's wall on one machine: bubblewrap, seccomp, cgroup."""
