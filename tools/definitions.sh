#!/usr/bin/env bash
# Lays the published definitions of custom resources into .tools/NAME-crds, at the versions that charts-values/charts.yaml
# has: `definitions.sh [NAME ...]`. No program is built.
#
# The definitions of KEDA and Karpenter lie beside their engines: `engines.sh` puts them there. Each of the others is taken
# out of the Go module of its project, which the checksum database vouches for, and where that cannot be had, out of the
# project's source at the tag of the version. TOOLS names another folder to fill.
set -euo pipefail
cd "$(dirname "$0")/.."

ALL=(jobset lws kubeflow-trainer kuberay-operator external-secrets prometheus-operator gateway-api gpu-operator)
TOOLS=${TOOLS:-.tools}
CATALOGUE=charts-values/charts.yaml
WORK=$TOOLS/.new-definitions # half of a download is never seen under its own name

say() { printf '%s\n' "$*" >&2; }

# NAME -> entry of the catalogue, its key with the version, module ("-": its versions are no versions of a module), repository
# on GitHub, where the definitions lie in the module, and where the module lies in the repository
source_of() {
  case "$1" in
    jobset) echo jobset version sigs.k8s.io/jobset kubernetes-sigs/jobset config/components/crd/bases . ;;
    lws) echo lws version sigs.k8s.io/lws kubernetes-sigs/lws config/crd/bases . ;;
    kubeflow-trainer) echo kubeflow-trainer version github.com/kubeflow/trainer/v2 kubeflow/trainer manifests/base/crds . ;;
    kuberay-operator) echo kuberay-operator version github.com/ray-project/kuberay/ray-operator ray-project/kuberay config/crd/bases ray-operator ;;
    external-secrets) echo external-secrets version - external-secrets/external-secrets config/crds/bases . ;;
    prometheus-operator)
      echo kube-prometheus-stack operator github.com/prometheus-operator/prometheus-operator \
        prometheus-operator/prometheus-operator example/prometheus-operator-crd .
      ;;
    gateway-api) echo gateway-api version sigs.k8s.io/gateway-api kubernetes-sigs/gateway-api config/crd/standard . ;;
    gpu-operator) echo gpu-operator version - NVIDIA/gpu-operator config/crd/bases . ;;
    *) return 1 ;;
  esac
}

# ENTRY KEY -> 1.2.3
pinned() {
  awk -v entry="$1:" -v key="$2:" '/^[^ #]/ { mine = $1 == entry } mine && $1 == key { sub(/^v/, "", $2); print $2; exit }' "$CATALOGUE"
}

# MODULE VERSION -> the folder of the module, from the cache or downloaded
module() {
  command -v go >/dev/null || { say "  Go is needed to get it as a module"; return 1; }
  (cd "$WORK" && GOFLAGS=-mod=mod go mod download -json "$1@$2") >"$WORK/module.json" \
    || { sed -n 's/.*"Error": "\(.*\)",*$/  \1/p' "$WORK/module.json" >&2; return 1; }
  sed -n 's/.*"Dir": "\(.*\)",*$/\1/p' "$WORK/module.json"
}

# REPOSITORY TAG -> the folder of its source
archive() {
  local url=https://github.com/$1/archive/refs/tags/$2.tar.gz
  curl -fsSL --connect-timeout 5 --speed-limit 1000 --speed-time 30 -o "$WORK/source.tar.gz" "$url" \
    && mkdir "$WORK/source" && tar -xzf "$WORK/source.tar.gz" -C "$WORK/source" --strip-components 1 && echo "$WORK/source"
}

# NAME VERSION: leaves $WORK/NAME-crds. Called where `set -e` has no effect, so each step says what follows its failure.
definitions() {
  local name=$1 version=$2 module repository folder below source file
  read -r _ _ module repository folder below < <(source_of "$name")
  mkdir -p "$WORK/$name-crds"
  if ! { [[ $module != - ]] && source=$(module "$module" "v$version"); }; then
    say "$name $version: no module; downloading its source ..."
    source=$(archive "$repository" "v$version")/$below || return
  fi
  for file in "$source/$folder"/*.yaml; do # beside them lie lists of files, which are no definitions
    if grep -q '^kind: CustomResourceDefinition' "$file"; then install -m 644 "$file" "$WORK/$name-crds/" || return; fi
  done
  [[ -n $(ls "$WORK/$name-crds") ]] || { say "  there are no definitions in $folder"; return 1; }
  echo "$version" >"$WORK/$name-crds/VERSION"
}

# NAME
get() {
  local name=$1 entry key version target=$TOOLS/$1-crds
  read -r entry key _ < <(source_of "$name") || { say "$name: nothing has this name"; return 1; }
  version=$(pinned "$entry" "$key")
  [[ -n $version ]] || { say "$name: $CATALOGUE has no $entry.$key"; return 1; }
  if [[ -f $target/VERSION && $(<"$target/VERSION") == "$version" ]]; then
    say "$name $version: its definitions are there"
    return
  fi
  rm -rf "$WORK" && mkdir -p "$WORK"
  definitions "$name" "$version" || { say "$name $version: its definitions are not to be had"; return 1; }
  rm -rf "$target" && mv "$WORK/$name-crds" "$target" && say "$name $version: its definitions are done"
}

[[ $# -gt 0 ]] || set -- "${ALL[@]}"
trap 'rm -rf "$WORK"' EXIT
missing=()
for name in "$@"; do
  get "$name" || missing+=("$name")
done
if [[ ${#missing[@]} -gt 0 ]]; then
  say "Definitions not to be had, for the reasons above: ${missing[*]}"
  exit 2
fi
