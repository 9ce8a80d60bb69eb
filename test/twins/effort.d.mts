import type { Twin } from "./assemble.mjs";

interface Effort {
  readonly files: number;
  readonly lines: number;
}
export const effort: (twin: Twin) => { readonly hand: Effort; readonly ours: Effort };
