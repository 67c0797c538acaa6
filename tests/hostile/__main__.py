"""Carries out all cases, or some families, and prints the figures."""

import os

# Before numpy is imported: processes that are forked must find no threads.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

if __name__ == "__main__":
    from hostile.figures import main

    main()
