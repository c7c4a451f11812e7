"""The configuration of the AWS provider as a stack's files say it: its own, and what Pulumi.yaml says for all stacks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eks_accelerators.settings import stack_file
from eks_accelerators.settings.aws_provider import AwsProvider, aws_provider
from eks_accelerators.settings.problems import Problem, SettingsError, Severity

_PREFIX = "aws:"


def provider_of(file: Path, project: Path) -> AwsProvider:
    """The configuration of the stack in ``file``, whose Pulumi program is in the folder ``project``.

    Raises `SettingsError` where a file cannot be read, or says what cannot be honoured.
    """
    stack = stack_file.read(file)
    provider = aws_provider({**_of_all_stacks(project / "Pulumi.yaml"), **_of_aws(stack.config)})
    if stack.imports and not provider.allowed_account_ids:
        raise SettingsError([_NOT_READ])
    return provider


_NOT_READ = Problem(
    "aws-provider",
    Severity.ERROR,
    "environment",
    "the stack imports environments of Pulumi ESC, which may say as whom AWS is asked, and are not read here",
    "no aws:allowedAccountIds",
    "environments, and the accounts that are allowed",
    "write `aws:allowedAccountIds` into the stack file, and run it with `pulumi env run`",
)


def _of_all_stacks(path: Path) -> dict[str, Any]:
    """What Pulumi.yaml says of the provider: a value, or keys of which `value` is one."""
    try:
        project = stack_file.load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, *stack_file.UNREADABLE) as error:
        problem = Problem(
            "stack-file",
            Severity.ERROR,
            path.name,
            "it cannot be read",
            type(error).__name__,
            "YAML",
            "correct the file",
        )
        raise SettingsError([problem]) from None
    config = project.get("config") if isinstance(project, dict) else None
    found = _of_aws(config if isinstance(config, dict) else {})
    return {
        key: value["value"] if isinstance(value, dict) and "value" in value else value for key, value in found.items()
    }


def _of_aws(config: Mapping[str, Any]) -> dict[str, Any]:
    return {key.removeprefix(_PREFIX): value for key, value in config.items() if key.startswith(_PREFIX)}
