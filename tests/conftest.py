"""Tests compile: nothing comes from, or stays in, the user's cache of kernels."""

import os

os.environ["LADDER_CACHE_DIR"] = ""
