"""What an agent can do: one small module a tool."""
