import { crc32, deflateSync } from "node:zlib";

/** Eight bits for each value of a pixel: one for gray, three for color. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  readonly values: Uint8Array;
}

export const encodePng = ({ width, height, channels, values }: Pixels): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, channels === 3 ? 2 : 0], 8);
  const line = width * channels;
  // Each line begins with its filter: 0 means none.
  const lines = Buffer.alloc(height * (line + 1));
  for (let y = 0; y < height; y++) lines.set(values.subarray(y * line, (y + 1) * line), y * (line + 1) + 1);
  return Buffer.concat([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(lines, { level: 1 })),
    chunk("IEND", new Uint8Array()),
  ]);
};

const chunk = (name: string, data: Uint8Array): Buffer => {
  const named = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.byteLength);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
};
