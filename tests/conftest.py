"""Tests compile: nothing comes from, or stays in, the user's cache of kernels."""

import os

os.environ["LADDER_CACHE_DIR"] = ""
# The workers of pytest-xdist share the cores: BLAS's threads would spin in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
