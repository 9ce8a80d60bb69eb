/** The first bytes of files that a browser can show or play. */
const beginnings: readonly (readonly [type: string, bytes: readonly number[], at?: number])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x57, 0x45, 0x42, 0x50], 8],
  ["audio/wav", [0x57, 0x41, 0x56, 0x45], 8],
  ["audio/ogg", [0x4f, 0x67, 0x67, 0x53]],
  ["audio/flac", [0x66, 0x4c, 0x61, 0x43]],
  ["audio/mpeg", [0x49, 0x44, 0x33]],
];

/** The type of a picture or a sound, by its first bytes. SVG is left out: it is markup. */
export const mediaType = (bytes: Uint8Array): string | undefined =>
  beginnings.find(([, begin, at = 0]) => begin.every((byte, i) => bytes[at + i] === byte))?.[0];
