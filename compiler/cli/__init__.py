"""The commands `ladder` and `ladder-opt`; heavy imports happen inside the commands."""
