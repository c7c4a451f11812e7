"""What a Prometheus is told: its configuration file, its rule file and its command line.

Sources: Prometheus documentation 3, `configuration/configuration` and `command-line/prometheus`, read 2026-11-22.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eks_accelerators.simulator.pace import PacedClock
from eks_accelerators.simulator.prometheus import compression
from eks_accelerators.simulator.prometheus.compression import written

LOOKBACK_SECONDS = 300
"""How old the last value of a series may be that still counts: Prometheus' default."""

_JOB = "simulated"
"""Of targets that have no label `job` of their own."""


@dataclass(frozen=True, slots=True)
class PrometheusSettings:
    """What the server of a stack does, in simulated seconds.

    ``targets`` are files as `file_sd_configs` reads them; each may appear later, and is read again when it changes. A label
    `job` of a target is its job. ``rules`` is the content of a rule file, in simulated time.
    """

    targets: Sequence[Path]
    rules: Mapping[str, Any] | None = None
    scrape_seconds: float = 30
    evaluation_seconds: float = 30


def config_file(settings: PrometheusSettings, rule_files: Sequence[Path], clock: PacedClock) -> dict[str, Any]:
    """What Prometheus reads at its start: targets from files, rules, and how often, at the pace of ``clock``."""
    scrape = written(clock.pace.wall(settings.scrape_seconds))
    discovery = {
        "files": [str(file) for file in settings.targets],
        "refresh_interval": scrape,  # files are watched too; this is for a change that the watch misses
    }
    # Labels of a page come before those of its target: so is every exporter scraped whose series name other pods.
    job = {"job_name": _JOB, "honor_labels": True, "file_sd_configs": [discovery]}
    return {
        "global": {
            "scrape_interval": scrape,
            "scrape_timeout": scrape,
            "evaluation_interval": written(clock.pace.wall(settings.evaluation_seconds)),
        },
        "rule_files": [str(file) for file in rule_files],
        "scrape_configs": [job] if settings.targets else [],
    }


def rule_file(settings: PrometheusSettings, clock: PacedClock) -> dict[str, Any]:
    """The rules at the pace of the clock; none are a file without groups."""
    return compression.rule_file(settings.rules or {"groups": []}, clock)


def command(program: Path, config: Path, data: Path, port: int, clock: PacedClock) -> list[str | Path]:
    """The command line of a server that answers on 127.0.0.1 alone."""
    return [
        program,
        f"--config.file={config}",
        f"--storage.tsdb.path={data}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--web.enable-lifecycle",
        f"--query.lookback-delta={written(clock.pace.wall(LOOKBACK_SECONDS))}",
        "--log.level=warn",
    ]
