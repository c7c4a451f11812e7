r"""PyYAML's parser, made to accept what the plugin's parser accepts, which is a port of the C library.

PyYAML refuses tabs where the C library takes them for blanks, and takes `{a:{}}` and the escape `\/`, which the port
refuses. Source: `scannerc.go` of `go.yaml.in/yaml/v2` v2.4.3, read 2026-11-21.
"""

from typing import Any

import yaml
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError

_BREAKS = "\r\n\x85\u2028\u2029"
_BLANKS = " \t"
_ENDS = "\0" + _BLANKS + _BREAKS


class Events(Reader, Scanner, Parser):
    """The events of a text, without what makes values of them."""

    ESCAPE_REPLACEMENTS = {  # type: ignore[misc]
        "'": "'",
        **{key: value for key, value in Scanner.ESCAPE_REPLACEMENTS.items() if key != "/"},
    }

    def __init__(self, raw: bytes) -> None:
        Reader.__init__(self, raw)
        Scanner.__init__(self)
        Parser.__init__(self)

    def scan_to_next_token(self) -> None:
        """Skip blanks, comments and breaks; tabs too where no key can begin."""
        if self.index == 0 and self.peek() == "\ufeff":
            self.forward()
        while True:
            while self.peek() == " " or (self.peek() == "\t" and (self.flow_level or not self.allow_simple_key)):
                self.forward()
            if self.peek() == "#":
                while self.peek() not in "\0" + _BREAKS:
                    self.forward()
            if not self._break():
                return
            if not self.flow_level:
                self.allow_simple_key = True

    def scan_directive(self) -> Any:
        """A directive, of which there are two."""
        token = super().scan_directive()
        if token.name not in ("YAML", "TAG"):
            raise ScannerError("while scanning a directive", token.start_mark, "found unknown directive name", None)
        return token

    def scan_block_scalar_indicators(self, start_mark: Any) -> tuple[bool | None, int | None]:
        """What follows `|` or `>`: chomping and indentation, in either order."""
        chomping, increment = None, None
        for _ in range(2):
            if chomping is None and self.peek() in "+-":
                chomping = self.peek() == "+"
                self.forward()
            elif increment is None and self.peek() in "0123456789":
                increment = int(self.peek())
                if not increment:
                    problem = "found an indentation indicator equal to 0"
                    raise ScannerError("while scanning a block scalar", start_mark, problem, self.get_mark())
                self.forward()
        return chomping, increment

    def scan_block_scalar_ignored_line(self, start_mark: Any) -> None:
        """Blanks and a comment, to the end of the line."""
        while self.peek() in _BLANKS:
            self.forward()
        if self.peek() == "#":
            while self.peek() not in "\0" + _BREAKS:
                self.forward()
        if self.peek() not in "\0" + _BREAKS:
            problem = "did not find expected comment or line break"
            raise ScannerError("while scanning a block scalar", start_mark, problem, self.get_mark())
        self._break()

    def scan_block_scalar_indentation(self) -> Any:
        """Breaks and blanks before the first line with text, whose indentation is everybody's."""
        found = super().scan_block_scalar_indentation()
        self._refuse_tab()
        return found

    def scan_block_scalar_breaks(self, indent: int) -> Any:
        """Breaks and indentation before a line."""
        found = super().scan_block_scalar_breaks(indent)
        if self.column < indent:
            self._refuse_tab()
        return found

    def _refuse_tab(self) -> None:
        if self.peek() == "\t":
            problem = "found a tab character where an indentation space is expected"
            raise ScannerError("while scanning a block scalar", self.get_mark(), problem, self.get_mark())

    def scan_plain(self) -> Any:
        """A plain scalar: over several lines, its breaks are folded."""
        start = end = self.get_mark()
        indent = self.indent + 1
        text, between, broken = "", "", False
        while not (self.peek() == "#" or self._at_document_marker()):
            length = 0
            while not self._ends_plain(length):
                length += 1
            if length:
                text += between + self.prefix(length)
                self.forward(length)
                end, broken = self.get_mark(), False
            if self.peek() not in _BLANKS + _BREAKS:
                break
            between, broken = self._between_words(indent, start)
            if not self.flow_level and self.column < indent:
                break
        self.allow_simple_key = broken
        return yaml.ScalarToken(text, True, start, end)

    def _at_document_marker(self) -> bool:
        return self.column == 0 and self.prefix(3) in ("---", "...") and self.peek(3) in _ENDS

    def _ends_plain(self, at: int) -> bool:
        character = self.peek(at)
        if character in _ENDS or (character == ":" and self.peek(at + 1) in _ENDS):
            return True
        return bool(self.flow_level) and character in ",?[]{}"

    def _between_words(self, indent: int, start: Any) -> tuple[str, bool]:
        """What stands for the blanks and breaks that follow, and whether there was a break."""
        blanks, breaks = "", []
        while self.peek() in _BLANKS + _BREAKS:
            if self.peek() in _BREAKS:
                breaks.append(self._break())
                continue
            if breaks and self.column < indent and self.peek() == "\t":
                problem = "found a tab character that violates indentation"
                raise ScannerError("while scanning a plain scalar", start, problem, self.get_mark())
            blanks += self.peek()
            self.forward()
        if not breaks:
            return blanks, False
        first, *others = breaks
        if first != "\n":
            return first + "".join(others), True
        return "".join(others) or " ", True

    def _break(self) -> str:
        found: str = self.scan_line_break()  # type: ignore[no-untyped-call]
        return found
