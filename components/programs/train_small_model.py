"""Trains a small model on data that it makes itself: to see a cluster train, and to see what a program has to do.

What a program has to do: take its rank from the environment that `torchrun` sets; keep checkpoints that are whole or not there,
and begin from the newest whole one; look at every step whether it is asked to end (STOP_FILE), all ranks together, and where it
does, leave STOP_FILE on every node and end with status 0; compute in the PRECISION asked for. The data of a step follow from its number and the rank, so that a run that was interrupted
comes to the same loss as one that was not.

A checkpoint is a file that is never renamed or written twice, and a second one beside it that says it is whole, as on S3
by Mountpoint no file can be renamed. Environment: RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT; CHECKPOINTS (a
folder), STOP_FILE, PRECISION (fp32, tf32, bf16, fp16 or fp8), ACCELERATOR (`neuron` on Trainium). Runs on CPUs too, with torch
from 1.13 on. What it does on Neuron follows the documentation of torch-neuronx and was not tried.
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

KEPT = 2
"""Checkpoints that stay; older ones go."""


class Checkpoints:
    """Whole states in a folder that all ranks see. Rank 0 writes, all read."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    def save(self, step: int, state: dict[str, Any]) -> None:
        """Write the state after so many steps. Whoever ends in the middle leaves the one before as the newest."""
        self.folder.mkdir(parents=True, exist_ok=True)
        buffer = io.BytesIO()
        torch.save(state, buffer)
        content = buffer.getvalue()
        digest = hashlib.sha256(content).hexdigest()
        data = self.folder / f"step-{step:09}-{digest[:12]}.pt"
        if not data.exists() or data.stat().st_size != len(content):
            _write(data, content)
        whole = self.folder / f"step-{step:09}.json"
        if not whole.exists():
            _write(whole, json.dumps({"step": step, "file": data.name, "sha256": digest}).encode())
        self._forget_old()

    def load(self) -> dict[str, Any] | None:
        """The newest state that is whole; None where there is none."""
        for whole in sorted(self.folder.glob("step-*.json"), reverse=True):
            with contextlib.suppress(OSError, ValueError, KeyError):
                said = json.loads(whole.read_text())
                content = (self.folder / said["file"]).read_bytes()
                if hashlib.sha256(content).hexdigest() == said["sha256"]:
                    state: dict[str, Any] = torch.load(io.BytesIO(content), map_location="cpu")
                    return state
        return None

    def _forget_old(self) -> None:
        for whole in sorted(self.folder.glob("step-*.json"), reverse=True)[KEPT:]:
            with contextlib.suppress(OSError):  # a bucket may refuse: then it stays
                for file in (whole, *self.folder.glob(f"{whole.stem}-*.pt")):
                    file.unlink()


def _write(file: Path, content: bytes) -> None:
    with file.open("wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())


class Device:
    """Where a rank computes, and what differs there."""

    def __init__(self) -> None:
        self.device: Any
        self.neuron = os.environ.get("ACCELERATOR") == "neuron"
        if self.neuron:
            import torch_xla.core.xla_model as xla
            import torch_xla.distributed.xla_backend  # noqa: F401  (registers the backend)

            self.xla, self.device, self.backend = xla, xla.xla_device(), "xla"
        elif torch.cuda.is_available():
            torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
            self.device, self.backend = torch.device("cuda", torch.cuda.current_device()), "nccl"
        else:
            self.device, self.backend = torch.device("cpu"), "gloo"

    def end_step(self) -> None:
        """XLA collects the operations of a step and runs them here."""
        if self.neuron:
            self.xla.mark_step()


class Precision:
    """How numbers are computed: what is around the forward pass, and whether gradients are scaled."""

    def __init__(self, name: str, device: Device) -> None:
        self.name = name
        self.type: str = device.device.type
        on_gpu = self.type == "cuda"
        if on_gpu:  # says so where it is not wanted, too: the default has changed between versions
            torch.set_float32_matmul_precision("high" if name == "tf32" else "highest")
        # Small float16 gradients become 0, so the loss is scaled; bfloat16 has the range of float32.
        scaler = torch.amp.GradScaler if hasattr(torch.amp, "GradScaler") else torch.cuda.amp.GradScaler
        self.scaler = scaler(enabled=on_gpu and name == "fp16")

    def forward(self) -> AbstractContextManager[Any]:
        """The context of the forward pass."""
        if self.name == "fp8":
            import transformer_engine.pytorch as engine

            context: AbstractContextManager[Any] = engine.fp8_autocast(enabled=True)
            return context
        if self.name in ("bf16", "fp16") and not (self.name == "fp16" and self.type == "cpu"):
            half = torch.bfloat16 if self.name == "bf16" else torch.float16
            return torch.autocast(self.type, dtype=half)  # type: ignore[no-any-return, unused-ignore]
        return contextlib.nullcontext()


def model(precision: str, width: int) -> Any:
    """Two layers; of Transformer Engine where it computes in FP8."""
    linear = torch.nn.Linear
    if precision == "fp8":
        import transformer_engine.pytorch as engine

        linear = engine.Linear
    return torch.nn.Sequential(linear(width, 4 * width), torch.nn.ReLU(), linear(4 * width, width))


def batch(step: int, rank: int, size: int, width: int) -> tuple[Any, Any]:
    """The data of one step and rank: what a fixed, hidden mixing of the inputs makes of them."""
    generator = torch.Generator().manual_seed(step * 100_003 + rank)
    inputs = torch.randn(size, width, generator=generator)
    hidden = torch.randn(width, width, generator=torch.Generator().manual_seed(7)) / width**0.5
    return inputs, torch.tanh(inputs @ hidden)


def asked_to_end(device: Device) -> bool:
    """Whether any rank is asked to end: all have to know at the same step, or the others would wait for it."""
    asked = torch.tensor([float(Path(os.environ.get("STOP_FILE", "/nonexistent")).exists())], device=device.device)
    dist.all_reduce(asked)
    device.end_step()
    return bool(asked.item() > 0)


def train(options: argparse.Namespace) -> None:
    """Train to the last step, or until asked to end."""
    device = Device()
    dist.init_process_group(device.backend)
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(1)  # all ranks begin with the same weights
    precision = Precision(os.environ.get("PRECISION", "fp32"), device)
    net = DistributedDataParallel(model(precision.name, options.width).to(device.device))
    optimizer = torch.optim.SGD(net.parameters(), lr=options.learning_rate, momentum=0.9)
    folder = os.environ.get("CHECKPOINTS")
    checkpoints = Checkpoints(folder) if folder else None
    first = _resume(checkpoints, net, optimizer, precision)
    if rank == 0:
        print(f"{ranks} ranks by {device.backend}, {precision.name}, from step {first} of {options.steps}", flush=True)
    if first >= options.steps:  # a finished run, begun again: there is no loss to tell
        if rank == 0:
            print(f"nothing is left of {options.steps} steps", flush=True)
        return

    loss = torch.zeros(())
    began = time.monotonic()
    for step in range(first, options.steps):
        inputs, wanted = (part.to(device.device) for part in batch(step, rank, options.batch, options.width))
        optimizer.zero_grad()
        with precision.forward():
            loss = torch.nn.functional.mse_loss(net(inputs).float(), wanted)
        precision.scaler.scale(loss).backward()
        precision.scaler.step(optimizer)
        precision.scaler.update()
        device.end_step()
        time.sleep(options.pause)
        done = step + 1
        ending = asked_to_end(device)
        if checkpoints and (ending or done % options.every == 0 or done == options.steps):
            if rank == 0:
                checkpoints.save(done, _state(done, net, optimizer, precision))
                print(f"step {done}: loss {loss.item():.6f}, saved", flush=True)
            dist.barrier()  # nobody ends, or goes on, before it is whole
        if ending:
            Path(os.environ["STOP_FILE"]).touch()  # on every node: this is no end of the training
            if rank == 0:
                print(f"ended at step {done}, as asked", flush=True)
            return
    dist.all_reduce(loss)
    if rank == 0:
        seconds = time.monotonic() - began
        print(f"finished {options.steps} steps: loss {loss.item() / ranks:.6f}, {seconds:.1f} seconds", flush=True)


def _state(step: int, net: Any, optimizer: Any, precision: Precision) -> dict[str, Any]:
    return {
        "step": step,
        "model": {name: value.cpu() for name, value in net.module.state_dict().items() if torch.is_tensor(value)},
        "optimizer": optimizer.state_dict(),
        "scaler": precision.scaler.state_dict(),
    }


def _resume(checkpoints: Checkpoints | None, net: Any, optimizer: Any, precision: Precision) -> int:
    """Take up the newest checkpoint; returns the step to begin with."""
    state = checkpoints.load() if checkpoints else None
    if state is None:
        return 0
    net.module.load_state_dict(state["model"], strict=False)
    optimizer.load_state_dict(state["optimizer"])
    precision.scaler.load_state_dict(state["scaler"])
    return int(state["step"])


def main(arguments: Sequence[str]) -> None:
    """Read the command line, train."""
    parser = argparse.ArgumentParser(description="Trains a small model")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--every", type=int, default=100, help="steps between checkpoints")
    parser.add_argument("--batch", type=int, default=64, help="samples of one rank and step")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=0.05)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds after each step")
    train(parser.parse_args(arguments))
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1:])
