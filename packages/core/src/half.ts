const scratch = new DataView(new ArrayBuffer(4));

/** IEEE 754 binary16 bits → number. */
export const halfToNumber = (bits: number): number => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
};

/** Number → IEEE 754 binary16 bits, rounded to nearest, ties to even. */
export const numberToHalf = (value: number): number => {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  if (magnitude < 2 ** -14) return sign | roundHalfEven(magnitude * 2 ** 24);
  const exponent = Math.floor(Math.log2(magnitude));
  const exact = magnitude < 2 ** exponent ? exponent - 1 : exponent;
  return sign | (((exact + 15) << 10) + roundHalfEven((magnitude / 2 ** exact - 1) * 1024));
};

const roundHalfEven = (x: number): number => {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
};

/** bfloat16 bits → number. */
export const bfloat16ToNumber = (bits: number): number => {
  scratch.setUint32(0, bits << 16);
  return scratch.getFloat32(0);
};

/** Number → bfloat16 bits, rounded to nearest, ties to even. */
export const numberToBfloat16 = (value: number): number => {
  if (Number.isNaN(value)) return 0x7fc0;
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
};
