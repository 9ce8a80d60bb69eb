import { elementCount, showType } from "@tritype/core";
import {
  bytesText,
  type Content,
  durationText,
  failureText,
  isStream,
  notFinite,
  numberText,
  partKinds,
  placeText,
  type Recording,
  type TimelineRow,
  timelineOf,
} from "@tritype/inspector/view";
import { printableLine } from "@tritype/project/diagnostics";
import type { Colors } from "picocolors/types.js";

const track = 32;
const marks = { queue: "·", input: "▒", compute: "█", output: "▒" } as const;
const shownElements = 6;
const longestText = 60;

/** A recording for the terminal: the time of every step, then the tensors of every call. */
export const traceLines = (recording: Recording, colors: Colors): readonly string[] => {
  const rows = timelineOf(recording);
  const names = rows.map(({ name, depth }) => `${"  ".repeat(depth)}${printableLine(name)}`);
  const width = Math.max(0, ...names.map(({ length }) => length));
  const column = 9;
  return [
    colors.dim(
      `${" ".repeat(width + track + 4)}${["total", ...partKinds].map((name) => name.padStart(column)).join("")}`,
    ),
    ...rows.map((row, index) => {
      const figures = [
        (row.call.end - row.call.start) / 1000,
        ...(row.parts.length === 0 ? [] : partKinds.map((kind) => row.spent[kind])),
      ];
      return `${names[index]?.padEnd(width) ?? ""}  ${bar(row)}  ${figures.map((ms) => durationText(ms).padStart(column)).join("")}`;
    }),
    ...(recording.left === 0 ? [] : [`${recording.left} more calls are not recorded`]),
    ...rows.flatMap((row) => [
      "",
      ...titleLines(row, colors),
      ...row.call.inputs.map((content) => tensorLine("got ", content, colors)),
      ...responseLines(row, colors),
    ]),
  ];
};

const titleLines = (row: TimelineRow, { bold, red }: Colors): readonly string[] => {
  const failure = failureText(row);
  return [`${bold(printableLine(row.name))}${failure === undefined ? "" : red(` ${failure}`)}`];
};

/** The responses of a call. For a stream, each response has its time, and errors are shown between the responses. */
const responseLines = (row: TimelineRow, colors: Colors): readonly string[] => {
  const { call, arrivals, errors } = row;
  const hasTimes = isStream(row);
  const errorLines = (isHere: (responses: number) => boolean): readonly string[] =>
    errors.flatMap(({ responses, after }) =>
      hasTimes && isHere(responses)
        ? [`  ${colors.red(`error ${placeText(responses)} (${durationText(after)})`)}`]
        : [],
    );
  const count = call.responses.length + call.left;
  const last = arrivals[count - 1];
  return [
    ...call.responses.flatMap((response, index) => [
      ...errorLines((responses) => responses === index),
      ...(hasTimes
        ? [`  ${colors.dim(`response ${index + 1} after ${durationText(arrivals[index]?.after ?? 0)}`)}`]
        : []),
      ...response.map((content) => tensorLine("gave", content, colors)),
    ]),
    ...(call.left === 0
      ? []
      : [
          `  ${colors.dim(`${call.left} more responses are not recorded${last === undefined ? "" : `, the last after ${durationText(last.after)}`}`)}`,
        ]),
    ...errorLines((responses) => responses >= call.responses.length),
  ];
};

const bar = ({ from, to, parts }: TimelineRow): string => {
  const cells = Array.from({ length: track }, () => " ");
  const fill = (start: number, end: number, mark: string): void => {
    const first = Math.min(track - 1, Math.floor(start * track));
    for (let i = first; i < Math.max(first + 1, Math.round(end * track)); i++) if (i < track) cells[i] = mark;
  };
  if (parts.length === 0) fill(from, to, "─");
  for (const part of parts) if (part.to > part.from) fill(part.from, part.to, marks[part.kind]);
  return cells.join("");
};

const tensorLine = (word: string, content: Content, { dim, red }: Colors): string => {
  const { name, dtype, shape, bytes, figures, media, missing } = content;
  const head = `  ${dim(word)} ${printableLine(name)} ${showType({ dtype, dims: shape })}`;
  if (missing !== undefined) return `${head}  ${dim(`not recorded: ${missing}`)}`;
  if (media !== undefined) return `${head}  ${media.type}, ${bytesText(bytes)}`;
  const more = elementCount(shape) - shownElements;
  const shown = content.elements
    .slice(0, shownElements)
    .map((element) =>
      typeof element === "number"
        ? numberText(element)
        : dtype === "BYTES"
          ? quoted(String(element))
          : String(element),
    );
  const values = `[${shown.join(", ")}${more > 0 ? `, … ${more} more` : ""}]`;
  if (figures === undefined || figures.counted <= shownElements)
    return `${head}  ${values}${broken(content, red)}`;
  const { min, max, mean } = figures;
  return `${head}  ${values}  ${dim(`min ${numberText(min)}, max ${numberText(max)}, mean ${numberText(mean)}`)}${broken(content, red)}`;
};

const broken = (content: Content, red: Colors["red"]): string => {
  const count = notFinite(content);
  return count === 0 ? "" : `  ${red(`${count} not finite`)}`;
};

const quoted = (text: string): string =>
  printableLine(JSON.stringify(text.length > longestText ? `${text.slice(0, longestText)}…` : text));
