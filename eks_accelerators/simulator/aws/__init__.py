"""One simulated AWS account: what moto implements through boto3, the rest by models of our own."""
