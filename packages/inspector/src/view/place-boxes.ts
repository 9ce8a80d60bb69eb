import type { BoxForm, FoundBox } from "./boxes.ts";

/** Boxes that are drawn on one picture. */
export const mostDrawn = 100;

/** A box on a picture. */
export interface PlacedBox {
  /** The part within the picture, as fractions of its sides. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** x1, y1, x2 and y2 in pixels; they may be outside the picture. */
  readonly corners: readonly number[];
  readonly label: string | undefined;
  readonly score: number | undefined;
}

export interface PlacedBoxes {
  /** Those with the highest scores first. */
  readonly boxes: readonly PlacedBox[];
  /** The reason and the number of boxes that are not drawn. */
  readonly left: readonly (readonly [reason: string, count: number])[];
}

export interface Placing {
  readonly form: BoxForm;
  readonly areFractions: boolean;
  /** The size of the picture in pixels. */
  readonly width: number;
  readonly height: number;
  /** Boxes with a lower score are not drawn. */
  readonly least: number;
}

export const placeBoxes = (found: readonly FoundBox[], placing: Placing): PlacedBoxes => {
  const { width, height, least } = placing;
  const left = new Map<string, number>();
  const leave = (reason: string): readonly never[] => {
    left.set(reason, (left.get(reason) ?? 0) + 1);
    return [];
  };
  const boxes = found.flatMap(({ numbers, label, score }): readonly PlacedBox[] => {
    const known = score === undefined || Number.isNaN(score) ? undefined : score;
    if (known !== undefined && known < least) return leave(`with a score below ${least}`);
    const corners = cornersOf(numbers, placing);
    if (!corners.every(Number.isFinite)) return leave("without finite coordinates");
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = corners;
    if (x2 <= x1 || y2 <= y1) return leave("without an area");
    if (x2 <= 0 || y2 <= 0 || x1 >= width || y1 >= height) return leave("outside the picture");
    const [from, to] = [
      [clip(x1 / width), clip(y1 / height)],
      [clip(x2 / width), clip(y2 / height)],
    ] as const;
    return [
      {
        left: from[0],
        top: from[1],
        width: to[0] - from[0],
        height: to[1] - from[1],
        corners,
        label,
        score: known,
      },
    ];
  });
  const sorted = boxes.toSorted((a, b) => (b.score ?? -Infinity) - (a.score ?? -Infinity) || 0);
  if (sorted.length > mostDrawn) left.set(`after the first ${mostDrawn}`, sorted.length - mostDrawn);
  return { boxes: sorted.slice(0, mostDrawn), left: [...left] };
};

const clip = (fraction: number): number => Math.min(1, Math.max(0, fraction));

const cornersOf = (
  [a = NaN, b = NaN, c = NaN, d = NaN]: readonly number[],
  { form, areFractions, width, height }: Placing,
): readonly number[] => {
  const corners = {
    xyxy: [a, b, c, d],
    yxyx: [b, a, d, c],
    xywh: [a, b, a + c, b + d],
    cxcywh: [a - c / 2, b - d / 2, a + c / 2, b + d / 2],
  }[form];
  return areFractions ? corners.map((one, at) => one * (at % 2 === 0 ? width : height)) : corners;
};
