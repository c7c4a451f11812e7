module eks-accelerators/tools/karpenter

go 1.26.6

require github.com/aws/karpenter-provider-aws v1.14.1

// The core as a pseudo-version, which the provider names, is not to be had everywhere; the tag is the same commit or newer.
replace sigs.k8s.io/karpenter => sigs.k8s.io/karpenter v1.14.1
