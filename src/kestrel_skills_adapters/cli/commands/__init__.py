"""One module a command, each with its `command`; imported when it is asked for."""
