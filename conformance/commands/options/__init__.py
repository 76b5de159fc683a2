"""The options of the commands: light modules, so that `--help` imports nothing else."""
