"""Rules about caches of servers: one place that keeps it, and a storage that is fit for it."""

from collections.abc import Iterator

from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.model.storage import FsxLustre, NodeCache, S3Bucket, S3Files, Storage
from eks_accelerators.settings.model.workload import CacheVolume, Workload
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("cache-one-place")
def cache_one_place(context: Context) -> Iterator[RuleFinding]:
    """A cache lies on a storage, or on a volume of its own that has a size: not both, and in no directory outside."""
    for path, _, cache in _caches(context):
        of_its_own = {"sizeGib": cache.size_gib, "storageClass": cache.storage_class}
        extra = [key for key, value in of_its_own.items() if value is not None]
        if cache.storage and extra:
            yield RuleFinding(
                path,
                f"it lies on the storage {cache.storage}, whose size and class are the storage's",
                ", ".join(["storage", *extra]),
                "storage, or sizeGib with or without storageClass",
                f"remove {' and '.join(extra)}, or storage",
            )
        if cache.storage is None and cache.size_gib is None:
            yield RuleFinding(
                path,
                "it says neither a storage nor the size of a volume of its own",
                ", ".join(extra) or "neither",
                "storage, or sizeGib",
                "write storage: the name of a storage of this stack, or sizeGib",
            )
        if cache.sub_path is not None and cache.storage is None:
            yield RuleFinding(
                f"{path}.subPath",
                "a volume of its own is used whole",
                cache.sub_path,
                "nothing without storage",
                "remove subPath",
            )
        elif cache.sub_path is not None and ".." in cache.sub_path.split("/"):
            yield RuleFinding(
                f"{path}.subPath",
                "it leads out of the storage",
                cache.sub_path,
                "a relative directory without ..",
                "name a directory of the storage",
            )


@rule("cache-storage")
def cache_storage(context: Context) -> Iterator[RuleFinding]:
    """The storage of a cache is a file system that pods of all nodes write, with renames and locks, and that lets them write.

    Source: aws-neuron/aws-neuron-sdk, vllm-neuron/docs/design/compilation/compilation_cache.md (an NFS or FSx mount; lock files, entries
    renamed into place), and huggingface_hub's cache, which has locks and links; Mountpoint for Amazon S3, semantics (neither renames nor
    locks, nothing is changed). NIM runs as user 1000, and the kubelet, which is root, makes the directory: it gives no volume that is
    ReadWriteMany to an `fsGroup` where the `fsGroupPolicy` is ReadWriteOnceWithFSType, as it is of aws-fsx-csi-driver (chart of 1.10)
    and, by default, of aws-efs-csi-driver, which names none. An EFS of a stack has an access point, by which everybody is its `userId`.
    """
    for path, workload, cache in _caches(context):
        found = context.settings.storage.get(cache.storage or "")  # of one that is not there another rule speaks
        for _, storage in found.each() if found else ():
            if why := _unfit(workload, storage):
                others = "efs, s3Files or fsxLustre" if workload.RUNS_AS is None else "efs"
                yield RuleFinding(
                    f"{path}.storage",
                    f"{cache.storage} does not do for a cache: {why}",
                    str(cache.storage),
                    others,
                    "name a storage of such a kind",
                )


@rule("neuron-cache-filled-by-several", Severity.WARNING)
def neuron_cache_filled_by_several(context: Context) -> Iterator[RuleFinding]:
    """One compiles into a cache that several servers share: a Job before them, or the only server that runs at first.

    Source: aws-neuron/aws-neuron-sdk, vllm-neuron/docs/design/compilation/compilation_cache.md: its file locks are for the processes of
    one node, and what is compiled is read without a lock. Of locks in `NEURON_COMPILED_ARTIFACTS`, which is the old plugin's, nothing
    is documented.
    """
    for placed in context.stack.workloads:
        workload = placed.workload
        if not isinstance(workload, NeuronVllmWorkload) or workload.cache is None or workload.compile_ahead is not None:
            continue
        if placed.fit.most_replicas > 1 and not workload.cache.is_of_one_node:
            yield RuleFinding(
                f"{placed.path}.cache",
                f"{placed.fit.most_replicas} servers compile at a time into one directory, and whether their locks hold between "
                "nodes is not established",
                "no compileAhead",
                "one that compiles",
                "write compileAhead, where the nodes are Trainium2 or later, or deploy one replica first",
            )


def _unfit(workload: Workload, storage: Storage) -> str | None:
    """Why a cache cannot lie there; None where it can."""
    match storage:
        case S3Bucket():
            return "Mountpoint for S3 neither renames nor locks files, nor changes them"
        case NodeCache():
            return "each node has a directory of its own, which goes with it"
        case FsxLustre() | S3Files() if workload.RUNS_AS is not None:
            return f"the container runs as user {workload.RUNS_AS}, and the directory, which the kubelet makes, belongs to root"
    return None


def _caches(context: Context) -> Iterator[tuple[str, Workload, CacheVolume]]:
    for kind, name, workload in context.settings.workloads.each():
        for key, cache in workload.caches.items():
            yield f"workloads.{kind}.{name}.{key}", workload, cache
