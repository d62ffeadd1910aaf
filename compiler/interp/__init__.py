"""The tile interpreter: runs tile IR as waves with a shadow of LDS, and reports what is unordered.

``program`` turns a kernel into plain Python, ``machine`` holds a cluster's state, ``steps`` the
meaning of each op, ``scheduler`` interleaves the waves, ``device`` is the Device that runs it.
"""
