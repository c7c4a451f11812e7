"""Ask the plugin's own loader about every case again, and write down what it says. Needs Go and, once, its modules.

python -m tests.accelerators.device_plugin.record
"""

import base64
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.accelerators.device_plugin.cases import cases

ROOT = Path(__file__).parents[3]
ANSWERS = Path(__file__).with_name("answers.json")
MODULE = "github.com/NVIDIA/k8s-device-plugin"
WRAPPED = "unable to parse config file: error parsing config file: "


def asked() -> dict[str, Any]:
    """The loader's answer to each case, by name: what it goes on with, or why it does not."""
    questions = [
        {"id": name, "file": base64.b64encode(content).decode(), "environment": environment}
        for name, content, environment in cases()
    ]
    ran = subprocess.run(
        ["go", "run", "."],
        cwd=ROOT / "tools" / "device-plugin-loader",
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=True,
    )
    return {name: reduced(answer) for name, answer in json.loads(ran.stdout).items()}


def reduced(answer: dict[str, Any]) -> dict[str, Any]:
    if not answer["accepted"]:
        return {"accepted": False, "message": answer["message"].removeprefix(WRAPPED)}
    config = answer["config"]
    flags, sharing = config["flags"], config["sharing"]
    section = sharing.get("mps") or sharing.get("timeSlicing") or {}
    return {
        "accepted": True,
        "strategy": answer["strategy"],
        "migStrategy": flags["migStrategy"],
        "deviceListStrategy": flags["plugin"]["deviceListStrategy"] or [],
        "deviceIDStrategy": flags["plugin"]["deviceIDStrategy"],
        "deviceDiscoveryStrategy": flags["deviceDiscoveryStrategy"],
        "mpsRoot": flags["mpsRoot"],
        "imexChannels": config["imex"].get("channelIDs") or [],
        "resources": [
            [one["name"], one["replicas"], one.get("rename") or one["name"]] for one in section.get("resources") or []
        ],
        "warnings": answer.get("warnings") or [],
    }


def main() -> None:
    go_mod = (ROOT / "tools" / "device-plugin-loader" / "go.mod").read_text(encoding="utf-8")
    version = next(line.split()[1] for line in go_mod.splitlines() if line.strip().startswith(MODULE))
    today = datetime.now(UTC).date().isoformat()
    # A line for each case, so that a difference is seen as one.
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(answer)}" for name, answer in asked().items())
    head = f'{{\n "source": "{MODULE} {version}",\n "asked": "{today}",\n "answers": {{\n'
    ANSWERS.write_text(f"{head}{lines}\n }}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
