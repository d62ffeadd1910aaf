"""Devices that end-to-end tests run on."""

from __future__ import annotations

import pytest

from gemm_ladder.runtime.device import Device, open_device
from gemm_ladder.runtime.errors import DeviceError


@pytest.fixture(scope="session")
def sim() -> Device:
    return open_device("sim")


@pytest.fixture(scope="session")
def cuda() -> Device:
    try:
        return open_device("cuda")
    except DeviceError as error:
        pytest.skip(str(error))
