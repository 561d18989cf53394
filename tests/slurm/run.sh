#!/usr/bin/env bash
# The workflow through a real Slurm of one node on this machine, and locally: the scores must be the same bytes.
# Installs Debian's slurm-wlm and munge if they are missing (that needs root), keeps all files in a scratch folder, and at the
# end stops the daemons that it started, by their ids.
#   tests/slurm/run.sh [config/quick.yaml]
#   WORK=/tmp/labelknn-slurm  where; a unix socket's path must be short       BIN=.venv/bin  where snakemake is
set -euo pipefail

ROOT=$(cd "$(dirname "$0")/../.." && pwd)
CONFIG=$(realpath "${1:-$ROOT/config/quick.yaml}")
WORK=${WORK:-/tmp/labelknn-slurm}
BIN=${BIN:-$ROOT/.venv/bin}
HOST=$(hostname -s)
USER_NAME=$(id -un)

for program in munged slurmctld slurmd sbatch; do
    command -v "$program" >/dev/null || { apt-get update -qq && apt-get install -y -qq slurm-wlm munge; break; }
done

rm -rf "$WORK"
mkdir -p "$WORK"/{munge,state,spool,bin,local,slurm}
chmod 700 "$WORK/munge"

pids=()
stop() {
    export SLURM_CONF=$WORK/slurm.conf
    scancel --user "$USER_NAME" 2>/dev/null || true
    for _ in {1..50}; do [[ $(squeue --noheader 2>/dev/null) ]] || break; sleep .2; done
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do
        for _ in {1..50}; do kill -0 "$pid" 2>/dev/null || break; sleep .2; done
    done
}
trap stop EXIT

wait_for() { # a file that a daemon writes
    for _ in {1..100}; do [[ -s $1 ]] && return; sleep .2; done
    echo "no $1 after 20 seconds; the logs are in $WORK" >&2
    exit 1
}

dd if=/dev/urandom of="$WORK/munge/key" bs=1024 count=1 status=none
chmod 600 "$WORK/munge/key"
munged --force --key-file="$WORK/munge/key" --socket="$WORK/munge/socket" --pid-file="$WORK/munge/pid" \
    --log-file="$WORK/munge/log" --seed-file="$WORK/munge/seed"
wait_for "$WORK/munge/pid"
pids+=("$(cat "$WORK/munge/pid")")

# More memory than there is would make the node invalid.
MEMORY=$(awk '/^MemTotal/ {print int($2 / 1024 * 0.95)}' /proc/meminfo)
cat >"$WORK/slurm.conf" <<CONF
ClusterName=labelknn
SlurmctldHost=$HOST(127.0.0.1)
SlurmUser=$USER_NAME
SlurmdUser=$USER_NAME
AuthType=auth/munge
AuthInfo=socket=$WORK/munge/socket
SlurmctldPort=26817
SlurmdPort=26818
StateSaveLocation=$WORK/state
SlurmdSpoolDir=$WORK/spool
SlurmctldPidFile=$WORK/slurmctld.pid
SlurmdPidFile=$WORK/slurmd.pid
SlurmctldLogFile=$WORK/slurmctld.log
SlurmdLogFile=$WORK/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=500
EnforcePartLimits=ALL
MinJobAge=3600
ReturnToService=2
NodeName=$HOST NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$MEMORY State=UNKNOWN
PartitionName=main Nodes=$HOST Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$WORK/slurm.conf
slurmctld -i -f "$SLURM_CONF"
wait_for "$WORK/slurmctld.pid"
pids+=("$(cat "$WORK/slurmctld.pid")")
slurmd -N "$HOST" -f "$SLURM_CONF"
wait_for "$WORK/slurmd.pid"
pids+=("$(cat "$WORK/slurmd.pid")")
for _ in {1..100}; do [[ $(sinfo --noheader --format=%t) == idle ]] && break; sleep .2; done
sinfo

# Inside a job, Snakemake's step executor calls srun without SLURM_CONF.
cat >"$WORK/bin/srun" <<WRAPPER
#!/bin/sh
SLURM_CONF=$WORK/slurm.conf exec $(command -v srun) "\$@"
WRAPPER
chmod +x "$WORK/bin/srun"
export PATH=$WORK/bin:$PATH

run() { # folder, then options
    local folder=$1
    shift
    "$BIN/snakemake" --snakefile "$ROOT/Snakefile" --directory "$WORK/$folder" --configfile "$CONFIG" "$@"
}

export LABELKNN_MIRROR=${LABELKNN_MIRROR:-$([[ -d $ROOT/../shared/data ]] && realpath "$ROOT/../shared/data" || true)}
SECONDS=0
run slurm --workflow-profile "$ROOT/workflow/profiles/slurm" --jobs 50 --local-cores "$(nproc)" --latency-wait 10 \
    --default-resources slurm_partition=main "mem_mb=1500 * attempt" "runtime=30 * attempt" \
    --slurm-status-command squeue --slurm-init-seconds-before-status-checks 2 --slurm-no-account
echo "through Slurm: $SECONDS s, $(($(squeue --noheader --states all | wc -l))) submissions"
SECONDS=0
run local --cores all
echo "locally: $SECONDS s"

compared=0
while IFS= read -r -d '' file; do
    cmp "$WORK/local/$file" "$WORK/slurm/$file"
    compared=$((compared + 1))
done < <(cd "$WORK/local" && find data/cells -name 'scores-*.csv' -print0)
[[ $compared -gt 0 ]] || { echo "nothing to compare" >&2; exit 1; }
[[ $compared -eq $(find "$WORK/slurm/data/cells" -name 'scores-*.csv' | wc -l) ]] || { echo "not the same cells" >&2; exit 1; }
echo "$compared score tables, byte for byte the same"
