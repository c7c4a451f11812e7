# shellcheck shell=bash
# Stand-ins for `nvidia-smi` and `systemctl` on a node of $MACHINE: gpus/INDEX/ has the facts of a GPU in files, and
# running/ the units that run. Functions, because a program of its own for each call would take most of the test's time.

nvidia-smi() {
  echo "$*" >>"$MACHINE/log"
  local gpu word index=
  for ((index = 1; index < $#; index++)); do
    [[ ${!index} == -i ]] && word=$((index + 1)) && gpu=$MACHINE/gpus/${!word}
  done
  word=${!#}
  case "$*" in
    -L)
      for ((index = 0; ; index++)); do
        [[ -d $MACHINE/gpus/$index ]] || return 0
        echo "GPU $index: NVIDIA H100 80GB HBM3 (UUID: GPU-$index)"
        for word in $(<"$MACHINE/gpus/$index/instances"); do
          echo "  MIG $word     Device  0: (UUID: MIG-$index)"
        done
      done
      ;;
    *--query-gpu=index*) (cd "$MACHINE/gpus" && printf '%s\n' *) ;;
    *--query-gpu=mig.mode.current*) echo "$(<"$gpu/current")" ;;
    *--query-gpu=mig.mode.pending*) echo "$(<"$gpu/pending")" ;;
    *-mig*)
      [[ $(<"$gpu/refuses") != mode ]] || return 3
      if [[ $word == 1 ]]; then echo Enabled; else echo Disabled; fi >"$gpu/pending"
      [[ $(<"$gpu/switches") == "at once" ]] || return 15
      echo "$(<"$gpu/pending")" >"$gpu/current"
      ;;
    *--gpu-reset*)
      [[ $(<"$gpu/switches") != *"script is ended" ]] || kill -TERM $$
      [[ ! -e $MACHINE/running/nvidia-persistenced.service && $(<"$gpu/switches") == "at a reset" ]] || return 1
      echo "$(<"$gpu/pending")" >"$gpu/current"
      ;;
    *-cgi*)
      [[ -e $MACHINE/running/nvidia-persistenced.service && $(<"$gpu/current") == Enabled ]] || return 1
      [[ ! $(<"$gpu/instances") && $(<"$gpu/refuses") != instances ]] || return 1
      word=$5
      word=${word//:[0-9]/}
      echo "${word//,/ }" >"$gpu/instances"
      ;;
    *-dgi*)
      [[ $(<"$gpu/instances") ]] || return 6
      echo >"$gpu/instances"
      ;;
    *-dci*) ;;
    *) return 9 ;;
  esac
}

# As systemd.unit(5) says of `Requires=`: what requires a unit stops with it, and does not start with it again.
systemctl() {
  echo "systemctl $*" >>"$MACHINE/log"
  local unit
  case "$*" in
    "show --property=RequiredBy --value nvidia-persistenced.service") echo set-nvidia-clocks.service ;;
    "stop nvidia-persistenced.service") rm -f "$MACHINE"/running/{nvidia-persistenced,set-nvidia-clocks}.service ;;
    start\ *)
      for unit in "${@:2}"; do
        [[ $unit == --* ]] || : >"$MACHINE/running/$unit"
      done
      ;;
    reboot) ;;
    *) return 9 ;;
  esac
}
