"""As much of PromQL as rules and panels use: which labels the answer of an expression has.

`promtool` judges whether an expression is valid and what it answers. It does not know the exporters' labels: an
expression that groups by a label that no series has is valid, and loses what it groups. That is judged here.
Source: Prometheus documentation 3, `querying/basics` and `querying/operators`, read 2026-11-22.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from eks_accelerators.monitoring.metrics import series
from eks_accelerators.monitoring.recording_rules import RecordingRule

Labels = frozenset[str]

_TOKEN = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:ms|[smhdwy](?:\d+[smhdwy])*)?)'
    r"|(?P<word>[a-zA-Z_:][a-zA-Z0-9_:]*)|(?P<sign>=~|!~|==|!=|>=|<=|[-+*/%^=<>(){}\[\],:@])"
)
_AGGREGATIONS = frozenset({"sum", "min", "max", "avg", "group", "count", "stddev", "stdvar"}) | frozenset(
    {"count_values", "bottomk", "topk", "quantile"}
)
_PRECEDENCE = {
    **dict.fromkeys(("or",), 1),
    **dict.fromkeys(("and", "unless"), 2),
    **dict.fromkeys(("==", "!=", "<=", "<", ">=", ">"), 3),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(("*", "/", "%"), 5),
}
_NO_LABELS: Labels = frozenset()


class ExpressionError(ValueError):
    """An expression that names what no series has, or that is not understood here."""


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """What an expression gives: labels, None of a number."""

    labels: Labels | None


def labels_of(expression: str, known: Mapping[str, Labels]) -> Labels:
    """The labels that the answer can have, where ``known`` has those of every series.

    Raises `ExpressionError` for a series or label that is not known where it is asked for.
    """
    return _Reader(expression, known).read().labels or _NO_LABELS


def known_series(recorded: Iterable[RecordingRule]) -> dict[str, Labels]:
    """The labels of every series that an expression may name: those of exporters, and what is recorded.

    Raises `ExpressionError` where a recording rule asks for a series or label that is not there.
    """
    known = {name: metric.series[name] for name, metric in series().items()}
    for rule in recorded:
        labels = labels_of(rule.expression, known).union(rule.labels)
        known[rule.name] = labels | known.get(rule.name, _NO_LABELS)
    return known


class _Reader:
    """Reads one expression."""

    def __init__(self, expression: str, known: Mapping[str, Labels]) -> None:
        self._expression, self._known = expression, known
        self._tokens = [*_tokens(expression), ""]
        self._at = 0

    def read(self) -> LabelledAnswer:
        answer = self._binary(1)
        if self._next:
            raise self._error(f"{self._next!r} was not expected")
        return answer

    @property
    def _next(self) -> str:
        return self._tokens[self._at]

    def _take(self, wanted: str = "") -> str:
        token = self._next
        if not token or (wanted and token != wanted):
            raise self._error(f"{wanted or 'more'!r} was expected in place of {token or 'the end'!r}")
        self._at += 1
        return token

    def _binary(self, lowest: int) -> LabelledAnswer:
        left = self._unary()
        while (strength := _PRECEDENCE.get(self._next, 0)) >= lowest:
            operator = self._take()
            if self._next == "bool":
                self._take()
            matching = self._take() if self._next in ("on", "ignoring") else ""
            by = self._names() if matching else _NO_LABELS
            many = self._take() if self._next in ("group_left", "group_right") else ""
            extra = self._names() if many and self._next == "(" else _NO_LABELS
            right = self._binary(strength + 1)
            left = self._joined(operator, left, right, matching, by, many, extra)
        return left

    def _joined(
        self,
        operator: str,
        left: LabelledAnswer,
        right: LabelledAnswer,
        matching: str,
        by: Labels,
        many: str,
        extra: Labels,
    ) -> LabelledAnswer:
        if left.labels is None or right.labels is None:
            return right if left.labels is None else left
        if matching == "on":
            self._must_have(by, left.labels, right.labels)
        elif operator != "or" and left.labels - by != right.labels - by:
            apart = ", ".join(sorted((left.labels - by) ^ (right.labels - by)))
            raise self._error(f"both sides of {operator} have to match, and {apart} is on one of them only")
        if operator == "or":
            return LabelledAnswer(left.labels | right.labels)
        if operator in ("and", "unless"):
            return left
        if many:
            more, one = (left, right) if many == "group_left" else (right, left)
            self._must_have(extra, one.labels or _NO_LABELS)
            return LabelledAnswer((more.labels or _NO_LABELS) | extra)
        return LabelledAnswer(by if matching == "on" else left.labels - by)

    def _unary(self) -> LabelledAnswer:
        if self._next in ("-", "+"):
            self._take()
        answer = self._primary()
        while self._next in ("[", "offset", "@"):
            if self._take() == "[":
                while self._take() != "]":
                    pass
            else:
                self._take()
        return answer

    def _primary(self) -> LabelledAnswer:
        word = self._take()
        if word == "(":
            answer = self._binary(1)
            self._take(")")
            return answer
        if word[:1].isdigit() or word.startswith('"') or word in ("Inf", "NaN"):
            return LabelledAnswer(None)
        if word in _AGGREGATIONS:
            return self._aggregated()
        if self._next == "(":
            return self._called(word)
        return self._selected(word)

    def _aggregated(self) -> LabelledAnswer:
        word = self._take() if self._next in ("by", "without") else ""
        by = self._names() if word else _NO_LABELS
        *_, answer = self._arguments()
        if not word and self._next in ("by", "without"):
            word, by = self._take(), self._names()
        labels = answer.labels or _NO_LABELS
        if word == "without":
            return LabelledAnswer(labels - by)
        self._must_have(by, labels)
        return LabelledAnswer(by)

    def _called(self, function: str) -> LabelledAnswer:
        begin = self._at
        arguments = list(self._arguments())
        if function in ("time", "scalar", "pi"):
            return LabelledAnswer(None)
        if function == "vector":
            return LabelledAnswer(_NO_LABELS)
        vectors = [argument.labels for argument in arguments if argument.labels is not None]
        labels = vectors[0] if vectors else _NO_LABELS
        if function in ("label_replace", "label_join"):
            texts = [token.strip('"') for token in self._tokens[begin : self._at] if token.startswith('"')]
            made, _, *sources = texts[1 - len(arguments) :]
            self._must_have(frozenset(sources[:1] if function == "label_replace" else sources), labels)
            return LabelledAnswer(labels | {made})
        return LabelledAnswer(labels - {"le"} if function == "histogram_quantile" else labels)

    def _arguments(self) -> Iterator[LabelledAnswer]:
        self._take("(")
        while self._next != ")":
            yield self._binary(1)
            if self._next == ",":
                self._take()
        self._take(")")

    def _selected(self, name: str) -> LabelledAnswer:
        asked = set()
        if self._next == "{":
            self._take()
            while self._next != "}":
                asked.add(self._take())
                self._take()
                self._take()
                if self._next == ",":
                    self._take()
            self._take("}")
        if name not in self._known:
            raise self._error(f"no exporter is configured to emit {name}")
        labels = frozenset(self._known[name])
        self._must_have(frozenset(asked), labels)
        return LabelledAnswer(labels)

    def _names(self) -> Labels:
        self._take("(")
        found = set()
        while self._next != ")":
            found.add(self._take())
            if self._next == ",":
                self._take()
        self._take(")")
        return frozenset(found)

    def _must_have(self, asked: Labels, *labels: Labels) -> None:
        for each in labels:
            if missing := asked - each:
                raise self._error(f"no label {', '.join(sorted(missing))}; there are {', '.join(sorted(each))}")

    def _error(self, message: str) -> ExpressionError:
        return ExpressionError(f"{message}, in {self._expression}")


def _tokens(expression: str) -> Iterator[str]:
    at = 0
    while at < len(expression):
        if expression[at].isspace():
            at += 1
        elif found := _TOKEN.match(expression, at):
            yield found.group()
            at = found.end()
        else:
            raise ExpressionError(f"{expression[at]!r} is not understood, in {expression}")
