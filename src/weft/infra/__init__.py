"""The AI infrastructure: vendors, their endpoints, keys and models, what those cost, and which way a call may go."""
