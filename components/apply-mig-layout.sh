#!/usr/bin/env bash
# Divides the GPUs of this node by MIG as the file $1 says, at every boot before the kubelet. A line of the file is
# the index of a GPU and what is wanted of it: `whole`, or instances with the memory slice where each begins
# (`3g.40gb:0,1g.10gb:4`). What is there already stays. Any failure leaves the kubelet off.
set -euo pipefail

readonly layout=$1 rebooted=${STATE_DIRECTORY:?}/rebooted

say() { echo "mig-layout: $*"; }

fail() {
  say "$*; the kubelet does not start" >&2
  exit 1
}

mode() { nvidia-smi -i "$1" --query-gpu=mig.mode.current --format=csv,noheader; }

# The instances that pods can use, as `nvidia-smi -L` lists them below their GPU.
present() {
  nvidia-smi -L | awk -v gpu="GPU $1:" '/^GPU / { here = index($0, gpu) == 1 } here && $1 == "MIG" { print $2 }' | sort
}

wanted() { tr ',' '\n' <<<"$1" | cut -d: -f1 | sort; }

clear() {
  # Both fail where there is nothing to destroy; what is left over is seen at the end.
  nvidia-smi mig -i "$1" -dci || true
  nvidia-smi mig -i "$1" -dgi || true
}

switch() {
  local gpu=$1 number=$2 word=$3
  [[ $(mode "$gpu") == "$word" ]] && return
  nvidia-smi -i "$gpu" -mig "$number"
  [[ $(mode "$gpu") == "$word" ]] && return
  # A100 switches at a reset, and the persistence daemon holds the GPU open.
  systemctl stop nvidia-persistenced.service || true
  nvidia-smi -i "$gpu" --gpu-reset || true
  systemctl start nvidia-persistenced.service || true
  [[ $(mode "$gpu") == "$word" ]] && return
  [[ ! -e $rebooted ]] || fail "the MIG mode of GPU $gpu is $(mode "$gpu") after a reset and a reboot, not $word"
  touch "$rebooted"
  systemctl reboot
  fail "the MIG mode of GPU $gpu changes with the reboot that begins now"
}

divide() {
  local gpu=$1 instances=$2
  if [[ $instances == whole ]]; then
    [[ $(mode "$gpu") != Enabled ]] || clear "$gpu"
    switch "$gpu" 0 Disabled
    return
  fi
  switch "$gpu" 1 Enabled
  if [[ $(present "$gpu") != "$(wanted "$instances")" ]]; then
    clear "$gpu"
    nvidia-smi mig -i "$gpu" -cgi "$instances" -C
  fi
  [[ $(present "$gpu") == "$(wanted "$instances")" ]] ||
    fail "GPU $gpu has $(present "$gpu" | xargs), and $instances is wanted"
}

there=$(nvidia-smi --query-gpu=index --format=csv,noheader | wc -l)
((there == $(wc -l <"$layout"))) || fail "the node has $there GPUs, and the layout is for $(wc -l <"$layout")"
while read -r gpu instances <&3; do
  divide "$gpu" "$instances"
  say "GPU $gpu: $instances"
done 3<"$layout"
rm -f "$rebooted"
