#!/usr/bin/env bash
# Divides the GPUs of this node by MIG as the file $1 says, at every boot before the kubelet. A line of the file is
# the index of a GPU and what is wanted of it: `whole`, or instances with the memory slice where each begins
# (`3g.40gb:0,1g.10gb:4`). What is there already stays. Any failure leaves the kubelet off.
set -euo pipefail

readonly layout=$1 rebooted=${STATE_DIRECTORY:?}/rebooted persistence=nvidia-persistenced.service
stopped=()

say() { echo "mig-layout: $*"; }

fail() {
  say "$*; the kubelet does not start" >&2
  exit 1
}

mode() { nvidia-smi -i "$1" --query-gpu="mig.mode.$2" --format=csv,noheader; }

mode_of() { if [[ $1 == whole ]]; then echo Disabled; else echo Enabled; fi; }

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

# Asks GPU $1 for the mode $2. Where others hold the GPU open it says so and leaves the mode pending.
ask() {
  local gpu=$1 word=$2 number=0
  [[ $(mode "$gpu" current) != "$word" ]] || return 0
  if [[ $word == Enabled ]]; then number=1; else clear "$gpu"; fi
  nvidia-smi -i "$gpu" -mig "$number" || true
  [[ $(mode "$gpu" pending) == "$word" ]] || fail "GPU $gpu does not take the MIG mode $word"
}

# Starts what `reset` stopped. The daemon is waited for, because instances go where nothing holds their GPU open; what
# requires it is not, because it may itself wait for the kubelet, and that for this script.
resume() {
  ((${#stopped[@]})) || return 0
  systemctl start "$persistence" || say "$persistence has not started again" >&2
  systemctl start --no-block "${stopped[@]}" || say "not all of these start again: ${stopped[*]}" >&2
  stopped=()
}

# Resets the GPUs: A100 switches then, and the persistence daemon holds GPUs open. With it stops what requires it,
# such as set-nvidia-clocks.service of EKS's image, which does not come back by itself.
reset() {
  local gpu
  trap resume EXIT
  read -ra stopped <<<"$persistence $(systemctl show --property=RequiredBy --value "$persistence")"
  systemctl stop "$persistence" || true
  for gpu in "$@"; do
    nvidia-smi -i "$gpu" --gpu-reset || true
  done
  resume
}

# The GPUs whose mode is not yet what is wanted of them.
pending() {
  local gpu
  for gpu in "${!asked[@]}"; do
    [[ $(mode "$gpu" current) == "$(mode_of "${asked[gpu]}")" ]] || echo "$gpu"
  done
}

# Every GPU before the first reset, and every reset before the one reboot: after it no GPU may be left to switch.
switch() {
  local gpu left
  for gpu in "${!asked[@]}"; do
    ask "$gpu" "$(mode_of "${asked[gpu]}")"
  done
  mapfile -t left < <(pending)
  ((${#left[@]})) || return 0
  reset "${left[@]}"
  mapfile -t left < <(pending)
  ((${#left[@]})) || return 0
  [[ ! -e $rebooted ]] || fail "after a reset and a reboot the MIG mode has not changed of GPUs ${left[*]}"
  touch "$rebooted"
  systemctl reboot
  fail "with the reboot that begins now the MIG mode changes of GPUs ${left[*]}"
}

divide() {
  local gpu=$1 instances=$2
  [[ $instances != whole ]] || return 0
  if [[ $(present "$gpu") != "$(wanted "$instances")" ]]; then
    clear "$gpu"
    nvidia-smi mig -i "$gpu" -cgi "$instances" -C
  fi
  [[ $(present "$gpu") == "$(wanted "$instances")" ]] ||
    fail "GPU $gpu has $(present "$gpu" | xargs), and $instances is wanted"
}

there=$(nvidia-smi --query-gpu=index --format=csv,noheader | wc -l)
((there == $(wc -l <"$layout"))) || fail "the node has $there GPUs, and the layout is for $(wc -l <"$layout")"
asked=()
while read -r gpu instances; do
  asked[gpu]=$instances
done <"$layout"
switch
for gpu in "${!asked[@]}"; do
  divide "$gpu" "${asked[gpu]}"
  say "GPU $gpu: ${asked[gpu]}"
done
rm -f "$rebooted"
