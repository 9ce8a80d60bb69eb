/** Joins the parts. */
export const concatBytes = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
};

/** BYTES in wire format: each element is a little-endian uint32 length followed by that many bytes. */
export const packByteStrings = (elements: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const packed = new Uint8Array(elements.reduce((size, element) => size + 4 + element.byteLength, 0));
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const element of elements) {
    view.setUint32(at, element.byteLength, true);
    packed.set(element, at + 4);
    at += 4 + element.byteLength;
  }
  return packed;
};
