import { invariant } from "@tritype/core";
import type { FunctionTensor, FunctionTwinOptions } from "@tritype/manifest";

/** One element per row. */
export const isScalar = ([, ...inner]: FunctionTensor["dims"]): boolean =>
  inner.length === 0 || (inner.length === 1 && inner[0] === 1);

/** A number that stands alone is a float; elements of arrays of integers are ints. */
export const readerOf = ({ dtype, dims }: FunctionTensor, per: FunctionTwinOptions["per"]): Reader => {
  if (dtype === "BYTES") return "texts";
  return per === "row" && isScalar(dims) && /^U?INT(?:8|16|32)$/.test(dtype) ? "numbers" : "as_is";
};
type Reader = keyof typeof readers;
export const textOfReader = (reader: Reader): string => readers[reader];
const readers = {
  as_is: `\
def as_is(name, array):
    return array.reshape(-1).tolist()


`,
  numbers: `\
def numbers(name, array):
    return array.reshape(-1).astype(np.float64).tolist()


`,
  texts: `\
def texts(name, array):
    found = []
    for index, value in enumerate(array.reshape(-1)):
        try:
            found.append(units(value.decode("utf-8")))
        except UnicodeDecodeError:
            row = index * len(array) // array.size
            raise InvalidRequest(f"row {row} of {name} is not valid UTF-8") from None
    return found


`,
} as const;

export const writerOf = ({ dtype }: FunctionTensor): Writer => {
  if (dtype === "BYTES") return "encoded";
  if (dtype === "INT64" || dtype === "UINT64") return "big";
  return dtype.includes("INT") ? "integers" : "exact";
};
type Writer = keyof typeof writers;
export const textOfWriter = (writer: Writer): string => writers[writer];
const writers = {
  big: `\
def big(low, high, dtype):
    def convert(what, values):
        demand(what, values, "bigint", int)
        if values and not low <= min(values) <= max(values) <= high:
            raise InvalidResult(f"{what} holds what is no bigint from {low} to {high}")
        return np.array(values, dtype)

    return convert


`,
  encoded: `\
def encoded(what, values):
    demand(what, values, "string", str)
    return np.array([utf8(value) for value in values], object)


`,
  exact: `\
def exact(called, dtype, *types):
    def convert(what, values):
        demand(what, values, called, *types)
        with np.errstate(over="ignore"):
            return np.array(values, dtype)

    return convert


`,
  integers: `\
def integers(low, high, dtype):
    def convert(what, values):
        demand(what, values, "number", int, float)
        array = np.array(values, np.float64)
        if not ((low <= array) & (array <= high) & (array == np.trunc(array))).all():
            raise InvalidResult(f"{what} holds what is no whole number from {low} to {high}")
        return array.astype(dtype)

    return convert


`,
} as const;

/** Expression of the function that makes an output's elements. */
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
