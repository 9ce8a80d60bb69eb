/** The default of Triton's `--model-load-thread-count`. */
const atOnce = 4;

/** Loads items in parallel, four at a time, started in order; the results are in the same order. */
export const loadTogether = async <T, R>(
  items: readonly T[],
  load: (item: T) => Promise<R>,
): Promise<readonly R[]> => {
  const results: R[] = [];
  const rest = items.entries();
  const loadOneByOne = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await load(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, loadOneByOne));
  return results;
};
