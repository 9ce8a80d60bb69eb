import { supportPieces } from "../generated/support.ts";
import { caseTable } from "../unicode/case-tables.ts";
import type { SupportPieces } from "./support-piece.ts";

/** Every piece of support code by name, in the order of printing unless a dependency requires otherwise. */
export const supportTable: SupportPieces = {
  ...supportPieces,
  NEWER_LOWER: { text: () => caseTable("lower") },
  NEWER_UPPER: { text: () => caseTable("upper") },
};
