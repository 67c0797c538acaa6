"""``python -m dagsearch.cli`` is the command ``dagsearch``."""

from dagsearch.cli import main

main(prog_name="dagsearch")
