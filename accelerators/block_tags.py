"""Tags by which the purchase of a Capacity Block is found again, whatever became of the answer or of any state."""

OFFERING_TAG = "eks-accelerators/capacity-block-offering"
"""On the reservation: the offering that was bought."""
REQUEST_TAG = "eks-accelerators/capacity-block-request"
"""On the reservation: the request that bought it, the same for two requests for the same."""
STACK_TAG = "eks-accelerators/capacity-block-stack"
"""On the reservation: the stack that it was bought for."""
