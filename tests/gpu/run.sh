#!/usr/bin/env bash
# Everything that needs a GPU, in under 8 minutes on one. Without network: see docs/results/gpu.md.
#   tests/gpu/run.sh [--tiny] [OUT]     results in OUT/gpu-results.json (default: a new folder gpu-out)
# --tiny tries every part on the CPU. PYTHON names another Python than python3. A part that fails or runs out of time
# does not stop the others.
set -u
tiny=()
if [ "${1:-}" = --tiny ]; then tiny=(--tiny); shift; fi
cd "$(dirname "$0")/../.." || exit 1
out=${1:-gpu-out}
python=${PYTHON:-python3}
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
logs=$(mktemp -d)
results=$out/gpu-results.json
export PYTHONPATH=$PWD${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1 HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false
export MAX_JOBS=${MAX_JOBS:-8}
# a folder of its own: whoever is killed while compiling leaves a lock that everybody else waits for
export TORCH_EXTENSIONS_DIR=${TORCH_EXTENSIONS_DIR:-$logs/extensions}
failed=0
if [ ${#tiny[@]} = 0 ]; then longer=1; else longer=2; fi # a CPU takes its time

# part NAME SECONDS MODULE [ARGUMENT ...]: the module ends by itself after SECONDS; timeout is for one that hangs
part() {
  local name=$1 seconds=$(($2 * longer))
  shift 2
  echo "== $name: at most $seconds s, started after $SECONDS s"
  timeout -k 5 $((seconds + 20)) "$python" -m "$@" --results "$results" --folder "$logs/${name// /-}" \
    --seconds "$seconds" ${tiny[@]+"${tiny[@]}"} || { failed=1; echo "   $name ended with status $?"; }
}

echo "== what is here: at most 60 s"
timeout 60 "$python" -m tests.gpu.installed --results "$results" || { echo "   ended with status $?"; failed=1; }

echo "== fused Adam is compiled beside the first part: at most 150 s"
compile='from deepspeed.accelerator import get_accelerator
get_accelerator().create_op_builder("FusedAdamBuilder").load()'
timeout 150 "$python" -c "$compile" >"$out/fused-adam.log" 2>&1 &
compiler=$!

part "pairs bf16" 110 tests.gpu.pairs --precision bf16
if wait "$compiler"; then
  part "fused Adam" 60 tests.gpu.pairs --precision bf16 --fused
else
  echo "   fused Adam was not compiled: $out/fused-adam.log"
  rm -f "$TORCH_EXTENSIONS_DIR"/fused_adam/lock "$TORCH_EXTENSIONS_DIR"/*/fused_adam/lock
  failed=1
fi
part "throughput" 110 tests.gpu.throughput
part "pairs fp16" 90 tests.gpu.pairs --precision fp16

tar -czf "$out/logs.tar.gz" -C "$logs" --exclude ./extensions . && rm -rf "$logs"
echo "== ended after $SECONDS s: $results"
exit $failed
