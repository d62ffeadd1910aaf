"""Compile the whole product of cases here, to be checked on a machine that has only the runtime.

python tests/e2e/build_cases.py OUT --target sm_90a        # here; resumes where it stopped
python -m runtime check OUT --device cuda --repeats 20     # there, from the repository's root
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # as tests/conftest.py puts it there

from gemm_case import Case, ladder, product
from test_prefixes import paired

from gemm_ladder.compiler.pipelines import levels
from gemm_ladder.runtime.artefact_files import save_artefact


def cases(target: str) -> list[Case]:
    """Both products of cases, and the problems of the prefixes."""
    return [*ladder(levels(target)), *product(("level0", "level1")), *paired(target)]


def compile_one(job: tuple[Case, str, Path]) -> str | None:
    """Write the artefact of one case; its name and the error if it does not compile."""
    case, target, folder = job
    path = folder / f"{case.name}.json"
    if path.exists():
        return None
    try:
        save_artefact(case.artefact(target, link="must"), path)
    except Exception as error:
        return f"{case.name}: {error}"
    return None


def main() -> int:
    """Compile what is missing in the folder; 1 if something did not compile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    jobs = [(case, args.target, args.folder) for case in cases(args.target)]
    failed = 0
    with ProcessPoolExecutor(args.jobs) as pool:
        for number, error in enumerate(pool.map(compile_one, jobs), 1):
            failed += error is not None
            if error is not None:
                print(error)
            if number % 100 == 0:
                print(f"{number} of {len(jobs)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
