import type { PlaceView } from "../api.ts";

/** A line of the terminal's text about a build; `place` is the source that it names. */
export interface FailureLine {
  readonly text: string;
  /** The part of the text that is the place. */
  readonly shown?: string;
  readonly place?: PlaceView;
}

/** The line above a code frame: `┌─ pipeline.ts:16:34`. */
const framed = /^\s*[┌├]─ ((.+):(\d+):(\d+))$/;

export const failureLines = (text: string): readonly FailureLine[] =>
  text.split("\n").map((line) => {
    const [, shown, file, at, column] = framed.exec(line) ?? [];
    return shown === undefined || file === undefined
      ? { text: line }
      : { text: line, shown, place: { file, line: Number(at), column: Number(column) } };
  });
