"""What a benchmark takes along: the folder that an export writes, what is loaded into it, and its verification."""
