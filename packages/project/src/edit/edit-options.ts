import type { OptionEdit } from "./edit-source.ts";

/**
 * Writes options into a TypeScript source, in its existing style. Missing parent objects are created; an existing
 * option is replaced.
 * @returns The new source, and the edits that must be made manually because the options are not written as literals.
 */
export const editOptions = async (
  source: string,
  edits: readonly OptionEdit[],
): Promise<{ readonly text: string; readonly left: readonly OptionEdit[] }> => {
  const { editSource } = await import("./edit-source.ts");
  const left: OptionEdit[] = [];
  const text = edits.toSorted(fromTheEnd).reduce((now, edit) => {
    const edited = editSource(now, edit);
    if (edited === undefined) left.push(edit);
    return edited ?? now;
  }, source);
  return { text, left };
};

/** Later calls are edited first, so that the positions of the others stay valid. */
const fromTheEnd = (a: OptionEdit, b: OptionEdit): number =>
  (b.call?.line ?? 0) - (a.call?.line ?? 0) || (b.call?.column ?? 0) - (a.call?.column ?? 0);
