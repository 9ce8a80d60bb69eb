import type { Picture } from "../api.ts";
import { numberText } from "./texts.ts";

/** The size, the reading of the tensor, and the mapping of its values to shades, in short sentences. */
export const pictureText = ({ width, height, channels, layout, scale, step }: Picture): string =>
  [
    `${width} × ${height} pixels, ${channels === 1 ? "grey" : `read as red, green and blue, ${layout}`}.`,
    scale.kind === "imagenet"
      ? "The values fit ImageNet's mean and standard deviation, which are undone."
      : scale.kind === "range"
        ? `The lowest value, ${numberText(scale.black)}, is black; the highest, ${numberText(scale.white)}, is white.`
        : `${scale.black} is black, ${scale.white} is white.`,
    ...(step === 1 ? [] : [`One of ${step} × ${step} pixels is shown.`]),
  ].join(" ");
