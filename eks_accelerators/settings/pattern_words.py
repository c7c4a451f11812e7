"""What each pattern of the settings asks for, in words, and a text that it takes; a test asks every pattern for both."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_DNS = "lower-case letters, digits and dashes"
_IDENTIFIER = "and 8 to 17 of 0-9 and a-f"


class PatternWords(NamedTuple):
    """``words`` say what a text must be, ``example`` is one."""

    words: str
    example: str


PATTERNS = {
    r"^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$": PatternWords(
        f"a name of {_DNS}, that begins with a letter, at most 40 characters", "my-name"
    ),
    r"^[a-zA-Z][a-zA-Z0-9-]{0,63}$": PatternWords(
        "the name of a Pulumi secret, of letters, digits and dashes", "huggingFaceToken"
    ),
    r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$": PatternWords(f"a name of {_DNS}, at most 63 characters", "llm"),
    r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$": PatternWords(
        "a name of lower-case letters, digits, dashes and dots", "my-secret"
    ),
    r"^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$": PatternWords(
        "a name of lower-case letters, digits, dashes and dots", "gp3"
    ),
    r"^(\*\.)?[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$": PatternWords("a host name", "llm.example.com"),
    r"^[A-Za-z0-9/_+=.@-]{1,512}$": PatternWords(
        "the name of a secret in AWS Secrets Manager, no address and no ARN", "prod/hugging-face"
    ),
    r"^[A-Za-z0-9_.-]{1,253}$": PatternWords("a key of letters, digits, dashes, dots and underscores", "token"),
    r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$": PatternWords(
        "the name of an S3 bucket, without s3://: lower-case letters, digits, dashes and dots", "my-bucket"
    ),
    r"^[^/].*/$": PatternWords("the beginning of keys in the bucket: no slash first, one at the end", "models/"),
    r"^/[A-Za-z0-9._/@+-]+$": PatternWords("an absolute path, which begins with a slash", "/data"),
    r"^[A-Za-z0-9._@+-][A-Za-z0-9._/@+-]*$": PatternWords("a relative path, without a slash first", "runs/first"),
    r"^[A-Za-z0-9][A-Za-z0-9._/-]*$": PatternWords("a relative path, without a slash first", "runs/first"),
    r"^[a-z0-9][a-z0-9._-]{0,62}$": PatternWords(
        "the name of a directory: lower-case letters, digits, dots, dashes and underscores", "cache"
    ),
    r"^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key/.+$": PatternWords(
        "the ARN of a KMS key", "arn:aws:kms:us-east-2:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
    ),
    r"^arn:aws[a-z-]*:iam::\d{12}:(role|user)/.+$": PatternWords(
        "the ARN of an IAM role or user", "arn:aws:iam::123456789012:role/ml"
    ),
    r"^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$": PatternWords(
        "the ARN of an SNS topic", "arn:aws:sns:us-east-2:123456789012:alerts"
    ),
    r"^\d+m?$": PatternWords("CPUs as Kubernetes writes them: whole ones, or thousandths with m", "500m"),
    r"^[0-9a-fA-F:.]+/\d{1,3}$": PatternWords("a range of addresses in CIDR notation", "198.51.100.0/24"),
    r"^\d{1,3}(\.\d{1,3}){3}/\d{1,2}$": PatternWords("a range of IPv4 addresses in CIDR notation", "10.0.0.0/16"),
    r"^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$": PatternWords(
        "letters, digits, dashes and underscores, at most 100 characters", "ml-dev"
    ),
    r"^1\.\d{2}$": PatternWords("a minor version of Kubernetes in quotes", "1.35"),
    r"^1\.\d{2}\.\d{1,2}$": PatternWords("a version of three parts in quotes", "1.35.0"),
    r"^https?://[^\s/?#@]+(/\S*)?$": PatternWords(
        "an address of pages for people", "https://github.com/acme/gpus/blob/main/docs/runbooks"
    ),
    r"^https?://[^\s/?#@]+(/[^\s?#]*)?$": PatternWords(
        "an address with http:// or https://, without user, password or query", "http://prometheus.monitoring:9090"
    ),
    r"^[a-z][a-z0-9-]*\.[a-z0-9-]+$": PatternWords("the name of an instance type", "g6.2xlarge"),
    r"^[a-z]{2}(-[a-z]+)+-\d$": PatternWords("an AWS region", "us-east-2"),
    r"^[A-Za-z_][A-Za-z0-9_]*$": PatternWords(
        "the name of an environment variable: letters, digits and underscores", "NCCL_DEBUG"
    ),
    r"^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$": PatternWords(
        "a value as of Kubernetes labels: letters, digits, dashes, dots and underscores, at most 63 characters", "ml"
    ),
    r"^[0-9][0-9A-Za-z.-]+$": PatternWords("a release of an EKS image", "1.35.1-20261012"),
    r"^ami-[0-9a-f]{8,17}$": PatternWords(f"the ID of an AMI: ami- {_IDENTIFIER}", "ami-0123456789abcdef0"),
    r"^cr-[0-9a-f]{8,17}$": PatternWords(
        f"the ID of a capacity reservation: cr- {_IDENTIFIER}", "cr-0123456789abcdef0"
    ),
    r"^cbr?-?[0-9a-zA-Z-]{8,}$": PatternWords(
        "the ID of a Capacity Block offering, from `accel blocks search`", "cb-0123456789abcdef0"
    ),
    r"^\d+(\.\d+)?$": PatternWords("an amount in digits, in quotes", "5000"),
    r"^sg-[0-9a-f]{8,17}$": PatternWords(f"the ID of a security group: sg- {_IDENTIFIER}", "sg-0123456789abcdef0"),
    r"^subnet-[0-9a-f]{8,17}$": PatternWords(f"the ID of a subnet: subnet- {_IDENTIFIER}", "subnet-0123456789abcdef0"),
    r"^vpc-[0-9a-f]{8,17}$": PatternWords(f"the ID of a VPC: vpc- {_IDENTIFIER}", "vpc-0123456789abcdef0"),
    r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$": PatternWords("a time in UTC", "2026-12-01T20:00:00Z"),
    r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$": PatternWords(
        "the name of a model: letters, digits, dashes, dots and underscores", "resnet50"
    ),
    r"^(s3://[a-z0-9.-]{3,63}(/\S*)?|/[A-Za-z0-9._/@+-]+)$": PatternWords(
        "s3://<bucket>/<prefix>, with 3 to 63 characters of the bucket, or an absolute path in the container",
        "s3://my-bucket/models",
    ),
    r"^[^@\s]+@[^@\s]+\.[^@\s]+$": PatternWords("an e-mail address", "ml-platform@example.com"),
    r"^([0-9]+(s|m|h))+$": PatternWords("a duration of hours, minutes and seconds", "1h30m"),
    r"^[#@]?[^\s#@]{1,80}$": PatternWords("a Slack channel or user, in quotes", "#alerts"),
}
"""What is said of a text that does not match, by the regular expression of its model."""


def words_of(pattern: str) -> PatternWords:
    """What the pattern asks for; of one that nobody described, the pattern itself and no example."""
    return PATTERNS.get(pattern) or PatternWords(f"text that matches {pattern}", "")


def nearest(text: str, pattern: str) -> str | None:
    """What ``text`` becomes with the least that makes ``pattern`` take it; None where small changes are not enough."""
    return next((each for each in _changed(text) if re.fullmatch(pattern, each)), None)


def _changed(text: str) -> Iterator[str]:
    stripped = text.strip()
    inner = stripped.removeprefix("s3://").strip("/")
    yield from (stripped, stripped.lower(), inner)
    if not stripped.startswith("arn:"):  # of which nothing is left that names anything
        yield re.sub(r"[^a-z0-9]+", "-", stripped.lower()).strip("-")
    if inner and not stripped.startswith("s3://"):  # what is meant to be in a bucket is no path
        yield from (f"/{inner}", f"{inner}/")
