"""Every change of the database, in order, each with the way back."""
