"""Scrapers of Amazon Managed Service for Prometheus, which read the metrics of a cluster."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi-aws 7.51, documentation of its resources; Amazon Managed Service for Prometheus API (botocore 1.44.5); what "
        "changes in place is believed; read 2026-11-22."
    ),
)


class ScraperKind(Kind):
    """`aws.amp.Scraper`, whose ID is AWS's own."""

    token = "aws:amp/scraper:Scraper"
    properties = frozenset({"alias", "destination", "scrapeConfiguration", "source", "tags"})
    inside = {
        "source": frozenset({"eks"}),
        "source.eks": frozenset({"clusterArn", "securityGroupIds", "subnetIds"}),
        "destination": frozenset({"amp"}),
        "destination.amp": frozenset({"workspaceArn"}),
    }
    changeable = frozenset({"alias", "scrapeConfiguration", "tags"})
    calls = frozenset(
        {
            "amp.create_scraper",
            "amp.delete_scraper",
            "amp.describe_scraper",
            "amp.tag_resource",
            "amp.untag_resource",
            "amp.update_scraper",
        }
    )
    facts = ResourceFacts(
        called="scraper",
        replacing=("destination", "source"),
        scope="metrics",
        permissions=(
            Permissions("scraped", ("aps:CreateScraper",)),
            Permissions("metrics", ("aps:DescribeWorkspace", "aps:ListTagsForResource")),
            Permissions(
                "any",
                (
                    "ec2:DescribeNetworkInterfaces",
                    "ec2:DescribeSecurityGroups",
                    "ec2:DescribeSubnets",
                    "ec2:DescribeVpcs",
                ),
            ),
            Permissions("in-cluster", ("eks:DescribeCluster", "eks:AssociateAccessPolicy", "eks:CreateAccessEntry")),
        ),
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "amp",
            "create_scraper",
            scrapeConfiguration={"configurationBlob": inputs["scrapeConfiguration"]},
            source={"eksConfiguration": inputs["source"]["eks"]},
            destination={"ampConfiguration": inputs["destination"]["amp"]},
            **{key: inputs[key] for key in ("alias", "tags") if key in inputs},
        )
        found = aws.call("amp", "describe_scraper", scraperId=made["scraperId"])["scraper"]
        return Created(made["scraperId"], {"arn": found["arn"], "roleArn": found["roleArn"]})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("amp", "describe_scraper", scraperId=identifier)["scraper"]
        return {
            "alias": found.get("alias"),
            "destination": {"amp": found["destination"]["ampConfiguration"]},
            "scrapeConfiguration": found["scrapeConfiguration"]["configurationBlob"],
            "source": {"eks": found["source"]["eksConfiguration"]},
            "tags": found["tags"],
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        if any(old.get(key) != new.get(key) for key in ("alias", "scrapeConfiguration")):
            configuration = {"configurationBlob": new["scrapeConfiguration"]}
            alias = {"alias": new["alias"]} if "alias" in new else {}
            aws.call("amp", "update_scraper", scraperId=identifier, scrapeConfiguration=configuration, **alias)
        found = aws.call("amp", "describe_scraper", scraperId=identifier)["scraper"]
        tags.retag_by_mapping(aws, "amp", found["arn"], old, new)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("amp", "delete_scraper", scraperId=identifier)


KINDS: tuple[Kind, ...] = (ScraperKind(),)
