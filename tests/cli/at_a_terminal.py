"""Runs `weft` as whoever sits at the terminal that standard input is; named tools ask before they run."""

import os

from weft.cli.main import main
from weft.tools.builtin.write_file import WriteFile
from weft.tools.tool import Approval

if __name__ == "__main__":
    os.login_tty(0)  # Ctrl-C typed there is a signal here
    WriteFile.approval = Approval.ALWAYS
    main()
