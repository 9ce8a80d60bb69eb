/** Number of tokens of a row if it were padded alone. */
export interface SizedRow {
  readonly length: number;
}

/**
 * Groups of similar lengths, the longest row first: at most `maxBatchSize` rows each, and at most the share `maxWaste`
 * of their tokens exists only because their lengths differ.
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
