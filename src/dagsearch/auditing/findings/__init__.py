"""One kind of finding per file: ``KIND`` says what it is, ``find`` yields the cases of it in a table."""
