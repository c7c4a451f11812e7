"""What a running cluster has to show, and what it shows: expectations, findings, and what tools on nodes print. No Pulumi, no AWS."""
