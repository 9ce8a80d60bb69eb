const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The elements, which share memory with `packed`; undefined if it does not contain exactly `count` of them. */
export const unpackByteStrings = (packed: Uint8Array, count: number): readonly Uint8Array[] | undefined => {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const elements: Uint8Array[] = [];
  let at = 0;
  while (at + 4 <= packed.byteLength && elements.length < count) {
    const end = at + 4 + view.getUint32(at, true);
    if (end > packed.byteLength) return undefined;
    elements.push(packed.subarray(at + 4, end));
    at = end;
  }
  return at === packed.byteLength && elements.length === count ? elements : undefined;
};

/** String → UTF-8; undefined if it contains a lone surrogate, which is not valid text. */
export const tryEncodeText = (text: string): Uint8Array | undefined =>
  /\p{Surrogate}/u.test(text) ? undefined : encoder.encode(text);

/** UTF-8 → text; undefined if the bytes are not UTF-8. */
export const tryDecodeText = (bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
};
