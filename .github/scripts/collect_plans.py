"""Plan every stack and write what plan-comment.yml posts: body.md, and the number of the pull request.

Exit status: 0 when every plan is clean, otherwise the worst that `accel plan` ended with (2: a plan has problems).
The files are written in every case, because a plan with problems is the one that people should read.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

# The comment takes 60 000 characters. All stacks share them, so that a long plan cannot push another one out.
LIMIT = 58_000
MINUTES = 5

VERDICTS = {0: "", 2: "**This plan has problems, so the check fails.**\n\n"}


def stacks(folder: Path) -> list[tuple[str, Path]]:
    """The stack files in the folder, with the names to show: what no name of a stack may have is `?` there."""
    return [
        (re.sub(r"[^A-Za-z0-9_.-]", "?", path.name.removeprefix("Pulumi.").removesuffix(".yaml")), path)
        for path in sorted(folder.glob("Pulumi.*.yaml"))
    ]


def shortened(text: str, limit: int) -> str:
    """At most about `limit` characters, cut at a line, with the remark first and open blocks closed."""
    if len(text) <= limit:
        return text
    kept = text[:limit].rsplit("\n", 1)[0]
    fence, depth = "", 0
    for line in kept.splitlines():
        if fence:
            fence = "" if line.rstrip() == fence else fence
        elif line.startswith("```"):
            fence = line[: len(line) - len(line.lstrip("`"))]
        else:
            depth += line.startswith("<details") - line.startswith("</details>")
    kept += f"\n{fence}" if fence else ""
    kept += "\n</details>" * depth
    return f"_Cut to fit a comment; the summary of the run has all of it._\n\n{kept}\n"


def plan(accel: str, stack: Path, against: str) -> tuple[str, int]:
    """The Markdown of one plan and the exit status of the command."""
    command = [accel, "plan", "--markdown", f"--against={against}", "--", str(stack)]
    try:
        # Errors go to the log of the run, where they can be long.
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=MINUTES * 60, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return f"No plan within {MINUTES} minutes.", 1
    return done.stdout.strip(), done.returncode


def section(stack: str, text: str, status: int) -> str:
    """One stack's part of the comment."""
    verdict = VERDICTS.get(
        status, f"**`accel plan` stopped with exit status {status}; the log of the run says why.**\n\n"
    )
    return f"## {stack}\n\n{verdict}{text}\n"


def main(arguments: list[str] | None = None) -> int:
    """Write the files, and say how the worst plan ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accel", required=True, help="the command to run")
    parser.add_argument("--against", required=True, help="the Git reference to compare with")
    parser.add_argument("--number", required=True, help="the number of the pull request")
    parser.add_argument("--out", required=True, type=Path, help="the folder to write to")
    parser.add_argument("--stacks", default=Path("stacks"), type=Path, help="the folder of the stack files")
    options = parser.parse_args(arguments)

    names = stacks(options.stacks)
    if not names:
        sys.stderr.write(f"no stack files in {options.stacks}\n")
        return 1
    plans = [(name, *plan(options.accel, path, options.against)) for name, path in names]

    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "number").write_text(options.number, encoding="utf-8")
    body = "\n".join(section(name, shortened(text, LIMIT // len(names)), code) for name, text, code in plans)
    (options.out / "body.md").write_text(body, encoding="utf-8")
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as out:
            out.write("\n".join(section(name, text, code) for name, text, code in plans))

    # A crash (1, or negative for a signal) outweighs a plan with problems: less is known after it.
    codes = [code for _, _, code in plans]
    return next((abs(code) for code in codes if code not in VERDICTS), max(codes))


if __name__ == "__main__":
    sys.exit(main())
