/** The labels of a label file by index: one per line. */
export const labelsIn = (text: string): readonly string[] =>
  text === "" ? [] : text.replace(/\n$/, "").split("\n");
