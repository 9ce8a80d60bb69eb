#!/bin/sh
# build_plan.sh MODEL.onnx: writes the plan for the GPU of this machine, with the TensorRT of the image that will serve it.
set -eu
docker run --rm --gpus all --volume "$PWD:/work" --workdir /work nvcr.io/nvidia/tensorrt:24.10-py3 \
  trtexec --onnx="$1" --saveEngine=model_repository/model_trt/1/model.plan --fp16 \
  --minShapes=input_ids:1x8,attention_mask:1x8 \
  --optShapes=input_ids:8x32,attention_mask:8x32 \
  --maxShapes=input_ids:32x128,attention_mask:32x128
