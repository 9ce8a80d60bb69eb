import { attempt, tryDecodeUtf8, withoutMark } from "@tritype/core";

/** The content of a JSON file; undefined if the file does not exist or is not JSON. */
export const parseJson = (bytes: Uint8Array | undefined): unknown =>
  attempt(() => bytes && (JSON.parse(tryDecodeUtf8(withoutMark(bytes)) ?? "") as unknown));
