/** The orders in which models write the four numbers of a box. */
export const boxForms = {
  xyxy: "x1, y1, x2, y2",
  yxyx: "y1, x1, y2, x2",
  xywh: "x, y, width, height",
  cxcywh: "centre x, centre y, width, height",
} as const;
export type BoxForm = keyof typeof boxForms;

/** A box as the model wrote it. */
export interface FoundBox {
  /** Four numbers, which may be anything. */
  readonly numbers: readonly number[];
  readonly label?: string;
  readonly score?: number;
}
