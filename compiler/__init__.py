"""Pipelines, their driver, code generation and the command line."""
