"""The SDKs import a service when something of it is first used; a whole service takes a tenth of a second, or more."""

import json
import subprocess
import sys

_ASK = """
import json, sys
import eks_accelerators.components
print(json.dumps(sorted(name.removesuffix("._inputs") for name in sys.modules if name.endswith("._inputs"))))
"""


def test_an_import_of_the_components_brings_only_what_every_stack_uses():
    """An annotation that names a class of another service imports that service, unless it is quoted."""
    said = subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, check=True).stdout

    assert set(json.loads(said)) == {
        "pulumi_aws",
        "pulumi_aws.ec2",
        "pulumi_aws.eks",
        "pulumi_aws.iam",
        "pulumi_eks",
        "pulumi_kubernetes",
        "pulumi_kubernetes.core.v1",
        "pulumi_kubernetes.helm.v3",
    }
