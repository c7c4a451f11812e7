"""Which labels of objects kube-state-metrics shows, as its flag `--metric-labels-allowlist` says; without it none.

Source: kubernetes/kube-state-metrics v2.20.0, `LabelsAllowList.Set` of `pkg/options/types.go`, `allowList` of
`internal/store/builder.go`, `createPrometheusLabelKeysValues` of `internal/store/utils.go`; read 2026-11-23. Left out: two keys that are
spelt alike in Prometheus, which it numbers; a text of another form, with which it does not start, names no label here.
"""

import re
from collections.abc import Mapping, Sequence

FLAG = "--metric-labels-allowlist="
_ALL = "*"
_KIND = re.compile(r"([^,=\[\]]+)=\[([^\[\]]*)\]")


def allowed_keys(text: str, kind: str) -> tuple[str, ...]:
    """The keys and patterns that the flag's ``text`` allows for a ``kind``, such as `nodes`; those of `*` are for every kind."""
    kinds = {name.strip(): keys for name, keys in _KIND.findall(text)}
    keys = kinds.get(_ALL, kinds.get(kind, ""))
    return tuple(key.strip() for key in keys.split(",")) if keys else ()


def shown_labels(labels: Mapping[str, str], allowed: Sequence[str]) -> dict[str, str]:
    """Those of an object's ``labels`` that are ``allowed``. `*` alone is all, where it is first; within a key it is any text."""
    if allowed and allowed[0] == _ALL:
        return dict(labels)
    patterns = [_pattern(key) for key in allowed if key != _ALL]
    return {key: value for key, value in labels.items() if any(each.fullmatch(key) for each in patterns)}


def _pattern(key: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, key.split(_ALL))))
