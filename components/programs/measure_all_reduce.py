"""Measures all-reduce over all ranks, with the NCCL that training uses, and prints the table of nccl-tests.

nccl-tests needs MPI to measure between nodes, and MPI a way from pod to pod by SSH. This runs under `torchrun` in place of that, and
its lines are read as those of `all_reduce_perf` are. Bandwidths are in 10^9 bytes a second; bus bandwidth is
algorithm bandwidth times 2 (n - 1) / n. Every element is compared with what the sum must be.

Environment: RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT. Runs on CPUs too (gloo).
Source of the columns and of the factor: nccl-tests 2.19.6, `src/util.cu`, `doc/PERFORMANCE.md`, read 2026-11-22.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
import torch.distributed as dist


def sizes(smallest: int, largest: int) -> Iterator[int]:
    """Powers of two, in bytes."""
    while smallest <= largest:
        yield smallest
        smallest *= 2


def timed(data: Any, rounds: int, wait: Callable[[], None]) -> float:
    """Seconds of one all-reduce: the mean of some, of the rank that took longest."""
    for _ in range(2):
        dist.all_reduce(data)
    wait()
    dist.barrier()
    began = time.perf_counter()
    for _ in range(rounds):
        dist.all_reduce(data)
    wait()
    seconds = torch.tensor([(time.perf_counter() - began) / rounds], device=data.device)
    dist.all_reduce(seconds, op=dist.ReduceOp.MAX)
    return float(seconds.item())


def wrong(count: int, device: Any, rank: int, ranks: int) -> int:
    """Elements that are not the sum of all ranks, on the rank that has most of them."""
    data = torch.full((count,), float(rank + 1), device=device)
    dist.all_reduce(data)
    bad = (data != ranks * (ranks + 1) / 2).sum().float().reshape(1)
    dist.all_reduce(bad, op=dist.ReduceOp.MAX)
    return int(bad.item())


def columns(size: int, seconds: float, ranks: int, bad: int) -> str:
    """Time, algorithm and bus bandwidth, wrong elements."""
    algorithm = size / seconds / 1e9
    return f"  {seconds * 1e6:7.2f}  {algorithm:6.2f}  {algorithm * 2 * (ranks - 1) / ranks:6.2f}  {bad:6d}"


def main(arguments: Sequence[str]) -> int:
    """Read the command line, measure."""
    parser = argparse.ArgumentParser(description="Measures all-reduce")
    parser.add_argument("--smallest", type=int, default=2**20, help="bytes")
    parser.add_argument("--largest", type=int, default=2**34, help="bytes")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args(arguments)
    on_gpu = torch.cuda.is_available()
    if on_gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    device = torch.device("cuda" if on_gpu else "cpu")
    dist.init_process_group("nccl" if on_gpu else "gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()

    def say(text: str) -> None:
        if rank == 0:
            print(text, flush=True)

    say(f"# all-reduce by torch {torch.__version__}, {ranks} ranks, {dist.get_backend()}")
    say(
        "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong"
    )
    say(
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)"
    )
    out_of_bounds, total, rows = 0, 0.0, 0
    for size in sizes(options.smallest, options.largest):
        count = size // 4
        data = torch.zeros(count, device=device)
        bad = wrong(count, device, rank, ranks)
        halves = [timed(data, options.rounds, torch.cuda.synchronize if on_gpu else lambda: None) for _ in range(2)]
        say(
            f"{size:12d}  {count:12d}     float     sum      -1"
            + "".join(columns(size, each, ranks, bad) for each in halves)
        )
        out_of_bounds += bad
        total += sum(size / each / 1e9 * 2 * (ranks - 1) / ranks for each in halves) / 2
        rows += 1
    say(f"# Out of bounds values : {out_of_bounds} {'FAILED' if out_of_bounds else 'OK'}")
    say(f"# Avg bus bandwidth    : {total / rows:g}" if rows else "# Avg bus bandwidth    : 0")
    dist.destroy_process_group()
    return 1 if out_of_bounds else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
