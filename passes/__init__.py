"""Passes over the tile IR: one technique or one lowering a file."""
