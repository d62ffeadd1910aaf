"""Artefacts survive the disk, and a damaged one is refused with one line."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from fake_device import artefact, kernel

from gemm_ladder.runtime.artefact import Arg, Artefact, Contract, Kernel, TensorMap
from gemm_ladder.runtime.artefact_files import load_artefact, save_artefact
from gemm_ladder.runtime.errors import ArtefactError


@pytest.fixture
def saved(tmp_path):
    made = replace(artefact(kernel(20, 40, 64, k_loop={"barriers": 2}, vgprs=99)), asm="ptx text")
    save_artefact(made, tmp_path / "mm.cubin")
    return tmp_path, made


def edited(folder, **changes):
    path = folder / "mm.json"
    document = json.loads(path.read_text())
    document.update(changes)
    path.write_text(json.dumps(document))
    return refused(path)


def refused(path):
    with pytest.raises(ArtefactError) as caught:
        load_artefact(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_load_gives_back_what_was_saved(saved):
    folder, made = saved
    assert sorted(os.listdir(folder)) == ["mm.cubin", "mm.json", "mm.ptx"]
    for name in ("mm.json", "mm.cubin", "mm.ptx"):
        assert load_artefact(folder / name) == made
    assert "\t" not in (folder / "mm.json").read_text()


@pytest.mark.parametrize(
    ("form", "binary", "asm", "files"),
    [
        ("hsaco", None, "s", ["mm.json", "mm.s"]),
        ("hsaco", b"b", None, ["mm.hsaco", "mm.json"]),
        ("ptx", None, "s", ["mm.json", "mm.ptx"]),
        ("ptx", b"s", "s", ["mm.json", "mm.ptx"]),
    ],
)
@pytest.mark.parametrize("name", ["mm", "mm.json"])
def test_parts_may_be_absent(tmp_path, form, binary, asm, files, name):
    made = Artefact("gfx1250", form, binary, asm, (kernel(1, 2, 3),))
    assert save_artefact(made, tmp_path / name) == tmp_path / "mm.json"
    assert sorted(os.listdir(tmp_path)) == files
    assert load_artefact(tmp_path / "mm.json") == made
    assert made.code == (binary or asm.encode())


def test_damage_to_the_files(saved):
    folder, _ = saved
    (folder / "mm.cubin").write_bytes(b"cod")
    assert "hash is" in refused(folder / "mm.json")
    (folder / "mm.cubin").unlink()
    assert "cannot read" in refused(folder / "mm.cubin")
    assert "No such file" in refused(folder / "mm.json")


def test_changed_assembly(saved):
    folder, _ = saved
    (folder / "mm.ptx").write_text("ptx tex")
    assert "mm.ptx was changed or truncated" in refused(folder / "mm.json")


def test_damage_to_the_json(saved):
    folder, _ = saved
    path = folder / "mm.json"
    whole = path.read_text()
    path.write_text(whole[: len(whole) // 2])
    assert "not valid JSON, perhaps truncated" in refused(path)
    path.write_bytes(b"\xff\xfe")
    assert "not UTF-8" in refused(path)
    path.write_text("[]")
    assert "no JSON object" in refused(path)
    path.write_text("{}")
    assert 'no "schema"' in refused(path)
    path.write_text(whole)
    (folder / "other.cubin").write_bytes(b"x")
    (folder / "other.json").write_text(whole)
    assert "does not describe other.cubin" in refused(folder / "other.cubin")


def test_a_description_that_is_wrong(saved):
    folder, made = saved
    first = json.loads((folder / "mm.json").read_text())["kernels"][0]
    arg, rest = first["args"][0], first["args"][1:]
    assert "schema 2, this version reads 1" in edited(folder, schema=2)
    assert "unknown key colour" in edited(folder, schema=1, colour=1)
    folder_again(folder, made)
    assert "format 'elf' is not one of" in edited(folder, format="elf")
    assert "not a plain name" in edited(folder, format="cubin", binary="../mm.cubin")
    for change, said in [
        ({"grid": [1, 1]}, '"grid" is [1, 1], not a list of 3 integers'),
        ({"grid": [1, 1, True]}, "not a list of 3 integers"),
        ({"block": [0, 1, 1]}, "block (0, 1, 1) is empty"),
        ({"lds_bytes": "1"}, "\"lds_bytes\" is '1', not int"),
        ({"args": [{**arg, "shape": [4, 4]}, *rest]}, "contract says (20, 64)"),
        ({"args": [{**arg, "dtype": "fp4"}, *rest]}, "dtype 'fp4' is not known"),
        ({"args": [{**arg, "align": 12}, *rest]}, "alignment 12 is no power of two"),
        ({"args": [{**arg, "strides": [1]}, *rest]}, "2 extents but 1 strides"),
        ({"args": rest}, "a contract needs arguments A, B and C"),
        ({"contract": {**first["contract"], "accumulate": 1}}, "is not true or false"),
        ({"contract": {**first["contract"], "a_order": "xy"}}, "a_order 'xy'"),
        ({"contract": {"m": 1}}, "kernel 0 contract: missing"),
    ]:
        assert said in edited(folder, binary="mm.cubin", kernels=[{**first, **change}]), change
    assert "two kernels share a name" in edited(folder, kernels=[first, first])


def folder_again(folder, made):
    save_artefact(made, folder / "mm.json")


def test_nothing_half_written(tmp_path):
    made = artefact(kernel(1, 2, 3))
    (tmp_path / "mm.json").mkdir()
    with pytest.raises(ArtefactError, match=r"cannot write .*mm\.json: Is a directory"):
        save_artefact(made, tmp_path / "mm.cubin")
    assert os.listdir(tmp_path) == ["mm.json"]
    with pytest.raises(ArtefactError, match=r"cannot write .*No such file"):
        save_artefact(made, tmp_path / "missing" / "mm.cubin")


def test_the_name_must_fit_the_format(tmp_path):
    with pytest.raises(ArtefactError, match=r"the code is a cubin; name the output mm\.cubin"):
        save_artefact(artefact(kernel(1, 2, 3)), tmp_path / "mm.hsaco")


def test_a_wrong_kernel_cannot_be_made():
    arg = Arg("A", "bf16", (4, 4), (4, 1), "read")
    with pytest.raises(ArtefactError, match="access 'peek'"):
        replace(arg, access="peek")
    with pytest.raises(ArtefactError, match="contract says"):
        Kernel(
            "k",
            (arg, arg, arg),
            (1, 1, 1),
            (1, 1, 1),
            contract=Contract(4, 5, 4, "mk", "kn", False),
        )
    with pytest.raises(ArtefactError, match="neither binary nor assembly"):
        Artefact("gfx1250", "hsaco", None, None, ())


MAP = TensorMap(1, (64, 32), 64)


def test_tensor_maps_survive_the_disk(tmp_path):
    made = artefact(kernel(16, 40, 64, tensor_maps=(MAP, TensorMap(0, (16, 8)))))
    assert load_artefact(save_artefact(made, tmp_path / "mm.cubin")) == made


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"arg": 3}, "tensor map of argument 3"),
        ({"arg": 0}, "argument A: rows of 126 bytes"),
        ({"box": (257, 32)}, "argument B: box"),
        ({"box": (64, 64)}, "argument B: box rows of 128 bytes, swizzle 64"),
        ({"swizzle": 96}, "argument B: swizzle 96"),
    ],
)
def test_a_tensor_map_that_no_engine_takes(changed, message):
    with pytest.raises(ArtefactError, match=message):
        kernel(16, 40, 63, tensor_maps=(replace(MAP, **changed),))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"arg": 1}, "kernel 0 tensor map 0: missing box"),
        ({"arg": 1, "box": [64]}, "not a list of 2 integers"),
        ({"arg": "1", "box": [64, 32]}, '"arg" is'),
        ({"arg": 1, "box": [64, 32], "rank": 2}, "unknown key rank"),
    ],
)
def test_a_damaged_tensor_map(tmp_path, entry, message):
    save_artefact(artefact(kernel(16, 40, 64)), tmp_path / "mm.cubin")
    document = json.loads((tmp_path / "mm.json").read_text())
    document["kernels"][0]["tensor_maps"] = [entry]
    assert message in edited(tmp_path, kernels=document["kernels"])
