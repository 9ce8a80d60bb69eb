import { describe, expect, test } from "vitest";
import { type Differences, namesOf, requestNames } from "../differences.ts";
import type { GrpcCaller } from "../grpc-call.ts";
import { shownStreamed } from "../grpc-reply.ts";
import { streamRequests } from "../grpc-requests/streams.ts";
import { generateRequests, streamed } from "../http-requests/generate.ts";
import { type RawReply, type RawRequest, sendRaw } from "../raw-request.ts";
import type { Servers } from "./servers.ts";

const differences: Differences = {
  "RapidJSON does not round integers beyond 64 bits to the nearest double": [
    "generate: a double is thirty digits",
    "generate: a nested input is thirty digits",
    "generate: a parameter is thirty digits",
    "generate: a nested parameter is thirty digits",
  ],
  "24.10 leaves out the sequence parameters if an ensemble's response has no elements": [
    "no elements, of an ensemble",
  ],
};
const different = namesOf(differences, requestNames({ ...generateRequests, ...streamRequests }));

const hold = async <Server>(
  name: string,
  ask: (server: Server) => Promise<unknown>,
  triton: Server,
  local: Server,
) => {
  const [wanted, got] = await Promise.all([ask(triton), ask(local)]);
  if (different.has(name)) expect(got).not.toEqual(wanted);
  else expect(got).toEqual(wanted);
};

const answerOf =
  (request: RawRequest) =>
  async (url: string): Promise<object> =>
    shown(await sendRaw(url, request));

/** The status, the type and the parsed text, because numbers in JSON can be written in several ways. */
const shown = ({ status, headers, body }: RawReply): object => {
  const type = headers["content-type"];
  const text = body.toString();
  if (type !== "text/event-stream; charset=utf-8") return { status, type, json: jsonOf(text) };
  const events = text.split("\n\n").map((event) => event.replace(/^data: (.*)$/s, "$1"));
  return { status, type, events: events.map((event) => (event === "" ? "" : jsonOf(event))) };
};

/** RapidJSON writes `NaN`, which is not JSON. */
const jsonOf = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text.replaceAll(/(?<=[[,:])-?(?:NaN|Infinity)/g, '"$&"'));
    return typeof value === "object" && value !== null ? Object.entries(value) : value;
  } catch {
    return text;
  }
};

export const streamingTests = (servers: () => Servers): void => {
  describe.each(Object.entries(generateRequests))("%s", (_, requests) => {
    test.concurrent.each(Object.entries(requests))("%s", (name, request) =>
      hold(name, answerOf(request), servers().triton.httpUrl, servers().http.url),
    );
    test.concurrent.each(Object.entries(requests))("%s, as server-sent events", (name, request) =>
      hold(name, answerOf(streamed(request)), servers().triton.httpUrl, servers().http.url),
    );
  });

  describe.each(Object.entries(streamRequests))("%s", (_, requests) => {
    test.concurrent.each(Object.entries(requests))("%s", (name, { messages, metadata }) =>
      hold(
        name,
        async (caller: GrpcCaller) => (await caller.stream(messages, metadata)).map(shownStreamed),
        servers().theirs,
        servers().ours,
      ),
    );
  });
};
