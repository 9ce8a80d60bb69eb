import { concatBytes } from "@tritype/core";

/**
 * The data of server-sent events, one by one as they arrive; the body is only read when the next event is requested.
 * Leaving the loop closes the connection. Format: https://html.spec.whatwg.org/multipage/server-sent-events.html
 * @throws RangeError for an event that is larger than the limit.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  limit: number,
): AsyncGenerator<string, void, void> {
  const reader = body.getReader();
  let parts: Uint8Array[] = [];
  let size = 0;
  let lastByte = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      let rest = next.value;
      for (let end = endOf(rest, lastByte); end > 0; end = endOf(rest, 0)) {
        yield* dataOf(concatBytes([...parts, rest.subarray(0, end)]));
        [parts, size, rest] = [[], 0, rest.subarray(end)];
      }
      if (rest.byteLength === 0) continue;
      parts.push(rest);
      size += rest.byteLength;
      lastByte = rest.at(-1) ?? 0;
      if (size > limit) throw new RangeError(`an answer has over ${limit} bytes (\`maxAnswerBytes\`)`);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

const newline = 10;

/** Where the first event ends: after two newlines in a row; 0 if it is incomplete. */
const endOf = (bytes: Uint8Array, before: number): number => {
  if (before === newline && bytes[0] === newline) return 1;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1))
    if (bytes[at + 1] === newline) return at + 2;
  return 0;
};

/** The data of an event; a comment, such as a proxy sends to keep a connection open, has none. */
function* dataOf(event: Uint8Array): Generator<string> {
  const lines = new TextDecoder().decode(event).split("\n");
  const data = lines.flatMap((line) => (line.startsWith("data:") ? [line.slice(5).replace(/^ /, "")] : []));
  if (data.length > 0) yield data.join("\n");
}
