module eks-accelerators/tools/cluster-autoscaler

go 1.26.0

require k8s.io/autoscaler/cluster-autoscaler v0.0.0-20250613073258-1959f5f61f6c

replace k8s.io/apiextensions-apiserver => k8s.io/apiextensions-apiserver v0.33.1
replace k8s.io/code-generator => k8s.io/code-generator v0.33.1
replace k8s.io/cri-api => k8s.io/cri-api v0.33.1
replace k8s.io/csi-translation-lib => k8s.io/csi-translation-lib v0.33.1
replace k8s.io/kube-scheduler => k8s.io/kube-scheduler v0.33.1
replace k8s.io/kubectl => k8s.io/kubectl v0.33.1
replace k8s.io/mount-utils => k8s.io/mount-utils v0.33.1
replace k8s.io/kms => k8s.io/kms v0.33.1
replace k8s.io/autoscaler/cluster-autoscaler/apis => k8s.io/autoscaler/cluster-autoscaler/apis v0.0.0-20240830133931-adfbe7e45277
replace k8s.io/cri-client => k8s.io/cri-client v0.33.1
