#!/bin/sh
# Creates the files of the model repository that depend on the server's GPU. Written by `pipeline build`, which overwrites it.
#
#   sh prepare/prepare.sh [model_repository]            on a machine with the server's GPU, in an image that has the tools:
#                                                       nvcr.io/nvidia/tensorrt:24.10-py3
#   sh prepare/prepare.sh --check [model_repository]    checks whether they exist and belong to this build
#
# Files that were built from the same sources in the same way on the same kind of GPU are kept. Next to each file, the script
# records its sources and, if nvidia-smi is available, the GPU.
set -eu
sources=$(cd "$(dirname "$0")" && pwd)
check=
if [ "${1:-}" = --check ]; then
  check=yes
  shift
fi
repository=$(cd "${1:-$sources/../model_repository}" && pwd)
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null) || gpu=
gpu=$(echo "$gpu" | sort -u | paste -sd , -)

# prepare FOLDER FILE KEY TOOL ARGUMENT...    with {path} in the arguments for the file
prepare() {
  folder=$1 file=$repository/$1/$2 key=$3
  shift 3
  if [ -f "$file" ] && [ "$(sed -n 1p "$file.made-of" 2>/dev/null)" = "$key" ]; then
    on=$(sed -n 's/^on //p' "$file.made-of")
    if [ -z "$gpu" ] || [ -z "$on" ] || [ "$gpu" = "$on" ]; then
      echo "$file is up to date"
      return
    fi
    why="was built on $on, but this machine has $gpu"
  else
    why="does not exist, or belongs to another build"
  fi
  if [ -n "$check" ]; then
    echo "$file $why: run prepare.sh" >&2
    exit 1
  fi
  rm -f "$file" "$file.made-of"
  for argument; do
    shift
    case $argument in *"{path}"*) argument=${argument%%"{path}"*}$file.part${argument#*"{path}"} ;; esac
    set -- "$@" "$argument"
  done
  mkdir -p "$repository/$folder"
  (cd "$sources/$folder" && "$@")
  mv "$file.part" "$file"
  printf '%s\n' "$key" ${gpu:+"on $gpu"} >"$file.made-of"
}

prepare encoder/1 model.plan 87219980bec08360 \
  trtexec \
  --onnx=model.onnx \
  --saveEngine={path} \
  --minShapes=input_ids:1x1,attention_mask:1x1 \
  --optShapes=input_ids:16x64,attention_mask:16x64 \
  --maxShapes=input_ids:16x256,attention_mask:16x256 \
  --fp16 \
  --memPoolSize=workspace:4096 \
  --skipInference
