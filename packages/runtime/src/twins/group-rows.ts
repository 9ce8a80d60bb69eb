/** Number of tokens of a row if it were padded alone. */
export interface SizedRow {
  readonly length: number;
}

/**
 * Groups rows of similar lengths, the longest row first. A group has at most `maxBatchSize` rows, and at most the share
 * `maxWaste` of its tokens is padding due to different lengths.
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
