"""What proves that nodes do what was paid for: pure parsers of tools' outputs, expectations and findings. No Pulumi, no I/O."""
