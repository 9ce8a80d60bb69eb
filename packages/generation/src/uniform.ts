/** A number from 0 up to 1, by SplitMix64's mixing of its place. */
export const uniform = (seed: bigint, row: number, made: number): number => {
  const mixed = mix(mix(mix(seed) + BigInt(row)) + BigInt(made));
  return Number(mixed >> 11n) / 2 ** 53;
};

const mix = (value: bigint): bigint => {
  let mixed = BigInt.asUintN(64, value + 0x9e3779b97f4a7c15n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
  return mixed ^ (mixed >> 31n);
};
