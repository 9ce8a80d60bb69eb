import { type Steps, stepSize } from "./steps.ts";

/** The bytes of a base64 text; meaningless characters are skipped, as in Triton (libb64). */
export function* decodeBase64(text: string): Steps<Uint8Array> {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let held = 0;
  for (let i = 0; i < text.length; i++) {
    if (i % stepSize === stepSize - 1) yield;
    const value = values[text.charCodeAt(i)] ?? none;
    if (value === none) continue;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = (held >> bits) & 0xff;
  }
  return bytes.subarray(0, length);
}

const none = 255;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = new Uint8Array(128).fill(none);
for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;
