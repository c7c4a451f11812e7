"""What AWS says: whether it will let a deployment through, and Capacity Blocks found, bought and used. Asks with boto3."""
