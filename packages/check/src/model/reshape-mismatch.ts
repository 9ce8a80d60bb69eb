/** The reason why a reshape would move elements, and Triton's wording for it. */
interface ReshapeMismatch {
  readonly text: string;
  readonly words: "size" | "variable";
}

const ofSize = (text: string): ReshapeMismatch => ({ text, words: "size" });

/** The reason why a reshape would move elements; undefined if it does not, or if its sizes are invalid. */
export const reshapeMismatch = (
  dims: readonly number[],
  shape: readonly number[],
): ReshapeMismatch | undefined => {
  if (dims.length === 0 || [...dims, ...shape].some((dim) => dim < 1 && dim !== -1)) return undefined;
  const [from, to] = [products(dims), products(shape)];
  if (from.length === 1 || to.length === 1) {
    if (from.length !== to.length) return ofSize("one of them has a variable size, but the other does not");
    return from[0] === to[0] ? undefined : ofSize(`${from[0]} elements do not fill ${to[0]}`);
  }
  if (from.length !== to.length)
    return {
      text: `${from.length - 1} dimensions are variable on one side, ${to.length - 1} on the other`,
      words: "variable",
    };
  const apart = from.findIndex((size, i) => size !== to[i]);
  return apart === -1 ? undefined : ofSize(`${from[apart]} elements do not fill ${to[apart]}`);
};

/** Products of the sizes before, between and after the variable dimensions. */
const products = (dims: readonly number[]): readonly bigint[] => {
  const found = [1n];
  for (const dim of dims)
    if (dim === -1) found.push(1n);
    else found.push(BigInt.asIntN(64, (found.pop() ?? 1n) * BigInt(dim)));
  return found;
};
