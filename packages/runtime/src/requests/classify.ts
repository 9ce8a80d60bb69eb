import { type DType, dtypes, encodeUtf8, type TensorData, typedArrayOf, foreignError } from "@tritype/core";

/** Whether Triton's front ends rank elements of this dtype. */
const isRanked = (dtype: DType): boolean =>
  dtypes[dtype].family === "int" || dtype === "FP32" || dtype === "FP64";

/**
 * The largest elements of each row as `value:index` or `value:index:label`, BYTES[batch, k]; without a batch, those of
 * the whole tensor, BYTES[k]. Source: `TopkClassifications` of Triton's server.
 * @throws PipelineError `request/invalid` with Triton's text for elements that cannot be ordered.
 */
export const classify = (
  name: string,
  tensor: TensorData,
  wanted: number,
  batched: boolean,
  labels: readonly string[],
): TensorData => {
  if (tensor.dtype === "BYTES" || !isRanked(tensor.dtype))
    throw foreignError(
      "request/invalid",
      `class result not available for output due to unsupported type '${tensor.dtype}'`,
    );
  const values: ArrayLike<number | bigint> = typedArrayOf(tensor);
  const rows = batched ? (tensor.shape[0] ?? 0) : 1;
  const size = rows === 0 ? 0 : values.length / rows;
  const count = Math.min(wanted, size);
  const decimal = tensor.dtype === "FP32" || tensor.dtype === "FP64";
  const data = Array.from({ length: rows }, (_, row) => {
    const own = Array.from({ length: size }, (__, index) => values[row * size + index] ?? 0);
    return largest(own, count).map((index) => {
      const value = own[index] ?? 0;
      const label = (labels[index] ?? "") === "" ? "" : `:${labels[index]}`;
      return encodeUtf8(`${decimal ? printFloat(Number(value)) : String(value)}:${index}${label}`);
    });
  }).flat();
  return { dtype: "BYTES", shape: batched ? [rows, count] : [count], data };
};

const largest = (values: readonly (number | bigint)[], count: number): readonly number[] =>
  [...values.keys()]
    .toSorted((a, b) => {
      const [x, y] = [values[a] ?? 0, values[b] ?? 0];
      return x === y ? 0 : x > y ? -1 : 1;
    })
    .slice(0, count);

/** The format of C's `%f`: six decimals, no exponent; unlike in JavaScript, a tie is rounded to the even digit, and 0 has a sign. */
const printFloat = (value: number): string => {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.000000";
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}.000000`;
  // Only odd multiples of 1/128 have exactly seven decimals.
  const exact = value.toFixed(7);
  const staysEven = Math.abs((value * 128) % 2) === 1 && /[02468]5$/.test(exact);
  return staysEven ? exact.slice(0, -1) : value.toFixed(6);
};
