import { attempt } from "@tritype/core";
/**
 * The reason why the server refused a model or failed to start, read from its log. Source: the messages of tritonserver
 * 2.51.
 */
export function readProblem(line: string): string | undefined {
  for (const pattern of patterns) {
    const text = pattern.exec(line)?.[1];
    if (text !== undefined) return unquote(text).trim();
  }
  return undefined;
}

/** A line that a function on Node printed, or that is about its process. */
export interface PrintedLine {
  /** The instance of its model: `clean_0_0`. */
  readonly instance: string;
  readonly text: string;
}

/** Reads the line of a function from a line of the server's log; undefined for other lines. The emitted model.py wrote it. */
export function readPrinted(line: string): PrintedLine | undefined {
  const logged = /^[IW]\d{4} \S+ \d+ model\.py:\d+\] (.*)$/.exec(line)?.[1];
  const [, instance, text] = /^\S+ (\S+_\d+): ([^]*)$/.exec(unquote(logged ?? "")) ?? [];
  return instance === undefined || text === undefined ? undefined : { instance, text };
}

const patterns = [
  // Folders in Azure have no modification time; Triton only needs it to look for changes.
  /^E\d{4} \S+ \d+ (?:model_repository_manager|model_lifecycle|main|http_server|grpc_server)\.cc:\d+\] (?!"Failed to determine modification time)(.*)$/,
  /^\[libprotobuf ERROR [^\]]*\] (Error parsing text-format .*)$/,
  /^error: (creating server: .*)$/,
  /^(failed to start .*)$/i,
];

function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  return attempt(() => String(JSON.parse(text))) ?? text.slice(1, -1);
}
