"""The vendor-neutral half of lowering tile IR: fragments to lanes, tiles to addresses.

What a vendor supplies is the protocol in backend.py; nothing here assumes a wave size, a matrix
instruction, an element type or a shape: those come from the target's facts and the IR's types.
"""
