import { grpcStatusOf } from "@tritype/protocol";
import { errorText } from "./error-text.ts";

const longest = 2000;

/**
 * The text is sent percent-encoded in HTTP/2 headers, of which clients accept only some kilobytes: official ones 8 to 16. Spaces take
 * three bytes, letters of other scripts up to nine.
 */
export const textOf = (error: unknown): string => {
  const text = errorText(error, longest);
  const size = encodeURI(text).length;
  return size <= 3 * longest ? text : errorText(error, Math.floor((3 * longest ** 2) / size));
};

/** A failure as the status that ends a call. */
export const statusOf = (error: unknown): Error & { readonly code: number } =>
  Object.assign(new Error(textOf(error)), { code: grpcStatusOf(error) });
