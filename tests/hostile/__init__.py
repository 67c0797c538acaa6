"""Bad and extreme inputs, each with what must happen: the right result, or exit code 2 with one line.

    cd tests && python -m hostile                 # all families, with figures
    cd tests && python -m hostile files names     # some of them

Every case has an empty folder, a process, a time limit and a limit on memory of its own. See `hostile.case` for what a
case is, `hostile.families` for the cases, `hostile.run` for what is done with them.
"""
