import { invariant } from "@tritype/core";
import type { FunctionTensor, FunctionTwinOptions } from "@tritype/manifest";

/** One element per row of the request. */
export const isScalar = ([, ...inner]: FunctionTensor["dims"]): boolean =>
  inner.length === 0 || (inner.length === 1 && inner[0] === 1);

/** A single number is a float; elements of arrays of integers are ints. */
export const readerOf = ({ dtype, dims }: FunctionTensor, per: FunctionTwinOptions["per"]): Reader => {
  if (dtype === "BYTES") return "texts";
  return per === "row" && isScalar(dims) && /^U?INT(?:8|16|32)$/.test(dtype) ? "numbers" : "as_is";
};
type Reader = "as_is" | "numbers" | "texts";

export const writerOf = ({ dtype }: FunctionTensor): Writer => {
  if (dtype === "BYTES") return "encoded";
  if (dtype === "INT64" || dtype === "UINT64") return "big";
  return dtype.includes("INT") ? "integers" : "exact";
};
type Writer = "big" | "encoded" | "exact" | "integers";

/** The expression for the function that creates an output's elements. */
export const writerCall = (type: FunctionTensor): string => {
  const { dtype } = type;
  if (dtype === "BYTES") return "encoded";
  if (dtype === "BOOL") return 'exact("boolean", np.bool_, bool)';
  const numpy = numpyNames[dtype];
  invariant(numpy !== undefined, `no numpy dtype for ${dtype}`);
  if (!dtype.includes("INT")) return `exact("number", ${numpy}, int, float)`;
  const [low, high] = integerRange(dtype);
  return `${writerOf(type)}(${low}, ${high}, ${numpy})`;
};

const integerRange = (dtype: string): readonly [bigint, bigint] => {
  const bits = BigInt(/\d+$/.exec(dtype)?.[0] ?? 0);
  return dtype.startsWith("U") ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
};

const numpyNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [8, 16, 32, 64].flatMap((bits) => [
      [`INT${bits}`, `np.int${bits}`],
      [`UINT${bits}`, `np.uint${bits}`],
    ]),
  ),
  FP16: "np.float16",
  FP32: "np.float32",
  FP64: "np.float64",
};
