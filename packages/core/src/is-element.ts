import { type DType, dtypes } from "./dtype.ts";
import { rounded } from "./rounded.ts";

/**
 * Whether a JavaScript value is an element of a tensor. Numbers must be exact, except that floats are rounded. Integers of up to 32 bits are
 * never a bigint. For BYTES, texts may contain lone surrogates.
 */
export const isElement = (dtype: DType, value: unknown): boolean => {
  const { family, range, byteSize } = dtypes[dtype];
  if (family === "bytes") return typeof value === "string" || isByteString(value);
  if (family === "bool") return typeof value === "boolean";
  if (range === undefined)
    return typeof value === "number" && (!Number.isFinite(value) || Number.isFinite(rounded(dtype, value)));
  const isWhole = typeof value === "bigint" ? byteSize === 8 : Number.isSafeInteger(value);
  return isWhole && (value as bigint) >= range[0] && (value as bigint) <= range[1];
};

/** Whether it is a Uint8Array, of any realm; a Node Buffer is one. */
export const isByteString = (value: unknown): value is Uint8Array =>
  Object.prototype.toString.call(value) === "[object Uint8Array]";

/** Whether it is a text that UTF-8 cannot represent. */
export const hasLoneSurrogate = (value: unknown): boolean =>
  typeof value === "string" && /\p{Surrogate}/u.test(value);
