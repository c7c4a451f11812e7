"""Configuration files, good and bad, by name. What the plugin's own loader makes of each is in `answers.json`."""

from collections.abc import Iterator
from itertools import product

GPU = "{name: nvidia.com/gpu, replicas: 4}"
UUID = "b1028956-cfa2-0990-bf4a-5da9abb51763"

CHART = {"MPS_ROOT": "/run/nvidia/mps"}
"""What the chart always tells the plugin."""


def sliced(entry: str, section: str = "") -> str:
    return f"sharing: {{timeSlicing: {{{section}resources: [{entry}]}}}}"


TEXTS: dict[str, list[str | bytes]] = {
    "documents": [
        *("", "~", "#only a comment", "---", "...", "---\n---\n", "{}", "[]", "3", "text", "- a", "a\nb", "null"),
        *(
            "version: v1\n---\nfoo: [",
            "version: v1\n...\nfoo: [",
            "version: v1 # why",
            "version: 'v1' x",
            "a: {",
            "a: ]",
        ),
        *("%YAML 1.1\n---\nversion: v1", "%YAML 1.2\n---\nversion: v1", "%OTHER x\n---\nversion: v1"),
        *(
            '{\n\t"version": "v1"\n}',
            "version:\tv1",
            "\tversion: v1",
            "ver\tsion: v1",
            "a: b: c",
            "a:b",
            "{a:b}",
            "{a:{b}}",
        ),
        *(
            "a: @x",
            "a: `x",
            "a: %x",
            "a: 'x",
            'a: "x',
            'a: "\\/"',
            'a: "\\ud800"',
            'a: "\\UFFFFFFFF"',
            "a: \x01",
            "\x00",
        ),
        *(
            "a: 1\n b: 2",
            "  version: v1",
            "a: |\n  text\n more",
            "a: >-\n folded",
            "a: |# c\n x",
            "? a\n: b",
            "a: !!int x",
        ),
        *("a: !mine 5", "a: !!binary x", "a: !!binary eA==", "!", "a: .inf", "a: .inf\na: 1", "a: .nan", "a: 1e999"),
        *(b"version: \xff", b"\x89PNG\r\n\x1a\n", b"\xff\xfev\x00:\x00 \x00v\x00", b"\xef\xbb\xbfversion: v1"),
        *("version: v1\r\nsharing: {}\r\n", "version: v1\rsharing: {}\r"),
    ],
    "keys-and-aliases": [
        *("? [a]\n: b", "{[a]: b}", "~: 1", "1: 2\n1.5: 3\ntrue: 4", "!!binary aGk=: 1", "version: v2\nversion: v1"),
        *(
            "a: &x [*x]",
            "a: *x",
            "a: &x 1\nb: &x 2",
            "a: &x {b: *x}",
            "<<: 3",
            "<<: [a]",
            "<<: [{version: v2}]\nversion: v1",
        ),
        *(
            "version: v1\n<<: {version: v2}",
            "'<<': 3",
            "a: &a {version: v2}\n<<: *a",
            "a: &a [1]\n<<: *a",
            "<<: {version: v1}",
        ),
        "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
        "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]",
        *(
            "VERSION: v2",
            "versions: v2",
            "vers\u0131on: v2",
            "ver\u017fion: v2",
            "flags: {MIGSTRATEGY: dual}",
            "flags: {mig_strategy: dual}",
        ),
    ],
    "version": [
        f"version: {value}"
        for value in ("v1", "v2", "V1", "1", "1.0", "''", "null", "true", "[v1]", "{}", "v1beta1", "' v1'")
    ],
    "sections": [
        *(
            "sharing:",
            "sharing: {}",
            "sharing: []",
            "sharing: none",
            "sharing: {timeSlicing: }",
            "sharing: {timeSlicing: {}}",
        ),
        *(
            "sharing: {mps: }",
            "sharing: {mps: {}}",
            "sharing: {mps: []}",
            "sharing: {timeSlicing: none}",
            "sharing: {mig: {}}",
        ),
        *(
            f"sharing: {{timeSlicing: [{GPU}]}}",
            f"sharing: {{resources: [{GPU}]}}",
            f"timeSlicing: {{resources: [{GPU}]}}",
        ),
        *(f"Sharing: {{TimeSlicing: {{resources: [{GPU}]}}}}", f"sharing: {{timeSlicing: {{Resources: [{GPU}]}}}}"),
        f"sharing: {{mps: {{resources: [{GPU}]}}}}",
        f"sharing: {{mps: {{resources: [{GPU}]}}, timeSlicing: {{resources: [{GPU}]}}}}",
        f"sharing: {{mps: null, timeSlicing: {{resources: [{GPU}]}}}}",
        f"sharing: {{mps: {{resources: [{GPU}]}}, MPS: null}}",
        f"sharing: {{mps: null, MPS: {{resources: [{GPU}]}}}}",
        f"sharing: {{timeSlicing: {{resources: [{GPU}]}}}}\nSharing: {{timeSlicing: null}}",
        f"sharing: {{timeSlicing: {{resources: [{GPU}]}}}}\nsharing: {{}}",
    ],
    "entries": [
        f"sharing: {{timeSlicing: {{resources: {value}}}}}"
        for value in (
            *("null", "{}", "[]", "[null]", "[3]", "[[]]", "[{}]", "3", "gpu", "[gpu]", GPU, f"{{gpu: {GPU}}}"),
            *("[{name: gpu}]", "[{replicas: 2}]", "[{name: gpu, replica: 2}]", "[{Name: gpu, replicas: 2}]"),
            *("[{name: gpu, Replicas: 2}]", "[{name: gpu, replicas: 2}, {name: gpu, replicas: 3}]", f"[{GPU}, {{}}]"),
            *(
                f"[{GPU}, {{name: mig-1g.10gb, replicas: 2}}]",
                "[{name: gpu, replicas: 1, replicas: 2}]",
                "[{name: gpu, replicas: 2, x: y}]",
            ),
        )
    ],
    "section-keys": [
        text
        for key in (
            *("renameByDefault: true", "renameByDefault: yes", "renameByDefault: 'true'", "renameByDefault: null"),
            *(
                "renameByDefault: 1",
                "renamebyDefault: 3",
                "failRequestsGreaterThanOne: 1",
                "failRequestsGreaterThanOne: y",
            ),
            *("failRequestsGreaterThanOne: false", "failRequestsGreaterThanOne: null", "FailRequestsGreaterThanOne: 3"),
        )
        for text in (sliced(GPU, f"{key}, "), sliced(GPU, f"{key}, ").replace("timeSlicing", "mps"))
    ],
    "replicas": [
        sliced(f"{{name: gpu, replicas: {value}}}")
        for value in (
            *(
                "4",
                "4.0",
                "4.5",
                "'4'",
                '"4"',
                "1",
                "0",
                "-1",
                "2",
                "08",
                "010",
                "0x4",
                "0b11",
                "0o7",
                "1e1",
                "1e0",
                "+4",
            ),
            *(
                "4_0",
                "_4",
                "true",
                "null",
                "[4]",
                "{}",
                "9223372036854775807",
                "9223372036854775808",
                "1e20",
                "1e21",
                "1e30",
            ),
            *(
                ".5",
                "1:30",
                "2001-01-01",
                "~",
                "-0",
                "yes",
                "two",
                "4 # four",
                "!!int '4'",
                "!!str 4",
                "!!float 4",
                "1000000",
            ),
        )
    ],
    "names": [
        sliced(f"{{name: {value}, replicas: 2}}")
        for value in (
            *(
                "gpu",
                "nvidia.com/gpu",
                "amd.com/gpu",
                "nvidia.com/",
                "''",
                "nvidia.com/GPU",
                "NVIDIA.com/gpu",
                "a..b",
                "a.b",
            ),
            *(
                "-a",
                "a-",
                "a_b",
                "g" * 52,
                "g" * 53,
                "1",
                "'1'",
                "true",
                "null",
                "[gpu]",
                "nvidia.com",
                "nvidia.com/a/b",
            ),
            *(
                "nvidia.com/mig-1g.10gb",
                "mig-1g.10gb+me",
                "mig-1g.10gb.me",
                "gpu.shared",
                "g\u00fc",
                "'gpu '",
                '"gpu\\n"',
            ),
        )
    ],
    "renames": [
        sliced(f"{{name: gpu, replicas: 2, rename: {value}}}", section)
        for value in ("gpu.shared", "gpu", "mine", "not_a_name", "''", "null", "1")
        for section in ("", "renameByDefault: true, ")
    ],
    "devices": [
        sliced(f"{{name: gpu, replicas: 2, devices: {value}}}")
        for value in (
            *(
                "all",
                "ALL",
                "'2'",
                "2",
                "1",
                "0",
                "-1",
                "2.0",
                "2.5",
                "null",
                "true",
                "{}",
                "{count: 2}",
                "[]",
                "[[0]]",
            ),
            *("[0]", "['0']", "['0:1']", "['0:']", "[':1']", "['0:1:2']", "[-1]", "[1.0]", "[1.5]", "[-0.0]", "[null]"),
            *("[true]", "[all]", "['+1']", "[' 1']", "['\u00b2']", "[0, 1, x]", "['x']"),
            *(
                "[18446744073709551615]",
                "[18446744073709551616]",
                "['18446744073709551616']",
                "['0000000000000000000000001']",
            ),
            *(
                f"['{form}']"
                for form in (f"GPU-{UUID}", f"GPU-{UUID.upper()}", f"gpu-{UUID}", f"MIG-{UUID}", UUID, "GPU-x")
            ),
            *(
                f"['GPU-{form}']"
                for form in (f"{{{UUID}}}", f"urn:uuid:{UUID}", f"URN:UUID:{UUID}", UUID.replace("-", ""))
            ),
            *(f"['MIG-GPU-{UUID}{end}']" for end in ("/3/0", "/3", "/3/x", "/3/0/1", "", "/-1/0")),
        )
    ],
    "flags": [
        f"flags: {{{key}: {value}}}"
        for key, values in {
            "migStrategy": ("none", "single", "mixed", "dual", "None", "''", "null", "true", "no", "1", "[none]"),
            "deviceDiscoveryStrategy": ("auto", "nvml", "tegra", "vfio", "''", "null", "1"),
            "failOnInitError": ("true", "no", "'true'", "1", "null", "[]"),
            "nvidiaDriverRoot": ("/", "''", "null", "1", "[/]"),
            "useNodeFeatureAPI": ("true", "'yes'"),
            "mofedEnabled": ("false", "0"),
            "mpsRoot": ("/mps", "null", "3"),
            "plugin": ("{}", "null", "[]", "none"),
            "gfd": ("{}", "null", "[]", "{unknown: 1}", "{oneshot: 1}", "{outputFile: 1}"),
            "unknown": ("1", "{a: [b]}"),
        }.items()
        for value in values
    ]
    + ["flags: []", "flags: none", "flags: null"],
    "plugin-flags": [
        f"flags: {{plugin: {{{key}: {value}}}}}"
        for key, values in {
            "deviceListStrategy": (
                *(
                    "envvar",
                    "volume-mounts",
                    "cdi-annotations",
                    "cdi-cri",
                    "[envvar]",
                    "[envvar, cdi-cri]",
                    "[]",
                    "[null]",
                ),
                *("null", "''", "cdi", "'envvar,cdi-cri'", "1", "[1]", "{}", "[[envvar]]", "true"),
            ),
            "deviceIDStrategy": ("uuid", "index", "UUID", "''", "null", "1", "[uuid]"),
            "passDeviceSpecs": ("true", "'true'", "null"),
            "cdiAnnotationPrefix": ("cdi.k8s.io/", "1"),
            "nvidiaCTKPath": ("/x", "true"),
            "containerDriverRoot": ("/x", "null"),
            "deviceListStrategies": ("envvar", "bad"),
        }.items()
        for value in values
    ],
    "a-level-too-deep": [
        *(
            f"flags: {{plugin: {{{key}: none}}}}"
            for key in ("migStrategy", "deviceDiscoveryStrategy", "mpsRoot", "failOnInitError")
        ),
        *(
            "flags: {gfd: {migStrategy: none}}",
            "flags: {plugin: {MigStrategy: none}}",
            "flags: {plugin: {migStrategy: }}",
        ),
        *(
            "flags: {migStrategy: single, plugin: {migStrategy: none}}",
            "flags: {plugin: {plugin: {deviceIDStrategy: uuid}}}",
        ),
        *("flags: {plugin: {plugin: {deviceListStrategy: bad}}}", "flags: {plugin: {gfd: {oneshot: true}}}"),
        *("flags: {plugin: {flags: {migStrategy: none}}}", "plugin: {deviceIDStrategy: bad}", "migStrategy: dual"),
        *(
            "flags: {plugin: {deviceIDStrategy: bad}, Plugin: {deviceIDStrategy: index}}",
            "flags: {Plugin: null, plugin: {deviceIDStrategy: bad}}",
        ),
        "flags: {plugin: null, Plugin: {deviceIDStrategy: bad}}",
    ],
    "durations": [
        f"flags: {{gfd: {{sleepInterval: {value}}}}}"
        for value in (
            *(
                "60s",
                "60",
                "1.5",
                "infinite",
                "1h30m",
                "'0'",
                "''",
                "-1s",
                "1d",
                "1 s",
                "s",
                ".5s",
                "1.s",
                "true",
                "null",
                "[]",
            ),
            *("'+1s'", "--1s", "9999999h", "2562047h47m16.854775807s", "2562047h47m16.854775808s", "1\u00b5s", "1ns1"),
        )
    ],
    "imex": [
        *(
            f"imex: {{channelIDs: {value}}}"
            for value in ("[]", "[0]", "[1]", "[0, 0]", "0", "null", "[null]", "['0']", "[0.0]", "[true]", "{}")
        ),
        *(
            "imex: {required: true}",
            "imex: {required: 'yes'}",
            "imex: []",
            "imex: null",
            "imex: {channelIds: [0]}",
            "imex: {channels: [7]}",
        ),
    ],
    "renamed-devices": [
        f"resources: {value}"
        for value in (
            *(
                "{}",
                "null",
                "[]",
                "none",
                "{gpus: []}",
                "{gpus: null}",
                "{gpus: {}}",
                "{gpus: [3]}",
                "{gpus: [null]}",
                "{migs: 3}",
            ),
            *(
                "{gpus: [{pattern: a, name: b}]}",
                "{gpus: [{pattern: a}]}",
                "{gpus: [{name: a}]}",
                "{mig: [{pattern: a, name: b}]}",
            ),
            *(
                "{gpus: [{pattern: null, name: b}]}",
                "{gpus: [{pattern: 1, name: b}]}",
                "{gpus: [{pattern: a, name: B}]}",
                "{mig: 3}",
            ),
        )
    ],
}

CHANNELS = ("null", "[]", "[0]", "[1]", "[7, 0]", "[null]", "[null, null]", "0")
SECTIONS = (
    "null",
    f"{{resources: [{GPU}]}}",
    f"{{renameByDefault: true, resources: [{GPU}, {{name: mig-1g.10gb, replicas: 3}}]}}",
    "{renameByDefault: null, resources: [{name: b, replicas: null}]}",
    "{resources: [{name: gpu, replicas: null, rename: a}, {name: a, replicas: null}]}",
    "{resources: [{replicas: null}]}",
    "{resources: null}",
)
SPELLINGS = {
    "imex: {{CHANNELIDS: {}, channelIDs: {}}}": CHANNELS,
    "Imex: {{channelIDs: {}}}\nimex: {{channelIDs: {}}}": CHANNELS,
    "imex: {{channelIDs: {}}}\nimex: {{channelIDs: {}}}": CHANNELS[:4],
    "sharing: {{TimeSlicing: {}, timeSlicing: {}}}": SECTIONS,
    "Sharing: {{mps: {}}}\nsharing: {{mps: {}}}": SECTIONS,
    "Sharing: {{mps: {}}}\nsharing: {{timeSlicing: {}}}": SECTIONS[1:3],
    "sharing: {{mps: {}, mps: {}}}": SECTIONS[:3],
    "flags: {{MigStrategy: {}, migStrategy: {}}}": ("null", "single", "dual", "''"),
    "Flags: {{migStrategy: {}}}\nflags: {{migStrategy: {}}}": ("null", "single", "dual"),
    "flags: {{Plugin: {}, plugin: {}}}": (
        "null",
        "{}",
        "{deviceIDStrategy: index}",
        "{migStrategy: none}",
        "{mpsRoot: /}",
    ),
    "flags: {{plugin: {{DeviceListStrategy: {}, deviceListStrategy: {}}}}}": (
        "null",
        "[]",
        "[cdi-cri, null]",
        "envvar",
        "bad",
    ),
    "Version: {}\nversion: {}": ("null", "v1", "v2", "''"),
}
"""Forms in which a key is written twice, and what it is given: in two spellings Go reads the one over the other."""

TEXTS["written-twice"] = [
    form.format(first, second) for form, values in SPELLINGS.items() for first, second in product(values, repeat=2)
]
TEXTS["written-thrice"] = [
    "imex: {CHANNELIDS: [7, 1], ChannelIDs: [0], channelIDs: [null, null]}",
    "imex: {CHANNELIDS: [7, 0], ChannelIDs: [1], channelIDs: [0, null]}",
    "imex: {CHANNELIDS: [7, 0], ChannelIDs: [], channelIDs: [null]}",
    "imex: {CHANNELIDS: [7], ChannelIDs: null, channelIDs: [null]}",
    f"sharing: {{mps: {{resources: [{GPU}]}}, Mps: null, MPS: {{resources: [{{name: gpu, replicas: null}}]}}}}",
]

MPS = f"sharing: {{mps: {{resources: [{GPU}]}}}}"
IN_ENVIRONMENTS: list[tuple[str, dict[str, str]]] = [
    (MPS, {}),
    (f"flags: {{mpsRoot: /mps}}\n{MPS}", {}),
    (f"flags: {{mpsRoot: ''}}\n{MPS}", {}),
    (f"flags: {{mpsRoot: ''}}\n{MPS}", CHART),
    (f"flags: {{migStrategy: mixed}}\n{MPS}", CHART),
    (f"flags: {{migStrategy: single}}\n{MPS}", CHART),
    (f"flags: {{migStrategy: mixed}}\n{MPS}", {**CHART, "MIG_STRATEGY": "none"}),
    (MPS, {**CHART, "MIG_STRATEGY": "mixed"}),
    ("flags: {migStrategy: dual}", {**CHART, "MIG_STRATEGY": "none"}),
    ("flags: {plugin: {migStrategy: none}}", {**CHART, "MIG_STRATEGY": "none"}),
    ("", {**CHART, "MIG_STRATEGY": "dual"}),
    ("", {**CHART, "MIG_STRATEGY": ""}),
    ("flags: {migStrategy: single}", {**CHART, "MIG_STRATEGY": ""}),
    (f"flags: {{mpsRoot: /mps}}\n{MPS}", {"MPS_ROOT": ""}),
    (f"flags: {{mpsRoot: null}}\n{MPS}", {}),
    (f"flags: {{mpsRoot: /mps, MpsRoot: null}}\n{MPS}", {}),
    (f"flags: {{mpsRoot: null, MpsRoot: /mps}}\n{MPS}", {}),
    (f"flags: {{mpsRoot: /mps, mpsRoot: ''}}\n{MPS}", {}),
    (f"flags: {{mpsRoot: /mps, plugin: {{mpsRoot: /mps}}}}\n{MPS}", {}),
    (f"flags: {{plugin: {{mpsRoot: /mps}}}}\n{MPS}", {}),
    (f"flags: {{plugin: {{mpsRoot: /mps}}}}\n{MPS}", CHART),
    *(
        (f"flags: {{plugin: {{deviceListStrategy: {written}}}}}", {**CHART, "DEVICE_LIST_STRATEGY": told})
        for written in ("envvar", "bad")
        for told in ("", "cdi-cri", "envvar,cdi-cri", " envvar , cdi-cri ", "bad", "envvar,")
    ),
    *(
        (f"flags: {{plugin: {{deviceIDStrategy: {written}}}}}", {**CHART, "DEVICE_ID_STRATEGY": told})
        for written in ("uuid", "bad")
        for told in ("", "index", "bad", " index")
    ),
    *(
        (f"flags: {{deviceDiscoveryStrategy: {written}}}", {**CHART, "DEVICE_DISCOVERY_STRATEGY": told})
        for written in ("auto", "bad")
        for told in ("", "nvml", "bad")
    ),
]
"""Files beside what else the plugin is told."""


def cases() -> Iterator[tuple[str, bytes, dict[str, str]]]:
    """Name, content and environment of every case."""
    for group, texts in TEXTS.items():
        for index, text in enumerate(texts):
            yield f"{group}-{index}", text if isinstance(text, bytes) else text.encode(), CHART
    for index, (text, environment) in enumerate(IN_ENVIRONMENTS):
        yield f"environments-{index}", text.encode(), environment
