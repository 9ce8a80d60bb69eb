/**
 * The FP32 tensors of a safetensors file; they share memory with it. Source: the format's description in the PyPI package
 * `safetensors`: 8 bytes header length, JSON header, data.
 * @param {Uint8Array} bytes
 * @returns {Map<string, { shape: number[], values: Float32Array }>}
 */
export const readSafetensors = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const dataStart = 8 + Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, dataStart)));
  const tensors = new Map();
  for (const [name, entry] of Object.entries(header)) {
    if (entry.dtype !== "F32") continue;
    const [from, to] = entry.data_offsets;
    // A copy if the file's layout leaves the floats unaligned.
    const data = bytes.subarray(dataStart + from, dataStart + to);
    const aligned = data.byteOffset % 4 === 0 ? data : data.slice();
    tensors.set(name, {
      shape: entry.shape,
      values: new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4),
    });
  }
  return tensors;
};
