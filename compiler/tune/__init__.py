"""Search over the options of a pipeline's passes."""
