"""An artefact on disk: JSON beside binary and assembly, read back with every fault as one line."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from .artefact import FORMATS, SCHEMA, Arg, Artefact, Contract, Kernel, TensorMap
from .errors import ArtefactError

_TOP = ("target", "format", "pipeline", "versions", "sha256", "kernels")


def save_artefact(artefact: Artefact, path: str | os.PathLike[str]) -> Path:
    """Write binary, assembly and JSON beside each other; returns the JSON's path.

    `path` names the binary or the .json. All files are complete before the first is renamed into
    place, and the JSON comes last. Raises ArtefactError (nothing half-written).
    """
    described, files = files_of(artefact, Path(path))
    _write_all(files)
    return described


def files_of(artefact: Artefact, path: Path) -> tuple[Path, dict[Path, bytes]]:
    """(JSON's path, path -> bytes of every file, JSON last) for saving under `path`."""
    suffix = path.suffix[1:]
    if suffix in FORMATS and suffix != artefact.format and artefact.binary is not None:
        wanted = path.with_suffix(f".{artefact.format}").name
        raise ArtefactError(f"{path}: the code is a {artefact.format}; name the output {wanted}")
    known = suffix in ("", "json", "s", *FORMATS)
    binary_path = path.with_suffix(f".{artefact.format}") if known else path
    asm_path, described = (
        binary_path.with_suffix(FORMATS[artefact.format]),
        path.with_suffix(".json"),
    )
    files: dict[Path, bytes] = {}
    if artefact.binary is not None:
        files[binary_path] = artefact.binary
    if artefact.asm is not None:
        # A ptx binary and its text are one file.
        files.setdefault(asm_path, artefact.asm.encode())
    document = document_of(artefact)
    document["binary"] = binary_path.name if artefact.binary is not None else None
    document["asm"] = asm_path.name if artefact.asm is not None else None
    files[described] = (json.dumps(document, indent=2) + "\n").encode()
    return described, files


def document_of(artefact: Artefact) -> dict[str, object]:
    """What the JSON says of `artefact`, apart from the names of its files."""
    return {
        "schema": SCHEMA,
        "target": artefact.target,
        "format": artefact.format,
        "sha256": artefact.sha256,
        "asm_sha256": _digest(artefact.asm.encode()) if artefact.asm is not None else None,
        "pipeline": artefact.pipeline,
        "versions": dict(artefact.versions),
        "kernels": [asdict(kernel) for kernel in artefact.kernels],
    }


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def load_artefact(path: str | os.PathLike[str]) -> Artefact:
    """Read the artefact whose .json is `path`, or that describes the file `path`.

    Raises ArtefactError.
    """
    path = Path(path)
    described = path if path.suffix == ".json" else path.with_suffix(".json")
    document = _read_document(described)
    _schema(described, document)
    if path != described and path.name not in (document.get("binary"), document.get("asm")):
        raise ArtefactError(f"{described} does not describe {path.name}")
    try:
        return _artefact(document, described.parent)
    except ArtefactError as error:
        raise ArtefactError(f"{described}: {error}") from error


def _schema(path: Path, document: Mapping[str, Any]) -> None:
    found = document.get("schema")
    if found is None:
        raise ArtefactError(f'{path}: not an artefact\'s description (no "schema")')
    if found != SCHEMA:
        raise ArtefactError(f"{path}: schema {found!r}, this version reads {SCHEMA}; compile again")


def _read_document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ArtefactError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ArtefactError(f"{path}: not UTF-8 text") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise ArtefactError(f"{path}: not valid JSON, perhaps truncated: {error}") from error
    if not isinstance(document, dict):
        raise ArtefactError(f"{path}: not an artefact's description (no JSON object)")
    return document


def _artefact(document: dict[str, Any], folder: Path) -> Artefact:
    binary = _file(document.pop("binary", None), folder)
    name = document.pop("asm", None)
    asm = _file(name, folder)
    try:
        text = asm.decode() if asm is not None else None
    except UnicodeDecodeError as error:
        raise ArtefactError(f"{name} is not UTF-8 text") from error
    return artefact_of(document, binary, text, str(name))


def artefact_of(
    document: Mapping[str, Any],
    binary: bytes | None,
    text: str | None,
    text_name: str = "the assembly",
) -> Artefact:
    """The artefact that document_of() described; raises ArtefactError."""
    _keys(document, {"schema", "asm_sha256", *_TOP}, set(_TOP), "top level")
    if text is not None and document.get("asm_sha256") not in (None, _digest(text.encode())):
        raise ArtefactError(f"{text_name} was changed or truncated (its hash differs)")
    kernels = document["kernels"]
    if not isinstance(kernels, list):
        raise ArtefactError('"kernels" is not a list')
    return Artefact(
        target=_typed(document, "target", str, "top level"),
        format=_typed(document, "format", str, "top level"),
        binary=binary,
        asm=text,
        kernels=tuple(_kernel(entry, index) for index, entry in enumerate(kernels)),
        pipeline=_typed(document, "pipeline", str, "top level"),
        versions=_typed(document, "versions", dict, "top level"),
        sha256=_typed(document, "sha256", str, "top level"),
    )


def _file(name: object, folder: Path) -> bytes | None:
    """Bytes of a file beside the JSON. A name with a folder is refused: artefacts are moved."""
    if name is None:
        return None
    if not isinstance(name, str) or Path(name).name != name:
        raise ArtefactError(f"file name {name!r} is not a plain name beside the JSON")
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        raise ArtefactError(f"cannot read {folder / name}: {error.strerror or error}") from error


def _kernel(entry: object, index: int) -> Kernel:
    where = f"kernel {index}"
    values = _object(entry, Kernel, {"name", "args", "grid", "block"}, where)
    if not isinstance(values["args"], list):
        raise ArtefactError(f'{where}: "args" is not a list')
    args = tuple(_arg(item, f"{where} argument {i}") for i, item in enumerate(values["args"]))
    values["args"] = args
    for key in ("grid", "block", "cluster"):
        if key in values:
            values[key] = _integers(values, key, where, 3)
    if values.get("tile") is not None:
        values["tile"] = _integers(values, "tile", where, 2)
    if values.get("contract") is not None:
        required = {field.name for field in fields(Contract)}
        contract = _object(values["contract"], Contract, required, f"{where} contract")
        for key in "mnk":
            _typed(contract, key, int, f"{where} contract")
        if not isinstance(contract["accumulate"], bool):
            raise ArtefactError(f'{where} contract: "accumulate" is not true or false')
        values["contract"] = Contract(**contract)
    for key in ("lds_bytes", "dynamic_lds_bytes"):
        if key in values:
            _typed(values, key, int, where)
    _typed(values, "name", str, where)
    maps = values.get("tensor_maps", [])
    if not isinstance(maps, list):
        raise ArtefactError(f'{where}: "tensor_maps" is not a list')
    values["tensor_maps"] = tuple(
        _tensor_map(item, f"{where} tensor map {i}") for i, item in enumerate(maps)
    )
    values["remarks"] = tuple(str(remark) for remark in values.get("remarks") or ())
    return Kernel(**values)


def _arg(entry: object, where: str) -> Arg:
    values = _object(entry, Arg, {"name", "dtype", "shape", "strides", "access"}, where)
    for key in ("shape", "strides"):
        values[key] = _integers(values, key, where, None)
    if "align" in values:
        _typed(values, "align", int, where)
    return Arg(**values)


def _tensor_map(entry: object, where: str) -> TensorMap:
    values = _object(entry, TensorMap, {"arg", "box"}, where)
    values["box"] = _integers(values, "box", where, 2)
    for key in values.keys() & {"arg", "swizzle"}:
        _typed(values, key, int, where)
    return TensorMap(**values)


def _object(entry: object, kind: type[Any], required: set[str], where: str) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise ArtefactError(f"{where}: not a JSON object")
    _keys(entry, {field.name for field in fields(kind)}, required, where)
    return dict(entry)


def _keys(entry: Mapping[str, Any], known: set[str], required: set[str], where: str) -> None:
    if missing := sorted(required - entry.keys()):
        raise ArtefactError(f"{where}: missing {', '.join(missing)}")
    if unknown := sorted(entry.keys() - known):
        raise ArtefactError(f"{where}: unknown key {', '.join(unknown)}")


def _typed(entry: Mapping[str, Any], key: str, kind: type[Any], where: str) -> Any:
    value = entry[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ArtefactError(f'{where}: "{key}" is {value!r}, not {kind.__name__}')
    return value


def _integers(entry: Mapping[str, Any], key: str, where: str, count: int | None) -> tuple[int, ...]:
    value = entry[key]
    sound = isinstance(value, list) and all(type(item) is int for item in value)
    if not sound or (count is not None and len(value) != count):
        many = "" if count is None else f"{count} "
        raise ArtefactError(f'{where}: "{key}" is {value!r}, not a list of {many}integers')
    return tuple(value)


def _write_all(files: Mapping[Path, bytes]) -> None:
    """Write every file to a temporary neighbour, then rename all, in order."""
    pending: list[tuple[str, Path]] = []
    try:
        for path, data in files.items():
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            pending.append((name, path))
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.chmod(name, 0o644)
            if path.is_dir():
                raise IsADirectoryError(21, "Is a directory")
        for name, path in pending:
            os.replace(name, path)
    except OSError as error:
        raise ArtefactError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        for name, _ in pending:
            Path(name).unlink(missing_ok=True)
