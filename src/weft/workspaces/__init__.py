"""Each user's own folder: who the assistant is to be, what it remembers, and the files it works on."""
