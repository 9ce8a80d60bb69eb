import type { CapturedRequest } from "@tritype/compiler";

/**
 * For each model, the requests from code that have the largest and the smallest size of each dim. Requests that run in
 * parallel have no inherent order, so the largest come first.
 */
export const fewRequests = (requests: readonly CapturedRequest[]): readonly CapturedRequest[] =>
  [...new Set(requests.map(({ model }) => model))]
    .toSorted()
    .flatMap((name) => extremes(requests.filter(({ model }) => model === name).toSorted(bySize)));

const extremes = (requests: readonly CapturedRequest[]): readonly CapturedRequest[] => {
  const sizes = requests.map(sizesOf);
  const dims = new Set(sizes.flatMap((one) => [...one.keys()]));
  const kept = new Set([0]);
  for (const dim of dims) {
    const all = sizes.map((one) => one.get(dim) ?? 0);
    const smallest = all.reduce((a, b) => Math.min(a, b));
    const largest = all.reduce((a, b) => Math.max(a, b));
    kept.add(all.indexOf(smallest)).add(all.indexOf(largest));
  }
  return requests.filter((_, index) => kept.has(index));
};

/** The sizes by input and axis; the length of a text in bytes is a size too. */
const sizesOf = ({ inputs }: CapturedRequest): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(inputs).flatMap(([name, { dtype, dims, bytes }]) => [
      ...dims.map((size, axis) => [`${axis} ${name}`, size] as const),
      ...(dtype === "BYTES" ? [[name, bytes.length] as const] : []),
    ]),
  );

const bySize = (a: CapturedRequest, b: CapturedRequest): number => {
  const [one, other] = [contentOf(a), contentOf(b)];
  return other.length - one.length || Buffer.compare(one, other);
};

const contentOf = ({ inputs }: CapturedRequest): Buffer =>
  Buffer.concat(
    Object.entries(inputs).flatMap(([name, { dims, bytes }]) => [
      Buffer.from(JSON.stringify([name, dims])),
      bytes,
    ]),
  );
