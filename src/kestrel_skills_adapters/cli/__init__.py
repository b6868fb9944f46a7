"""The command line: `kestrel-skills`. Each command is a module of `commands`, imported when it is asked for."""
