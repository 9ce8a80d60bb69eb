import { attempt } from "@tritype/core";
import { decodeModel, readModelOutline } from "@tritype/onnx";
import type { HostFile } from "@tritype/compiler";

/** Operators of an ONNX file that compute with integers instead of floats, without duplicates; empty for an unreadable file. */
export const quantizedOperators = ({
  size,
  readAt,
}: Pick<HostFile, "size" | "readAt">): readonly string[] => {
  const outline = readModelOutline(size, readAt);
  if (outline === undefined) return [];
  return (
    attempt(() => {
      const names = (decodeModel(outline).graph?.node ?? []).flatMap(({ opType }) => opType ?? []);
      return [...new Set(names)].filter((name) => quantized.test(name)).toSorted();
    }) ?? []
  );
};

const quantized =
  /^(?:DequantizeLinear|QuantizeLinear|DynamicQuantizeLinear|QLinear\w+|\w+Integer|DynamicQuantize\w+|MatMulNBits)$/;
