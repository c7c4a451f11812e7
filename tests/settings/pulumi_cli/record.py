"""Ask the Pulumi CLI about every case again, and write down what it says: `python -m tests.settings.pulumi_cli.record`."""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from eks_accelerators.settings.stack_file import PROJECT
from eks_accelerators.simulator import engines
from tests.settings.pulumi_cli.cases import FILES, VALUES

ANSWERS = Path(__file__).with_name("answers.json")


def asked(pulumi: Path, folder: Path) -> dict[str, Any]:
    """The CLI's answer to each case: what a program gets by key, or None where the file is refused.

    What it takes is asked for in one call; what it refuses stops it, and takes a call of its own.
    """
    cli = Cli(pulumi, folder)
    answers = {name: cli.config(text) for name, text in FILES.items()}
    accepted = {value: number for number, value in enumerate(VALUES) if not _known_refused(value)}
    together = cli.config(_document(accepted)) or {}
    for value in VALUES:
        number = accepted.get(value)
        if f"p:a{number}" in together:
            answers[value] = {"p:a": together[f"p:a{number}"], "p:o": together[f"p:o{number}"]}
        else:
            answers[value] = cli.config(_document({value: ""}))
    return answers


def _known_refused(value: str) -> bool:
    return recorded().get(value, "new") in (None, "new")


def _document(values: dict[str, Any]) -> str:
    lines = [f"  p:a{number}: {value}\n  p:o{number}: {{k: {value}}}\n" for value, number in values.items()]
    return "config:\n" + "".join(lines)


def recorded() -> dict[str, Any]:
    return json.loads(ANSWERS.read_text(encoding="utf-8"))["answers"] if ANSWERS.exists() else {}


class Cli:
    """A throw-away project with one stack."""

    def __init__(self, pulumi: Path, folder: Path) -> None:
        self._pulumi, self._folder = pulumi, folder
        (folder / "state").mkdir()
        (folder / "Pulumi.yaml").write_text(f"name: {PROJECT}\nruntime: python\n", encoding="utf-8")
        self._environment = {
            **os.environ,
            "PULUMI_BACKEND_URL": (folder / "state").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": "test",
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "TZ": "UTC",
        }
        self.run("stack", "init", "t", check=True)

    def run(self, *arguments: str, check: bool = False) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self._pulumi), "--non-interactive", *arguments],
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=check,
        )

    def config(self, text: str) -> dict[str, str] | None:
        """What a program gets of a stack file; None where the CLI refuses it."""
        (self._folder / "Pulumi.t.yaml").write_text(text, encoding="utf-8", newline="")
        done = self.run("config", "--json", "--stack", "t")
        if done.returncode:
            assert done.stderr.startswith(("error: ", "warning: ")), done.stderr
            return None
        return {key: one.get("value", "[secret]") for key, one in json.loads(done.stdout).items()}


def main() -> None:
    pulumi = engines.find(["pulumi"])["pulumi"]
    with tempfile.TemporaryDirectory() as folder:
        cli = Cli(pulumi, Path(folder))
        version = cli.run("version", check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        answers = asked(pulumi, Path(folder))
    content = {"pulumi": version, "answers": answers}
    ANSWERS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
