"""From a stack file, or from the engine's configuration, to checked settings."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from eks_accelerators.accelerators import clock, instance_types
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings import secret_keys, stack_file
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.own_facts import NO_FACTS, OwnFacts, own_facts
from eks_accelerators.settings.paths import Part, dotted, split
from eks_accelerators.settings.problems import Problem, SettingsError, Severity, errors
from eks_accelerators.settings.project import project_folder
from eks_accelerators.settings.resolved_stack import ResolvedStack, resolve_stack
from eks_accelerators.settings.validation import validate

PROJECT = stack_file.PROJECT
"""The project's name in Pulumi.yaml, which is the namespace of its keys in a stack file."""

_SET_SECRET = "run `pulumi config set --secret {name}`"  # noqa: S105  (a command, no secret)


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of checking: the resolved stack where the shape of its settings is right, and every problem.

    ``unset_secrets`` are Pulumi secrets that the settings name and the configuration does not hold.
    """

    stack: ResolvedStack | None
    problems: tuple[Problem, ...]
    unset_secrets: tuple[str, ...] = ()

    @property
    def settings(self) -> Settings | None:
        """The settings as they are written; None where their shape is wrong."""
        return self.stack.settings if self.stack else None

    def require(self) -> ResolvedStack:
        """The stack; raises `SettingsError` with every problem where any of them is an error."""
        if self.stack is None or errors(self.problems):
            raise SettingsError(self.problems)
        return self.stack

    def require_secrets(self) -> None:
        """Raise `SettingsError` where a Pulumi secret that the settings name is not set."""
        if self.unset_secrets:
            raise SettingsError(unset_secret(name, Severity.ERROR) for name in self.unset_secrets)


def unset_secret(name: str, severity: Severity) -> Problem:
    """The problem that the secret ``name`` is named by the settings and not set."""
    return Problem(
        "secret-unset",
        severity,
        name,
        "the settings name this Pulumi secret, and it is not set",
        "nothing",
        "a Pulumi secret",
        _SET_SECRET.format(name=name),
    )


def load_stack_file(path: Path, now: datetime | None = None) -> Checked:
    """Check the stack file at ``path``, with the user's own facts beside it. Never raises for what the file says."""
    instance_types.begin()
    try:
        source = stack_file.read(path)
    except SettingsError as error:
        return Checked(None, error.problems)
    prefix = f"{PROJECT}:"

    def line_of(path: str) -> int | None:
        if path in source.config:
            return source.line_of(path, ())
        if path in source.outside:
            return source.outside[path]
        parts = split(path) or ("",)
        head = "aws:region" if parts[0] == "region" else f"{prefix}{parts[0]}"
        return source.line_of(head, parts[1:])

    values = {key[len(prefix) :]: value for key, value in source.config.items() if key.startswith(prefix)}
    secrets = {key for key, value in values.items() if _is_secure(value)}
    values = {key: _decoded(key, value) for key, value in values.items()}
    stray = (*_outside_config(source.outside), *_stray_namespaces(source.config))
    own = own_facts(project_folder(path.resolve().parent))
    checked = parse(values, source.config.get("aws:region"), secrets, now=now, stray=stray, own=own)
    return replace(checked, problems=tuple(replace(p, line=line_of(p.path)) for p in checked.problems))


def load_engine_config(config: Mapping[str, str], secret_keys: set[str], project: str) -> Checked:
    """Check the configuration that the Pulumi engine hands to a program: every value as text.

    The user's own facts are in the working directory, which is the program's folder.
    """
    instance_types.begin()
    prefix = f"{project}:"
    values = {key[len(prefix) :]: value for key, value in config.items() if key.startswith(prefix)}
    secrets = {key[len(prefix) :] for key in secret_keys if key.startswith(prefix)}
    decoded = {key: _decoded(key, value) for key, value in values.items()}
    return parse(decoded, config.get("aws:region"), secrets, own=own_facts(Path.cwd()))


def parse(
    values: Mapping[str, Any],
    region: Any,
    secrets: set[str] | frozenset[str] = frozenset(),
    *,
    now: datetime | None = None,
    stray: tuple[Problem, ...] = (),
    own: OwnFacts = NO_FACTS,
) -> Checked:
    """Check the project's configuration.

    ``values`` has the keys of the stack file without the namespace; ``secrets`` names those whose
    values are Pulumi secrets, which are neither read nor shown. ``now`` is the time that start and
    end dates are held against. ``own`` are the user's own facts.
    """
    from eks_accelerators.settings.partial import problems_elsewhere
    from eks_accelerators.settings.rules import check

    fields = {field.alias for field in Settings.model_fields.values()}
    misplaced = () if "region" not in values else (_REGION_WITHOUT_PROVIDER,)
    given = {key: value for key, value in values.items() if value is not None and (key in fields or key not in secrets)}
    named = _named_secrets(values)
    plain_secrets = {key for key in given if key in named and key not in fields}
    secure_settings = {key for key in given if key in fields and key in secrets}
    for key in plain_secrets | secure_settings | {"region"} & given.keys():
        del given[key]
    problems = [
        *stray,
        *own.problems,
        *misplaced,
        *(_plain_secret(key) for key in sorted(plain_secrets)),
        *(_secure_setting(key) for key in sorted(secure_settings)),
    ]
    problems += [_nested_secret(path) for path in _nested_secrets(given)]
    whole = {**given, "region": region} if region is not None else given
    now = now or clock.now()
    result = validate(whole)
    if isinstance(result, tuple):
        hidden = {problem.path for problem in problems} | {problem.path.rpartition(":")[2] for problem in problems}
        problems += [problem for problem in result if problem.path not in hidden]
        return Checked(None, (*problems, *problems_elsewhere(whole, now, own.types)))
    stack = resolve_stack(result, own.types)
    problems += check(stack, now)
    return Checked(stack, tuple(problems), tuple(sorted(named - secrets - plain_secrets)))


def _is_secure(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"secure"}


def _decoded(key: str, value: Any) -> Any:
    """What a setting is: text may hold the JSON of one, and empty text is none, which is what the CLI makes of null."""
    if not isinstance(value, str) or key == "owner":
        return value
    try:
        return json.loads(value) if value else None
    except (ValueError, RecursionError):
        return value


def _named_secrets(values: Mapping[str, Any]) -> set[str]:
    """Pulumi secrets that settings name, read leniently: the values may yet be of any shape, and nested deeply."""
    names, pending = set(), [values]
    while pending:
        for key, child in pending.pop().items():
            if isinstance(child, Mapping):
                pending.append(child)
                name = child.get("configSecret")
                if isinstance(name, str) and secret_keys.is_key(key):
                    names.add(name)
    return names


def _nested_secrets(values: Mapping[str, Any]) -> Iterator[tuple[Part, ...]]:
    """Paths of secrets inside ``values``, which are none themselves; without recursion, as they may be nested deeply."""
    pending: list[tuple[tuple[Part, ...], Any]] = [((key,), child) for key, child in reversed(list(values.items()))]
    while pending:
        path, value = pending.pop()
        if _is_secure(value):
            yield path
        elif isinstance(value, dict):
            pending += [((*path, key), child) for key, child in reversed(value.items())]
        elif isinstance(value, list):
            pending += [((*path, index), child) for index, child in enumerate(value)]


def _nested_secret(path: tuple[Part, ...]) -> Problem:
    key = next((key for part in path[-2:] if (key := secret_keys.meant(part))), None)
    name = secret_keys.usual_name(key) if key else ""
    return Problem(
        "secret-inline",
        Severity.ERROR,
        dotted(path),
        "a secret inside another value would make all of it secret",
        "[secret]",
        "a secret under a name of its own" if key else "a plain value",
        f"{_SET_SECRET.format(name=name)} and name it by `configSecret`"
        if key
        else f"remove the secret and write `{path[-1]}` in plain text",
    )


def _plain_secret(key: str) -> Problem:
    return Problem(
        "secret-inline",
        Severity.ERROR,
        key,
        "this value must be a Pulumi secret",
        "[hidden]",
        "secure: ...",
        _SET_SECRET.format(name=key),
    )


def _secure_setting(key: str) -> Problem:
    return Problem(
        "secret-inline",
        Severity.ERROR,
        key,
        "this setting is not secret, and must be readable",
        "[secret]",
        "a plain value",
        f"remove the secret and write `{key}` in plain text",
    )


_REGION_WITHOUT_PROVIDER = Problem(
    "unknown-namespace",
    Severity.ERROR,
    f"{PROJECT}:region",
    "the region is a setting of the AWS provider",
    PROJECT,
    "aws:region",
    "write `aws:region`",
)


def _outside_config(keys: Iterable[str]) -> Iterator[Problem]:
    """Settings beside `config`, where Pulumi does not look for them."""
    fields = {str(field.alias) for field in Settings.model_fields.values()}
    for key in keys:
        if key in fields or key.startswith((f"{PROJECT}:", "aws:")):
            yield Problem(
                "unknown-key",
                Severity.ERROR,
                key,
                f"`{key}` stands beside `config`, where nobody reads it",
                key,
                "config",
                "indent it, so that it is below `config:`",
            )


def _stray_namespaces(config: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Keys of ours, or nearly so, in a namespace that is nobody's: those of other providers stay as they are."""
    known = {PROJECT, "aws", "pulumi", "kubernetes", "eks"}
    fields = [str(field.alias) for field in Settings.model_fields.values()]
    problems = []
    for key in config:
        namespace, _, name = key.partition(":")
        if namespace not in known and (closest(namespace, [PROJECT]) or name in fields):
            whole = "aws:region" if name == "region" else f"{PROJECT}:{name}"
            problems.append(
                Problem(
                    "unknown-namespace",
                    Severity.ERROR,
                    key,
                    f"no setting has the namespace `{namespace}`",
                    namespace,
                    PROJECT,
                    f"write `{whole}`",
                )
            )
    return tuple(problems)
