from tests.settings.rules.case import Case

P7 = {
    "source": "announcement of the family, 2026-11-20",
    "vcpus": 192,
    "memoryMib": 2097152,
    "accelerator": {"name": "R100", "count": 8, "memoryMib": 294912},
    "network": {"cards": 16, "efaCards": [0, 1, 2, 3], "interfacesPerCard": 4, "ipv4PerInterface": 50},
    "soldAs": ["onDemand", "capacityBlock"],
    "onDemandUsdPerHour": {"us-east-2": 98.5},
}
NEURON = {**P7, "accelerator": {"manufacturer": "AWS", "name": "Trainium4", "count": 16, "coresPerDevice": 8}}


def described(name="p7.48xlarge", **changed):
    return {"instanceTypes": {name: {**P7, **changed}}}


CASES = [
    Case(
        "capacity-type-not-sold",
        "in-blocks-alone",
        {**described(soldAs=["capacityBlock"]), "nodeGroups.gpu.instanceType": "p7.48xlarge"},
        "nodeGroups.gpu.capacityType",
        near={**described(), "nodeGroups.gpu.instanceType": "p7.48xlarge"},
    ),
    Case(
        "instance-type-shipped",
        "of-the-table",
        described("g6.xlarge"),
        'instanceTypes["g6.xlarge"]',
        near=described("g6.96xlarge"),
    ),
    Case(
        "instance-type-not-served",
        "other-maker",
        described("g4ad.32xlarge"),
        'instanceTypes["g4ad.32xlarge"]',
        near=described("g4zn.32xlarge"),
    ),
    Case(
        "instance-type-not-served",
        "no-accelerator",
        described("m9i.32xlarge"),
        'instanceTypes["m9i.32xlarge"]',
        near=described("p9i.32xlarge"),
    ),
    Case(
        "instance-type-description",
        "cores-of-a-gpu",
        described(accelerator={**P7["accelerator"], "coresPerDevice": 8}),
        'instanceTypes["p7.48xlarge"].accelerator.coresPerDevice',
        near={"instanceTypes": {"trn4.48xlarge": NEURON}},
    ),
    Case(
        "instance-type-description",
        "neuron-without-cores",
        described("trn4.48xlarge", accelerator={"manufacturer": "AWS", "name": "Trainium4", "count": 16}),
        'instanceTypes["trn4.48xlarge"].accelerator.coresPerDevice',
        near={"instanceTypes": {"trn4.48xlarge": NEURON}},
    ),
    Case(
        "instance-type-description",
        "mig-of-neuron",
        {"instanceTypes": {"trn4.48xlarge": {**NEURON, "mig": True}}},
        'instanceTypes["trn4.48xlarge"].mig',
        near=described(mig=True),
    ),
    Case(
        "instance-type-description",
        "efa-on-no-card",
        described(network={"cards": 2, "efaCards": [1, 2]}),
        'instanceTypes["p7.48xlarge"].network.efaCards',
        near=described(network={"cards": 2, "efaCards": [0, 1]}),
    ),
    Case(
        "instance-type-description",
        "image-of-another-architecture",
        described(architecture="arm64", amiTypes=["AL2023_x86_64_NVIDIA"]),
        'instanceTypes["p7.48xlarge"].amiTypes[0]',
        near=described(architecture="arm64", amiTypes=["AL2023_ARM_64_NVIDIA", "CUSTOM"]),
    ),
]
