"""Plan every stack and write what plan-comment.yml posts: body.md, and the number of the pull request.

Exit status: 0 when every plan is clean, otherwise the worst that `accel plan` ended with (2: a plan has problems).
The files are written in every case, because a plan with problems is the one that people should read.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

# The comment takes 60 000 characters. All stacks share them, so that a long plan cannot push another one out.
LIMIT = 58_000
MINUTES = 5

VERDICTS = {0: "", 2: "**This plan has problems, so the check fails.**\n\n"}


def stacks(folder: Path) -> list[str]:
    """The names of the stacks that have a file in the folder."""
    return sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in folder.glob("Pulumi.*.yaml"))


def shortened(text: str, limit: int) -> str:
    """At most about `limit` characters, cut at a line, with the remark first and open blocks closed."""
    if len(text) <= limit:
        return text
    kept = text[:limit].rsplit("\n", 1)[0]
    if sum(line.startswith("```") for line in kept.splitlines()) % 2:
        kept += "\n```"
    kept += "\n</details>" * (kept.count("<details") - kept.count("</details>"))
    return f"_Cut to fit a comment; the summary of the run has all of it._\n\n{kept}\n"


def plan(accel: str, stack: str, against: str) -> tuple[str, int]:
    """The Markdown of one plan and the exit status of the command."""
    command = [accel, "plan", stack, "--markdown", "--against", against]
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
    plans = {name: plan(options.accel, name, options.against) for name in names}

    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "number").write_text(options.number, encoding="utf-8")
    body = "\n".join(section(name, shortened(text, LIMIT // len(names)), code) for name, (text, code) in plans.items())
    (options.out / "body.md").write_text(body, encoding="utf-8")
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as out:
            out.write("\n".join(section(name, text, code) for name, (text, code) in plans.items()))

    # A crash (1, or negative for a signal) outweighs a plan with problems: less is known after it.
    codes = [code for _, code in plans.values()]
    return next((abs(code) for code in codes if code not in VERDICTS), max(codes))


if __name__ == "__main__":
    sys.exit(main())
