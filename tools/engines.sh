#!/usr/bin/env bash
# Fills .tools with the engines of a simulation, at the versions in tools/*/go.mod: `engines.sh [NAME ...]`.
#
# Each is downloaded from where it is published, and built with Go where that cannot be reached or has nothing for this
# system. An engine that is there at its version, in the folder or on PATH, is left alone. What is to be got is said first,
# with the time that it takes. TOOLS names another folder to fill. Helm, which only `accel simulate --helm` runs, Prometheus
# with promtool, which judge alerts, KEDA, which scales pods, the node autoscalers and the controllers of JobSet and LeaderWorkerSet are not among those
# that are got where none is named. The custom resource definitions of a program lie beside it, in NAME-crds.
set -euo pipefail
cd "$(dirname "$0")/.."

ALL=(pulumi etcd kube-apiserver kube-controller-manager kube-scheduler kwok)
TOOLS=${TOOLS:-.tools}
WORK=$TOOLS/.new # half of a download or build is never seen under its own name
export PULUMI_SKIP_UPDATE_CHECK=true

os=$(uname -s | tr '[:upper:]' '[:lower:]')
case "$(uname -m)" in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) arch=$(uname -m) ;;
esac

say() { printf '%s\n' "$*" >&2; }

# NAME -> where its go.mod lies, and which module there has its version
module_of() {
  case "$1" in
    pulumi) echo pulumi github.com/pulumi/pulumi/pkg/v3 ;;
    etcd) echo etcd go.etcd.io/etcd/server/v3 ;;
    kube-*) echo kubernetes k8s.io/kubernetes ;;
    kwok) echo kwok sigs.k8s.io/kwok ;;
    helm) echo helm helm.sh/helm/v3 ;;
    prometheus | promtool) echo prometheus github.com/prometheus/prometheus ;;
    keda-*) echo keda github.com/kedacore/keda/v2 ;;
    cluster-autoscaler) echo cluster-autoscaler k8s.io/autoscaler/cluster-autoscaler ;;
    karpenter) echo karpenter github.com/aws/karpenter-provider-aws ;;
    jobset-controller) echo jobset sigs.k8s.io/jobset ;;
    lws-controller) echo lws sigs.k8s.io/lws ;;
    *) return 1 ;;
  esac
}

# NAME -> seconds of a build with an empty cache: one run each on 2 cores with Go 1.26, 2026-11-20. The three of Kubernetes
# took 217 together, here divided as on another day; whichever comes first builds what all share. Of promtool,
# of Prometheus after it, of the node autoscalers and of the controllers of JobSet and, after it, of LeaderWorkerSet, the time is
# that of the processors, by two.
seconds_of() {
  case "$1" in
    pulumi) echo 180 ;;
    etcd) echo 17 ;;
    kube-apiserver) echo 156 ;;
    kube-controller-manager) echo 56 ;;
    kube-scheduler) echo 5 ;;
    kwok) echo 94 ;;
    helm) echo 73 ;;
    promtool) echo 113 ;;
    prometheus) echo 58 ;;
    keda-operator) echo 332 ;;
    keda-metrics-server) echo 79 ;;
    keda-admission-webhooks) echo 3 ;;
    cluster-autoscaler) echo 246 ;;
    karpenter) echo 250 ;;
    jobset-controller) echo 148 ;;
    lws-controller) echo 87 ;;
    *) echo 0 ;;
  esac
}

# SECONDS -> in words
duration() { if (($1 < 60)); then echo "$1 s"; else echo "$((($1 + 30) / 60)) min"; fi; }

# FOLDER MODULE -> v1.2.3
pinned() {
  awk -v module="$2" '{ for (i = 1; i < NF; i++) if ($i == module && $(i + 1) ~ /^v[0-9]/) { print $(i + 1); exit } }' \
    "tools/$1/go.mod"
}

# FILE VERSION: whether the program runs and says that it has this version. Those that do not say it have it in them,
# as every program that Go builds has the versions of its modules; an operator is nothing without its definitions.
is_at() {
  local said version=${2#v} name=${1##*/} module tab=$'\t'
  [[ -x $1 ]] || return 1
  case "$name" in
    cluster-autoscaler | karpenter) is_node_autoscaler "$1" "$2"; return ;;
    keda-* | jobset-controller | lws-controller)
      read -r _ module < <(module_of "$name") || return
      grep -aqF "$tab$module$tab$2$tab" "$1" && { [[ $name != keda-operator ]] || is_set_of "$1-crds" "$2"; }
      return
      ;;
  esac
  said=$("$1" --version 2>/dev/null) || said=$("$1" version 2>/dev/null) || return 1
  grep -Eq "(^|[^0-9.])${version//./\\.}($|[^0-9.])" <<<"$said"
}

# FOLDER VERSION: whether custom resource definitions of this version lie there
is_set_of() { [[ -f $1/VERSION && $(<"$1/VERSION") == "$2" ]]; }

# FOLDER MODULE -> where the module's source lies, downloaded where it was not
source_of() { (cd "tools/$1" && go mod download "$2" && go list -m -f '{{.Dir}}' "$2"); }

# NAME PLACE: leaves the custom resource definitions that its module has at this place in $WORK/NAME-crds
definitions() {
  local folder module source target=$WORK/$1-crds
  read -r folder module < <(module_of "$1") && source=$(source_of "$folder" "$module") \
    && mkdir -p "$target" && cp "$source/$2"/*.yaml "$target" && chmod u+w "$target"/* && version_of "$1" >"$target/VERSION"
}

# FILE VERSION: they do not say their version, but have it in them, as all that Go builds has the versions of its modules.
# Cluster Autoscaler is ours only with its change, and Karpenter is nothing without its definitions, in NAME-crds.
is_node_autoscaler() {
  local module
  read -r _ module < <(module_of "${1##*/}") && grep -aqF $'\t'"$module"$'\t'"$2" "$1" || return
  if [[ ${1##*/} == karpenter ]]; then is_set_of "$1-crds" "$2"; else grep -aqF CLUSTER_AUTOSCALER_AWS_REFRESH "$1"; fi
}

# URL FILE
fetch() { curl -fsSL --connect-timeout 5 --speed-limit 1000 --speed-time 30 -o "$2" "$1"; }

# FILE LIST: whether the SHA-256 of the file stands in a list, on the line with its name or alone
is_genuine() {
  local sum
  sum=$(if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1)
  [[ $sum == "$(awk -v name="${1##*/}" 'NF == 1 || $2 == name || $2 == "*" name { print $1 }' "$2")" ]] && return
  say "  the checksum of ${1##*/} is not the published one"
  return 1
}

# NAME VERSION: leaves $WORK/NAME. Called where `set -e` has no effect, so each step says what follows its failure.
download() {
  local name=$1 version=$2 base file
  case "$name" in
    pulumi)
      base=https://get.pulumi.com/releases/sdk file=pulumi-$version-$os-${arch/amd64/x64}.tar.gz
      fetch "$base/$file" "$WORK/$file" && fetch "$base/pulumi-${version#v}-checksums.txt" "$WORK/sums" \
        && is_genuine "$WORK/$file" "$WORK/sums" && tar -xOf "$WORK/$file" pulumi/pulumi >"$WORK/$name"
      ;;
    etcd)
      base=https://github.com/etcd-io/etcd/releases/download/$version file=etcd-$version-$os-$arch
      [[ $os == darwin ]] && file=$file.zip || file=$file.tar.gz # tar of macOS reads both
      fetch "$base/$file" "$WORK/$file" && fetch "$base/SHA256SUMS" "$WORK/sums" \
        && is_genuine "$WORK/$file" "$WORK/sums" \
        && tar -xOf "$WORK/$file" "etcd-$version-$os-$arch/etcd" >"$WORK/$name"
      ;;
    kube-*)
      base=https://dl.k8s.io/$version/bin/$os/$arch
      fetch "$base/$name" "$WORK/$name" && fetch "$base/$name.sha256" "$WORK/sums" \
        && is_genuine "$WORK/$name" "$WORK/sums"
      ;;
    helm)
      base=https://get.helm.sh file=helm-$version-$os-$arch.tar.gz
      fetch "$base/$file" "$WORK/$file" && fetch "$base/$file.sha256sum" "$WORK/sums" \
        && is_genuine "$WORK/$file" "$WORK/sums" && tar -xOf "$WORK/$file" "$os-$arch/helm" >"$WORK/$name"
      ;;
    prometheus | promtool)
      base=https://github.com/prometheus/prometheus/releases/download/$version
      file=prometheus-${version#v}.$os-$arch
      fetch "$base/$file.tar.gz" "$WORK/$file.tar.gz" && fetch "$base/sha256sums.txt" "$WORK/sums" \
        && is_genuine "$WORK/$file.tar.gz" "$WORK/sums" && tar -xOf "$WORK/$file.tar.gz" "$file/$name" >"$WORK/$name"
      ;;
    keda-*) return 1 ;; # published as images only
    cluster-autoscaler | karpenter | jobset-controller | lws-controller) return 1 ;; # published as images alone
    kwok) fetch "https://github.com/kubernetes-sigs/kwok/releases/download/$version/kwok-$os-$arch" "$WORK/$name" ;;
  esac && chmod +x "$WORK/$name" && is_at "$WORK/$name" "$version"
}

# NAME FOLDER VERSION: leaves $WORK/NAME
build() {
  local name=$1 version=$3 package flags='-s -w' tags='' cgo=0 modfile='' minor=${3#v*.} output
  command -v go >/dev/null || { say "  Go is needed to build it"; return 1; }
  case "$name" in
    pulumi)
      package=github.com/pulumi/pulumi/pkg/v3/cmd/pulumi cgo=$(go env CGO_ENABLED)
      flags+=" -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=$version"
      ;;
    etcd) package=go.etcd.io/etcd/server/v3 ;;
    kube-*)
      package=k8s.io/kubernetes/cmd/$name
      local field=k8s.io/component-base/version.git
      flags+=" -X ${field}Version=$version -X ${field}Major=1 -X ${field}Minor=${minor%%.*}"
      ;;
    kwok)
      package=sigs.k8s.io/kwok/cmd/kwok
      flags+=" -X sigs.k8s.io/kwok/pkg/consts.Version=$version"
      ;;
    helm)
      package=helm.sh/helm/v3/cmd/helm
      flags+=" -X helm.sh/helm/v3/internal/version.version=$version"
      ;;
    prometheus | promtool)
      package=github.com/prometheus/prometheus/cmd/$name
      tags=remove_all_sd # else the SDKs of 25 clouds are built too; targets in files stay
      flags+=" -X github.com/prometheus/common/version.Version=${version#v}"
      ;;
    keda-*)
      case "$name" in
        keda-operator) package=operator && definitions "$name" config/crd/bases || return ;;
        keda-metrics-server) package=adapter ;;
        keda-admission-webhooks) package=webhooks ;;
      esac
      package=github.com/kedacore/keda/v2/cmd/$package
      flags+=" -X github.com/kedacore/keda/v2/version.Version=${version#v}"
      ;;
    cluster-autoscaler) package=k8s.io/autoscaler/cluster-autoscaler tags=aws ;;
    karpenter)
      definitions "$name" pkg/apis/crds || return
      package=github.com/aws/karpenter-provider-aws/cmd/controller
      flags+=" -X sigs.k8s.io/karpenter/pkg/operator.Version=${version#v}"
      ;;
    jobset-controller) package=sigs.k8s.io/jobset ;;
    lws-controller) package=sigs.k8s.io/lws/cmd ;;
  esac
  output=$(cd "$WORK" && pwd)/$name
  if [[ -d tools/$2/changed ]]; then changed "$2" && modfile=$(cd "$WORK" && pwd)/$2.mod || return; fi
  (cd "tools/$2" && CGO_ENABLED=$cgo go build -trimpath ${modfile:+-modfile "$modfile"} -tags "$tags" -ldflags "$flags" -o "$output" "$package") \
    && is_at "$WORK/$name" "$version"
}

# FOLDER: leaves in $WORK/FOLDER.mod how it is built from a copy of its module, in which the files of FOLDER/changed lie too
# and the constant is gone that they stand for
changed() {
  local folder=$1 copy module
  copy=$(cd "$WORK" && pwd)/$folder-module && read -r _ module < <(module_of "$folder") \
    && cp -R "$(source_of "$folder" "$module")" "$copy" && chmod -R u+w "$copy" || return
  sed '/^\trefreshInterval  *= /d' "$copy/cloudprovider/aws/aws_manager.go" >"$copy/made.go" \
    && mv "$copy/made.go" "$copy/cloudprovider/aws/aws_manager.go" \
    && cp "tools/$folder/changed"/*.go "$copy/cloudprovider/aws" \
    && cp "tools/$folder/go.sum" "$WORK/$folder.sum" && cp "tools/$folder/go.mod" "$WORK/$folder.mod" \
    && go mod edit -replace "$module=$copy" "$WORK/$folder.mod"
}

# NAME -> its version. The module of Prometheus 3.15.0 is v0.315.0.
version_of() {
  local folder module version
  read -r folder module < <(module_of "$1") && version=$(pinned "$folder" "$module") || return
  if [[ $folder == prometheus ]]; then version=${version/#v0.3/v3.}; fi
  echo "$version"
}

# NAME VERSION -> where it is at its version
found() {
  local place
  for place in "$TOOLS/$1" "$(command -v "$1")"; do
    is_at "$place" "$2" && { echo "$place"; return; }
  done
  return 1
}

# NAME ...: what is to be got, and how long that takes
announce() {
  local name version seconds all=0 list=()
  for name in "$@"; do
    version=$(version_of "$name") || continue
    found "$name" "$version" >/dev/null && continue
    seconds=$(seconds_of "$name")
    all=$((all + seconds))
    list+=("$name $(duration "$seconds")")
  done
  [[ ${#list[@]} -gt 0 ]] || return 0
  say "Engines to get, each downloaded, or else built with Go, which takes about $(duration "$all") on two cores, once:"
  printf '  %s\n' "${list[@]}" >&2
  say "Meanwhile, in another terminal, \`make plan\` shows what a stack would create and cost: it needs none of them."
}

# NAME: from $WORK to $TOOLS, its definitions first
put() {
  if [[ -d $WORK/$1-crds ]]; then rm -rf "$TOOLS/$1-crds" && mv "$WORK/$1-crds" "$TOOLS/" || return; fi
  mv -f "$WORK/$1" "$TOOLS/$1"
}

# NAME
get() {
  local name=$1 folder module version place
  read -r folder module < <(module_of "$name") || { say "$name: no engine has this name"; return 1; }
  version=$(version_of "$name")
  if place=$(found "$name" "$version"); then
    if [[ $place == "$TOOLS/$name" ]]; then say "$name $version: is there"; else say "$name $version: is there, as $place"; fi
    return
  fi
  mkdir -p "$WORK"
  say "$name $version: downloading ..."
  if ! download "$name" "$version"; then
    say "$name $version: no download; building it with Go: about $(duration "$(seconds_of "$name")") the first time ..."
    build "$name" "$folder" "$version" || { say "$name $version: neither downloaded nor built"; return 1; }
  fi
  put "$name" || { say "$name $version: cannot be put into $TOOLS"; return 1; }
  rm -rf "$WORK"
  say "$name $version: done"
}

[[ $# -gt 0 ]] || set -- "${ALL[@]}"
trap 'rm -rf "$WORK"' EXIT
missing=()
announce "$@"
for name in "$@"; do
  get "$name" || missing+=("$name")
done
if [[ ${#missing[@]} -gt 0 ]]; then
  say "Not to be had, for the reasons above: ${missing[*]}"
  exit 2
fi
