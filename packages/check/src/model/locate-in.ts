import type { Label } from "@tritype/core";
import { type FieldLocator, type FieldPath, locateFields } from "@tritype/triton";

/** Finds positions in a configuration's text: the field, or its nearest parent in the text. */
export const locateIn = (text: string, file: string): ((path: FieldPath, says: string) => Label) => {
  let locate: FieldLocator | undefined;
  return (path, says) => {
    locate ??= locateFields(text);
    for (let depth = path.length; depth > 0; depth--) {
      const place = locate(path.slice(0, depth));
      if (place) return { span: { file, ...place }, text: says };
    }
    return { span: { file, line: 1, column: 1 }, text: says };
  };
};
