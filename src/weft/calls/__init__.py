"""Every provider call, booked once: what it used, what it cost, how it ended."""
