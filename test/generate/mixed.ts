/** SplitMix64's mixing: pseudorandom numbers, the same in every run. */
export const mixed = (value: bigint): bigint => {
  let state = BigInt.asUintN(64, value + 0x9e3779b97f4a7c15n);
  state = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
  state = BigInt.asUintN(64, (state ^ (state >> 27n)) * 0x94d049bb133111ebn);
  return state ^ (state >> 31n);
};
