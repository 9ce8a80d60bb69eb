/** What a row has as tokens, when it is padded as if it were alone. */
export interface SizedRow {
  readonly length: number;
}

/**
 * Groups of like lengths, the longest row first: of `maxBatchSize` rows at most, and of their tokens no more than the share `maxWaste`
 * is there only because they differ in length.
 */
export const groupRows = <T extends SizedRow>(
  rows: readonly T[],
  { maxBatchSize, maxWaste }: { readonly maxBatchSize: number; readonly maxWaste: number },
): readonly (readonly T[])[] => {
  const groups: T[][] = [];
  let tokens = 0;
  for (const row of rows.toSorted((a, b) => b.length - a.length)) {
    const last = groups.at(-1);
    const size = (last?.length ?? 0) + 1;
    const longest = last?.[0]?.length ?? 0;
    tokens += row.length;
    if (last !== undefined && size <= maxBatchSize && tokens >= (1 - maxWaste) * (longest * size))
      last.push(row);
    else {
      groups.push([row]);
      tokens = row.length;
    }
  }
  return groups;
};
