"""Who is who: businesses, their users, the keys they call with, and the operators."""
