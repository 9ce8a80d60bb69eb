"""Writes the fp16 or int8 variant of an ONNX file: make_variant.py fp16|int8 source.onnx target.onnx"""

import sys

import onnx


def fp16(source, target):
    from onnxruntime.transformers.float16 import convert_float_to_float16

    model = convert_float_to_float16(onnx.load(source), keep_io_types=True)
    onnx.save(model, target)


def int8(source, target):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(source, target, weight_type=QuantType.QInt8)


if __name__ == "__main__":
    kind, source, target = sys.argv[1:]
    {"fp16": fp16, "int8": int8}[kind](source, target)
