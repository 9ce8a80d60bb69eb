import { parseObject } from "@tritype/core";
import type { Overview, PlaceView } from "./api.ts";
import { failureLines } from "./view/failure-lines.ts";

/** The place in a request from the page; undefined if the body is not a place. */
export const readPlace = (body: Uint8Array): PlaceView | undefined => {
  const { file, line, column } = (parseObject(body) ?? {}) as Partial<Record<keyof PlaceView, unknown>>;
  if (typeof file !== "string" || !isPosition(line)) return undefined;
  return isPosition(column) ? { file, line, column } : { file, line };
};

const isPosition = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/** Whether the page shows a place, so that it cannot open any other file. */
export const isPlaceOfPage = (
  { file }: PlaceView,
  { models, findings }: Overview,
  failure: string | undefined,
): boolean => {
  const places = [
    ...models.map(({ source }) => source),
    ...[...findings, ...models.flatMap((model) => model.findings)].map(({ place }) => place),
    ...failureLines(failure ?? "").map(({ place }) => place),
  ];
  return places.some((place) => place?.file === file);
};
