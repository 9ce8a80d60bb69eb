import { describe, expect, test } from "vitest";
import { type Differences, namesOf, requestNames } from "../differences.ts";
import type { GrpcCaller } from "../grpc-call.ts";
import { shownReply, shownStreamed } from "../grpc-reply.ts";
import { grpcRequests } from "../grpc-requests/corpus.ts";
import type { Servers } from "./servers.ts";

const differences: Differences = {
  "it says who it is and which extensions it has": ["ServerMetadata"],
  "the name of a dtype is looked at before the model is": [
    "an unknown dtype",
    "an empty dtype",
    "a dtype in small letters",
  ],
  "Triton names the inputs in the order of a hash table": ["an input too many"],
  "Triton cuts a batch to 32 bits": ["dims whose product is beyond int64"],
};
const different = namesOf(differences, requestNames(grpcRequests));

/** Does the same for a stream. */
const streamDifferences: Differences = {
  "strings are read before the model is asked, which does not answer then": ["text cut in its text"],
};
const differentInStream = new Set([...different, ...namesOf(streamDifferences, requestNames(grpcRequests))]);

/** Every inference request again, as the only message of a stream. */
const { methods: _, ...streamed } = grpcRequests;

export const grpcTests = (servers: () => Servers): void => {
  const hold = async (differs: boolean, ask: (caller: GrpcCaller) => Promise<object>): Promise<void> => {
    const [wanted, got] = await Promise.all([ask(servers().theirs), ask(servers().ours)]);
    if (differs) expect(got).not.toEqual(wanted);
    else expect(got).toEqual(wanted);
  };

  describe.each(Object.entries(grpcRequests))("%s", (_, requests) => {
    test.concurrent.each(Object.entries(requests))("%s", (name, request) =>
      hold(different.has(name), async (caller) => shownReply(await caller.call(request))),
    );
  });

  describe.each(Object.entries(streamed))("%s is answered alike in a stream", (__, requests) => {
    const inferences = Object.entries(requests);
    test.concurrent.each(inferences)("%s", (name, { message }) =>
      hold(differentInStream.has(name), async (caller) =>
        (await caller.stream([message])).map(shownStreamed),
      ),
    );
  });

  test.each(["true", "false", "True"])(
    "a stream with triton_grpc_error: %s ends as in Triton",
    async (value) => {
      const asked = (caller: GrpcCaller) =>
        caller.stream([{ model_name: "none", id: "a" }], { triton_grpc_error: value });
      expect(await asked(servers().ours)).toEqual(await asked(servers().theirs));
    },
  );
};
