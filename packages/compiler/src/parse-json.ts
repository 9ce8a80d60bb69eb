import { tryDecodeUtf8 } from "@tritype/core";

/** What a JSON file holds; undefined where there is none, or where it is no JSON. */
export const parseJson = (bytes: Uint8Array | undefined): unknown => {
  try {
    return bytes && (JSON.parse(tryDecodeUtf8(bytes) ?? "") as unknown);
  } catch {
    return undefined;
  }
};
