#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs the peers that there are (Debian's PyTorch, ONNX and matplotlib; in BUILD/peers
# ONNX Runtime of npm and a Debian 13 with XNNPACK and the headers of ONNX Runtime) and
# runs all networks and kernels in turn with them.
#
#   benchmarks/peers/setup.sh BUILD [OPTION OF run.py...]
#
# Works as root or with sudo. Tables and plots go to BUILD/peers.

set -euo pipefail

[ $# -ge 1 ] || { sed -n '4,11s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
peers=$build/peers
mkdir -p "$peers"
sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)

echo "== Installing PyTorch, ONNX, matplotlib"
"${sudo[@]}" apt-get update -q >"$peers/install.log"
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
  --no-install-recommends python3-torch python3-torchvision python3-onnx \
  python3-matplotlib libopenblas0-pthread >>"$peers/install.log"
# Who has node of another source has npm, too.
command -v npm >/dev/null ||
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
    --no-install-recommends nodejs npm >>"$peers/install.log"

echo "== Installing ONNX Runtime"
# Its script only fetches what is for other processors.
npm install --prefix "$peers" --ignore-scripts --no-audit --no-fund --silent \
  onnxruntime-node >>"$peers/install.log" ||
  echo "ONNX Runtime is left out, see $peers/install.log"
ort=$peers/node_modules/onnxruntime-node

echo "== Installing XNNPACK"
debian13=$peers/debian13
if [ ! -e "$debian13/usr/include/xnnpack.h" ]; then
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
  { "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
    --no-install-recommends debootstrap &&
    "${sudo[@]}" debootstrap --variant=minbase \
      --include=libxnnpack-dev,libpthreadpool-dev,libonnxruntime-dev \
      trixie "$debian13" "$mirror"; } >>"$peers/install.log" 2>&1 ||
    echo "XNNPACK and ONNX Runtime are left out, see $peers/install.log"
fi

echo "== Kernels"
/usr/bin/python3 "$root/benchmarks/kernels/run.py" --build "$build" \
  -o "$peers/kernels.md" "$@"
echo "== Networks"
/usr/bin/python3 "$root/benchmarks/peers/run.py" --build "$build" --ort "$ort" \
  --debian13 "$debian13" -o "$peers/networks.md" "$@"
for table in kernels networks; do
  /usr/bin/python3 "$root/benchmarks/plot.py" "$peers/$table.md" -o "$peers/$table.svg"
done
echo "== Networks of torchvision"
/usr/bin/python3 "$root/benchmarks/peers/export_torchvision.py" "$peers" \
  mobilenet_v2 shufflenet_v2_x1_0 efficientnet_b0 resnet50 convnext_tiny
/usr/bin/python3 "$root/benchmarks/peers/onnx_files.py" --build "$build" --ort "$ort" \
  --debian13 "$debian13" -o "$peers/torchvision.md" "$peers"/*.onnx
