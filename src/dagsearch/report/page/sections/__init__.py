"""The parts of a page, one per file: each takes what was gathered, and gives HTML and what the program draws."""
