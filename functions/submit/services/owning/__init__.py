"""What owners do with their benchmarks: publish, ban, look at errors and rescore."""
