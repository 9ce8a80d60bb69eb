import { attempt } from "./attempt.ts";
import { generalError } from "./errors.ts";

// Both classes exist in every JavaScript runtime, but not in any ES lib; this is the only place that declares them.
declare const TextEncoder: { new (): { encode(text: string): Uint8Array } };
declare const TextDecoder: {
  new (
    label: string,
    options?: { fatal?: boolean; ignoreBOM?: boolean },
  ): { decode(bytes: Uint8Array): string };
};

const encoder = new TextEncoder();
const lossy = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** String → UTF-8. A lone surrogate becomes U+FFFD. */
export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);
/** UTF-8 → text. Invalid bytes become U+FFFD. @throws PipelineError `request/too-large` for more than 512 MiB. */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  requireHoldable(bytes);
  return lossy.decode(bytes);
};

/** UTF-8 → text, or undefined when the bytes are not valid UTF-8. @throws PipelineError `request/too-large` for more than 512 MiB. */
export const tryDecodeUtf8 = (bytes: Uint8Array): string | undefined => {
  requireHoldable(bytes);
  return attempt(() => strict.decode(bytes));
};

/** The bytes without the byte order mark that some editors write. */
export const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/**
 * The length of V8's longest string. Some decoders do not refuse longer input: at 2 GiB and above, Node's
 * decoder returns an empty string.
 */
const longestText = 2 ** 29 - 24;

const requireHoldable = ({ byteLength }: Uint8Array): void => {
  if (byteLength > longestText)
    throw generalError("request/text-too-long", { size: byteLength, limit: longestText });
};
