"""One simulated server at work: its queue, its batch, its KV cache, and what it says of itself.

It goes from event to event: the end of a step in which prompts are read, the end of a sequence, a KV cache that is full. In
between all sequences of the batch get their tokens at one speed, so that only their common count is kept.
"""

import heapq
import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from eks_accelerators.simulator.load.model_server import ServerModel
from eks_accelerators.simulator.load.tally import Tally
from eks_accelerators.simulator.metrics.servers import ServerState

_LONGEST_RUN = 64.0
"""Steps that are made with the mean of their KV cache, which grows meanwhile."""
_ALMOST = 1e-6
"""Of a step: less is left by arithmetic alone."""


@dataclass(slots=True, eq=False)
class LoadRequest:
    """One request. Moments are seconds of simulated time; None of what has not happened."""

    arrived: float
    prompt: int
    output: int
    admitted: float | None = None
    first_token: float | None = None
    finished: float | None = None


@dataclass(slots=True, order=True)
class _Sequence:
    """A request in the batch. It ends when the batch's count of tokens has come to ``until``."""

    until: float
    number: int
    request: LoadRequest = field(compare=False)
    base: float = field(compare=False)
    """Its context, less the count."""


@dataclass(slots=True)
class _Prompt:
    """A request whose prompt is being read, and after a preemption what was answered already."""

    request: LoadRequest
    answered: float
    left: float

    @property
    def tokens(self) -> float:
        return self.request.prompt + self.answered


class QueueingServer:
    """One server, from its start on. ``began`` is in seconds of simulated time."""

    def __init__(self, model: ServerModel, began: float) -> None:
        self.model = model
        self.due = math.inf
        """When something happens next, as long as nobody else on the GPU begins or ends."""
        self.tally = Tally()
        self._at = began
        self._waiting: deque[_Prompt] = deque()
        self._prompts: list[_Prompt] = []
        self._batch: list[_Sequence] = []
        self._joined = 0
        self._count = 0.0
        """Tokens that a sequence would have got which was there from the beginning."""
        self._base = 0.0
        """Sum of the sequences' own."""
        self._steps, self._gpu_seconds, self._busy = 0.0, 0.0, 1
        self._reads = False

    @property
    def running(self) -> int:
        """Number of requests that it works at."""
        return len(self._prompts) + len(self._batch)

    @property
    def waiting(self) -> int:
        """Number of requests in its queue."""
        return len(self._waiting)

    @property
    def is_busy(self) -> bool:
        """Whether it has any request."""
        return bool(self._prompts or self._batch or self._waiting)

    def accept(self, request: LoadRequest, now: float) -> None:
        """Take a request. A step in which prompts are read goes on to its end."""
        self._go_on(now)
        self._waiting.append(_Prompt(request, 0.0, float(request.prompt)))
        if not self._reads and self._admits():
            self._steps = 0.0
        self._foresee()

    def share_with(self, busy: int, now: float) -> None:
        """Go on until ``now``, and from then on with so many servers at work on the GPU, this one among them."""
        self._go_on(now)
        self._busy = busy
        self._foresee()

    def advance(self, now: float) -> list[LoadRequest]:
        """Go on until ``now``, which is not after `due`. Returns the requests that it has answered."""
        self._go_on(now)
        if self._steps > _ALMOST:
            self._foresee()
            return []
        if self._reads:
            self._end_reading(now)
        finished = list(self._ended(now))
        self._begin(now)
        self._foresee()
        return finished

    def abandon(self) -> list[LoadRequest]:
        """Stop. Returns the requests that are not answered."""
        left = [each.request for each in (*self._waiting, *self._prompts)]
        left += [each.request for each in self._batch]
        self._waiting.clear()
        self._prompts, self._batch, self._base = [], [], 0.0
        self._steps, self.due = 0.0, math.inf
        return left

    def state(self, now: float) -> ServerState:
        """What its metrics say at the simulated second ``now``."""
        read = sum(prompt.tokens - prompt.left for prompt in self._prompts)
        usage = (self._context + read) / self.model.kv_tokens
        return self.tally.state(now, running=self.running, waiting=self.waiting, kv_cache_usage=usage)

    @property
    def _context(self) -> float:
        """Tokens of all sequences of the batch."""
        return self._base + len(self._batch) * self._count

    @property
    def _step_seconds(self) -> float:
        return self.model.step_seconds(self._gpu_seconds, self._busy)

    def _go_on(self, now: float) -> None:
        """Make the steps that are done by ``now``."""
        if self._steps > 0 and now > self._at:
            seconds = self._step_seconds
            done = min(self._steps, (now - self._at) / seconds)
            self._steps -= done
            self._count += done
            self.tally.worked(now, done, seconds, self._gpu_seconds, len(self._batch))
        self._at = max(self._at, now)

    def _foresee(self) -> None:
        self.due = self._at + max(self._steps, 0.0) * self._step_seconds if self.is_busy else math.inf

    def _begin(self, now: float) -> None:
        """Decide on the next steps: prompts first, then tokens until something changes."""
        self._make_room()
        while self._admits():
            prompt = self._waiting.popleft()
            self._prompts.append(prompt)
            if prompt.request.admitted is None:
                prompt.request.admitted = now
                self.tally.queue = self.tally.queue.with_value(now - prompt.request.arrived)
                self.tally.prompt_tokens += prompt.request.prompt
        self._reads = bool(self._prompts)
        sequences = len(self._batch)
        if self._reads:
            tokens = self._read(self.model.batched_tokens - sequences)
            context = self._context + sum(prompt.tokens - prompt.left for prompt in self._prompts)
            self._steps, self._gpu_seconds = 1.0, self.model.gpu_seconds(tokens + sequences, context)
        elif sequences:
            room = max(1.0, (self.model.kv_tokens - self._context) / sequences)
            self._steps = min(self._batch[0].until - self._count, _LONGEST_RUN, room)
            context = self._context + sequences * self._steps / 2
            self._gpu_seconds = self.model.gpu_seconds(sequences, context)
        else:
            self._steps = 0.0

    def _admits(self) -> bool:
        """Whether the next request that waits has a slot, and its prompt room in the KV cache."""
        if not self._waiting or self.running >= self.model.slots:
            return False
        taken = self._context + sum(prompt.tokens for prompt in self._prompts)
        return taken + self._waiting[0].tokens + 1 <= self.model.kv_tokens

    def _read(self, tokens: float) -> float:
        """Read so many tokens of prompts, the first first; returns how many there were."""
        left = tokens
        for prompt in self._prompts:
            some = min(prompt.left, left)
            prompt.left -= some
            left -= some
        return tokens - left

    def _end_reading(self, now: float) -> None:
        """Prompts that were read to their end have their first token, and are in the batch from here on."""
        for prompt in [each for each in self._prompts if each.left <= 0]:
            self._prompts.remove(prompt)
            request, got = prompt.request, prompt.answered + 1
            self.tally.generation_tokens += 1
            if request.first_token is None:
                request.first_token = now
                self.tally.first_token = self.tally.first_token.with_value(now - request.arrived)
            self._joined += 1
            base = request.prompt + got - self._count
            heapq.heappush(self._batch, _Sequence(self._count + request.output - got, self._joined, request, base))
            self._base += base

    def _ended(self, now: float) -> Iterator[LoadRequest]:
        while self._batch and self._batch[0].until <= self._count + _ALMOST:
            request = self._leave(0).request
            request.finished = now
            self.tally.ended("stop", now - request.arrived)
            yield request

    def _make_room(self) -> None:
        """Put back the sequences that came last where the KV cache has no token left for each: their work is done anew."""
        while len(self._batch) > 1 and self._context + len(self._batch) > self.model.kv_tokens:
            at = max(range(len(self._batch)), key=lambda index: self._batch[index].number)
            last = self._leave(at)
            answered = last.base + self._count - last.request.prompt
            self._waiting.appendleft(_Prompt(last.request, answered, last.request.prompt + answered))
            self.tally.preemptions += 1

    def _leave(self, index: int) -> _Sequence:
        sequence = self._batch[index]
        self._batch[index] = self._batch[-1]
        self._batch.pop()
        heapq.heapify(self._batch)
        self._base -= sequence.base
        if not self._batch:
            self._base = 0.0  # arithmetic leaves a rest
        return sequence
