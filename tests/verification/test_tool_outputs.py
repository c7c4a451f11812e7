"""What tools print, read: whole, as recorded shapes have it, and broken."""

import json

import pytest

from eks_accelerators.verification import dcgm_diag, nvidia_smi, tool_outputs
from eks_accelerators.verification.tools import Tool, ToolOutput, outputs, printed, script, tools_of

GPUS = """\
0, GPU-4404041a-04cf-1ccf-9e70-f139a9b1e23c, NVIDIA L4, 23034 MiB, 580.95.05, [N/A], Enabled
1, GPU-79a2ba02-a537-ccbf-2965-8e9d90c0bd54, NVIDIA L4, 23034 MiB, 580.95.05, [N/A], Disabled
"""
LISTED = """\
GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)
  MIG 1g.5gb      Device  0: (UUID: MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f)
  MIG 3g.20gb     Device  1: (UUID: MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb)
GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-c0e2b2ad-6a3f-4c2a-8a3e-0b4dbb1d0f1e)
"""
LINKS = """\
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)
\t Link 0: 26.562 GB/s
\t Link 1: <inactive>
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-2)
\t Link 0: 26.562 GB/s
\t Link 1: 26.562 GB/s
"""
LOST = "Unable to determine the device handle for GPU0000:31:00.0: GPU is lost.  Reboot the system to recover this GPU"


def test_the_query():
    first, second = nvidia_smi.gpus(GPUS)

    assert first == nvidia_smi.QueriedGpu(
        0, "GPU-4404041a-04cf-1ccf-9e70-f139a9b1e23c", "NVIDIA L4", 23034, "580.95.05", divided=False, persistent=True
    )
    assert second.persistent is False


@pytest.mark.parametrize(
    ("text", "count", "lost"),
    [
        ("", 0, 0),
        ("No devices were found\n", 0, 1),
        (f"{LOST}\n{GPUS}", 2, 1),
        (GPUS[:120], 1, 0),
        ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", 0, 0),
        (GPUS.replace("23034 MiB", "[Unknown Error]"), 2, 0),
        ("0, a, b", 0, 0),
    ],
)
def test_a_query_that_went_wrong(text, count, lost):
    assert (len(nvidia_smi.gpus(text)), len(nvidia_smi.lost(text))) == (count, lost)


def test_the_list_with_instances():
    divided, whole = nvidia_smi.listed(LISTED)

    assert [profile for profile, _ in divided.instances] == ["1g.5gb", "3g.20gb"]
    assert whole.instances == ()
    assert nvidia_smi.uuids(LISTED) == [uuid for _, uuid in divided.instances]
    assert nvidia_smi.uuids("garbage\n  MIG 1g.5gb Device 0: (UUID: MIG-1)\n") == []


def test_links_that_are_up():
    assert nvidia_smi.links(LINKS) == {0: 1, 1: 2}
    assert nvidia_smi.links("NVML: Not Supported") == {}


@pytest.mark.parametrize(
    ("bits", "words"),
    [
        (0, []),
        (1, []),
        (4, []),
        (5, []),
        (8, ["hardware slowdown"]),
        (32, ["heat"]),
        (72, ["hardware slowdown", "heat (hardware)"]),
        (16384, ["unknown 0x4000"]),
    ],
)
def test_what_keeps_clocks_down(bits, words):
    assert nvidia_smi.reasons_in_words(bits) == words


def test_clocks_of_each_gpu():
    assert nvidia_smi.clock_reasons("0, 0x0000000000000001\n1, 0x0000000000000020\n2, [N/A]\n") == {0: 1, 1: 32}


def diagnostic(*warnings, status="Pass", error=None):
    result = {"entity_group": "GPU", "entity_group_id": 1, "entity_id": 3, "status": status, "warnings": list(warnings)}
    test = {"name": "memory", "results": [result], "test_summary": {"status": status}}
    found = {"test_categories": [{"category": "Hardware", "tests": [test]}]}
    return json.dumps({"DCGM Diagnostic": found | ({"runtime_error": error} if error else {})})


def test_a_diagnostic_that_passes():
    assert dcgm_diag.read(f"starting\n{diagnostic()}\n") == dcgm_diag.Diagnostic({"memory": "Pass"}, ())


@pytest.mark.parametrize(
    ("severity", "means"),
    [(1, "monitor"), (2, "isolate"), (3, "monitor"), (4, "isolate"), (5, "monitor"), (6, "reset"), (99, "monitor")],
)
def test_a_warning_has_dcgm_s_own_severity(severity, means):
    warning = {"warning": "page retirements", "error_id": 17, "error_category": 4, "error_severity": severity}

    (found,) = dcgm_diag.read(diagnostic(warning, status="Fail")).warnings

    assert (found.severity, found.test, found.entity) == (means, "memory", "GPU 3")


def test_a_warning_without_severity_is_none():
    assert dcgm_diag.read(diagnostic({"warning": "fine", "error_severity": 0})).warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Error: unable to establish a connection to the specified host: localhost",
        "{}",
        "[1]",
        "{",
        '{"DCGM Diagnostic": 3}',
    ],
)
def test_what_is_no_diagnostic(text):
    with pytest.raises(dcgm_diag.UnreadableDiagnosticError):
        dcgm_diag.read(text)


def test_a_diagnostic_that_did_not_run_says_why():
    assert dcgm_diag.read(diagnostic(error="GPUs are in use")).error == "GPUs are in use"


def test_neuron_devices():
    text = json.dumps([{"neuron_device": n, "nc_count": 2, "memory_size": 34359738368} for n in range(2)])

    assert tool_outputs.neuron_devices(f"warning\n{text}") == [
        tool_outputs.ListedNeuronDevice(0, 2),
        tool_outputs.ListedNeuronDevice(1, 2),
    ]


TRN2_DEVICE = """\
[
    {
        "instance_type": "trn2.3xlarge",
        "neuron_device": 0,
        "bdf": "0000:33:00.0",
        "cpu_affinity": "0-11",
        "numa_node": "0",
        "connected_to": null,
        "nc_count": 4,
        "logical_neuroncore_config": 2,
        "memory_size": 103079215104,
        "neuroncore_ids": [0, 1, 2, 3],
        "neuron_processes": []
    }
]
"""
"""As `neuron-ls -j` prints it on a trn2.3xlarge: four logical cores of a Trainium2, which has eight."""


def test_a_neuron_device_counts_logical_cores():
    (found,) = tool_outputs.neuron_devices(TRN2_DEVICE)

    assert (found.cores, found.logical_core_size, found.physical_cores) == (4, 2, 8)


@pytest.mark.parametrize("text", ["", "neuron-ls: command not found", "[{}]", "[1]", "["])
def test_what_is_no_list_of_neuron_devices(text):
    with pytest.raises(tool_outputs.UnreadableOutputError):
        tool_outputs.neuron_devices(text)


ADDED = """\
[Vector addition of 50000 elements]
Copy input data from the host memory to the CUDA device
CUDA kernel launch with 196 blocks of 256 threads
Copy output data from the CUDA device to the host memory
Test PASSED
Done
"""


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (ADDED, True),
        ("", False),
        (ADDED.partition("Test")[0], False),
        (ADDED.replace("Test PASSED", "Result verification failed at element 7!"), False),
        ("Failed to allocate device vector A (error code no CUDA-capable device is detected)!\n", False),
    ],
)
def test_whether_vectors_were_added(text, right):
    assert tool_outputs.added(text) == right


@pytest.mark.parametrize(
    ("text", "devices"),
    [
        ("rdmap16s27\nrdmap32s27\n", ["rdmap16s27", "rdmap32s27"]),
        ("efa_0\n", ["efa_0"]),
        ("mlx5_0\n", []),
        ("ls: cannot access '/sys/class/infiniband': No such file or directory\n", []),
        ("", []),
    ],
)
def test_devices_of_efa(text, devices):
    assert tool_outputs.infiniband_devices(text) == devices


def test_domains_of_efa_are_counted_once():
    entry = "provider: efa\n    fabric: efa\n    domain: rdmap0s6-rdm\n    version: 201.0\n    type: FI_EP_RDM\n"

    assert tool_outputs.efa_domains(entry * 2 + entry.replace("0s6", "0s7")) == ["rdmap0s6-rdm", "rdmap0s7-rdm"]
    assert tool_outputs.efa_domains("fi_getinfo: -61 (No data available)") == []


@pytest.mark.parametrize(
    ("text", "mib"),
    [
        ("4294967296 bytes (4.3 GB, 4.0 GiB) copied, 34.3 s, 125 MB/s", 119.2),
        ("4294967296 bytes (4.3 GB, 4.0 GiB) copied, 2.0015 s, 2.1 GB/s", 2002.7),
        ("dd: failed to open '/verify/data': Invalid argument", None),
        ("", None),
    ],
)
def test_how_fast_dd_was(text, mib):
    assert tool_outputs.mib_per_second(text) == (mib if mib is None else pytest.approx(mib, rel=0.001))


TOOLS = [Tool("gpus", nvidia_smi.GPUS), Tool("odd", ("echo", "it's", "a; b", "$HOME"))]


def test_a_script_says_which_tools_it_runs():
    assert tools_of(script(TOOLS)) == TOOLS
    assert tools_of("nvidia-smi -L") == []


def test_a_shell_runs_the_script_and_its_log_is_read():
    import subprocess

    tools = [Tool("first", ("echo", "it's", "$HOME")), Tool("second", ("sh", "-c", "echo wrong >&2; exit 7"))]

    log = subprocess.run(["sh", "-c", script(tools)], capture_output=True, text=True, check=True).stdout

    assert outputs(log) == {"first": ToolOutput("it's $HOME\n", 0), "second": ToolOutput("wrong\n", 7)}
    assert log == printed("first", "it's $HOME\n", 0) + printed("second", "wrong\n", 7)


def test_a_log_that_ends_in_the_midst_of_a_tool():
    log = printed("gpus", GPUS, 0) + "### accel begin list\nGPU 0: NV"

    assert outputs(log)["list"] == ToolOutput("GPU 0: NV", None)
    assert "it was ended" in outputs(log)["list"].said
