/** The numbers of a JSON object or array in order, and the text without them. */
export interface JsonNumbers {
  readonly numbers: readonly number[];
  readonly without: string;
}

/** Undefined for text that is not a JSON object or array. */
export const jsonNumbers = (text: string): JsonNumbers | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const numbers: number[] = [];
  try {
    const without = JSON.stringify(JSON.parse(text), (_, value: unknown) => {
      if (typeof value !== "number") return value;
      numbers.push(value);
      return 0;
    });
    return { numbers, without };
  } catch {
    return undefined;
  }
};
