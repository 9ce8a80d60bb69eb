import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

interface TraceRecord {
  readonly id: number;
  readonly parent_id?: number;
  readonly timestamps?: readonly { readonly name: string; readonly ns: number }[];
}

/** Reads the indexed files that a server writes for its traces. */
export interface WrittenTraces {
  /** The traces that have been written since the last call of `forget`, in any order. */
  arrived(): Promise<readonly string[]>;
  forget(): void;
}

export const openWrittenTraces = (file: string): WrittenTraces => {
  let index = 0;
  let found: string[] = [];
  return {
    arrived: async () => {
      for (let text = await complete(`${file}.${index}`); text !== undefined; ) {
        found.push(...tracesOf(text));
        index++;
        text = await complete(`${file}.${index}`);
      }
      return found.toSorted();
    },
    forget: () => {
      found = [];
    },
  };
};

const complete = async (path: string): Promise<string | undefined> => {
  const text = existsSync(path) ? await readFile(path, "utf8") : "";
  return text.endsWith("]") ? text : undefined;
};

/** The traces in a text, as one line for each request with its records, without times and with ids numbered from 0. */
export const tracesOf = (text: string): readonly string[] => {
  const groups = new Map<number, TraceRecord[]>();
  for (const record of JSON.parse(text) as readonly TraceRecord[])
    groups.set(record.id, [...(groups.get(record.id) ?? []), record]);
  const parentOf = (id: number): number | undefined =>
    groups.get(id)?.find(({ parent_id: parent }) => parent !== undefined)?.parent_id;
  const rootOf = (id: number): number => {
    const parent = parentOf(id);
    return parent === undefined ? id : rootOf(parent);
  };
  const traces = new Map<number, string[]>();
  for (const [id, records] of groups) {
    const root = rootOf(id);
    const lines = traces.get(root) ?? [];
    traces.set(root, lines);
    lines.push(groupText(records, root));
  }
  return [...traces.values()].map((lines) => lines.join("\n"));
};

/**
 * Sorts events by the part of the server that recorded them. Parts have no fixed order among each other: the model may
 * complete a response while the server sends the previous one.
 */
export const byRecorder = (events: readonly string[]): readonly string[] => {
  const recorderOf = (name: string): number =>
    1 + ["HTTP_", "GRPC_", "INFER_"].findIndex((prefix) => name.startsWith(prefix));
  return events.toSorted((one, other) => recorderOf(one) - recorderOf(other));
};

const groupText = (records: readonly TraceRecord[], first: number): string => {
  const shown = records.map(({ id, timestamps, parent_id: parent, ...rest }) => {
    if (timestamps !== undefined) return timestamps.map(({ name }) => name).join();
    const above = parent === undefined ? {} : { parent: parent - first };
    return JSON.stringify({ id: id - first, ...rest, ...above });
  });
  const text = byRecorder(shown).join(" ");
  // The end of such an ensemble may be recorded with its last response or separately.
  const mayEndTwice = text.includes('"model_name":"of_decoupled"');
  return mayEndTwice && countOf(text, completed) > countOf(text, "SEND_START")
    ? text.slice(0, -completed.length)
    : text;
};

const completed = " INFER_RESPONSE_COMPLETE";
const countOf = (text: string, part: string): number => text.split(part).length - 1;
