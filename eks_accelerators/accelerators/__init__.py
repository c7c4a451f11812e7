"""What is true of the hardware and of AWS: facts as dated data, and arithmetic on them.

The lowest floor: no input or output beyond the package's own data files, no Pulumi, no boto3.
"""
