"""Facts that passes compute from the IR, shared between them."""
