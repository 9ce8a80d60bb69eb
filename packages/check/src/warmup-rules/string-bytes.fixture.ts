import { encodeUtf8 } from "@tritype/core";

/** Strings in Triton's storage format. */
export const stringBytes = (...texts: readonly string[]): Uint8Array =>
  new Uint8Array(
    texts.flatMap((one) => {
      const bytes = [...encodeUtf8(one)];
      return [bytes.length, 0, 0, 0, ...bytes];
    }),
  );
