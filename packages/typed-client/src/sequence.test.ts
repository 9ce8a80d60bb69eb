import { describe, expect, it } from "vitest";
import { ClientError } from "./client-error.ts";
import type { Contract } from "./contract.ts";
import { openSequence, type Sequence, type SequenceCalls, type StreamingSequence } from "./sequence.ts";
import type { Parameters } from "./transport.ts";

interface Sent {
  readonly inputs: unknown;
  readonly flags: string;
  readonly blank: boolean;
}
const contract = (sequenceIds: string): Contract => ({ name: "m", inputs: {}, outputs: {}, sequenceIds });

/** A sequence whose requests are answered by `answer`; and the requests that were sent. */
const open = (answer: (inputs: unknown, sent: readonly Sent[]) => unknown = (inputs) => inputs, id = 7) => {
  const sent: Sent[] = [];
  const flagsOf = ({ sequence_id: of, sequence_start: starts, sequence_end: ends }: Parameters) =>
    `${of}${starts === true ? " start" : ""}${ends === true ? " end" : ""}`;
  const calls: SequenceCalls = {
    infer: async (inputs, _, parameters, blank) => {
      sent.push({ inputs, flags: flagsOf(parameters), blank });
      await new Promise((resolve) => setTimeout(resolve, 5));
      return answer(inputs, sent);
    },
    async *stream(inputs, options, parameters, blank) {
      yield await calls.infer(inputs, options, parameters, blank);
      yield "last";
    },
  };
  const [sequence, streaming] = [false, true].map((streams) => openSequence(undefined, id, calls, streams));
  return {
    sequence: sequence as unknown as Sequence<unknown, object>,
    streaming: streaming as unknown as StreamingSequence<unknown, object>,
    sent,
    flags: () => sent.map(({ flags }) => flags),
  };
};
const allOf = async (answers: AsyncIterable<unknown>): Promise<unknown> => {
  const all: unknown[] = [];
  for await (const one of answers) all.push(one);
  return all;
};
const fails = (kind: "refused" | "forgotten" | "lost", mayHaveRun: boolean) => (): never => {
  throw new ClientError(kind, "no", { mayHaveRun });
};
const failsOnce = (at: number, fail: () => never) => (inputs: unknown, sent: readonly Sent[]) =>
  sent.length === at ? fail() : inputs;

describe("a sequence", () => {
  it("a sequence flags its first and its last request, and sends its requests in order", async () => {
    const { sequence, sent, flags } = open();
    expect(await Promise.all([1, 2, 3].map((x) => sequence.infer(x)))).toEqual([1, 2, 3]);
    expect(await sequence.end(4)).toBe(4);
    expect(flags()).toEqual(["7 start", "7", "7", "7 end"]);
    expect(sent.map(({ inputs, blank }) => [inputs, blank])).toEqual([1, 2, 3, 4].map((x) => [x, false]));
    await expect(sequence.infer(5)).rejects.toMatchObject({
      kind: "invalid",
      message: "the sequence has ended; open another one with `sequence()`",
    });
    await sequence.end();
    expect(sent).toHaveLength(4);
  });

  it("the only request of a sequence has both flags", async () => {
    const { sequence, flags } = open();
    await sequence.end(1);
    expect(flags()).toEqual(["7 start end"]);
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 64, 0n, -1n, 2n ** 64n, ""])(
    "a sequence cannot have the id %s",
    (id) => {
      expect(() => openSequence(undefined, id, {} as SequenceCalls, false)).toThrow(
        expect.objectContaining({
          kind: "invalid",
          message: expect.stringMatching(
            /^a sequence cannot have the id .+: it must be an integer from 1 to 2\^64 - 1, or a text that is not empty$/,
          ),
        }),
      );
    },
  );

  it.each([1, 2 ** 53, 1n, 2n ** 64n - 1n, "a", "ä".repeat(64)])("a sequence can have the id %s", (id) => {
    expect(openSequence(undefined, id, {} as SequenceCalls, false).id).toBe(id);
  });

  it("leaving the block ends the sequence with an empty request like the previous one", async () => {
    const { sequence, sent } = open();
    {
      await using dialogue = sequence;
      void dialogue.infer("a");
      void dialogue.infer("b");
    }
    expect(sent.at(-1)).toEqual({ inputs: "b", flags: "7 end", blank: true });
    expect(sent).toHaveLength(3);
  });

  it("a sequence sends nothing at its end if no request has succeeded", async () => {
    const { sequence, sent } = open();
    await sequence.end();
    expect(sent).toEqual([]);
    const failed = open(fails("refused", false));
    await expect(failed.sequence.infer(1)).rejects.toMatchObject({ kind: "refused" });
    await failed.sequence.end();
    expect(failed.flags()).toEqual(["7 start"]);
  });

  it("a sequence starts with the first request that succeeds", async () => {
    const { sequence, flags } = open(failsOnce(1, fails("refused", true)));
    await expect(sequence.infer(1)).rejects.toMatchObject({ kind: "refused" });
    await sequence.infer(2);
    await sequence.infer(3);
    expect(flags()).toEqual(["7 start", "7 start", "7"]);
  });

  it("a sequence drops the requests that wait behind a failed one, but sends later ones", async () => {
    const { sequence, flags } = open(failsOnce(2, fails("lost", true)));
    const results = await Promise.allSettled([1, 2, 3, 4].map((x) => sequence.infer(x)));
    expect(
      results.map((one) => (one.status === "fulfilled" ? one.value : (one.reason as ClientError).kind)),
    ).toEqual([1, "lost", "cancelled", "cancelled"]);
    expect(results[3]).toMatchObject({
      reason: {
        mayHaveRun: false,
        message: "not sent, because an earlier request of the sequence failed",
      },
    });
    expect(await sequence.infer(5)).toBe(5);
    expect(flags()).toEqual(["7 start", "7", "7"]);
  });

  it("a sequence is over when the server has forgotten it, or when its last request may have run", async () => {
    for (const [fail, ends] of [
      [fails("forgotten", false), false],
      [fails("lost", true), true],
    ] as const) {
      const { sequence, sent } = open(failsOnce(2, fail));
      await sequence.infer(1);
      await expect(ends ? sequence.end(2) : sequence.infer(2)).rejects.toBeInstanceOf(ClientError);
      await expect(sequence.infer(3)).rejects.toMatchObject({ kind: "invalid" });
      await sequence[Symbol.asyncDispose]();
      expect(sent).toHaveLength(2);
    }
    const refused = open(failsOnce(2, fails("refused", false)));
    await refused.sequence.infer(1);
    await expect(refused.sequence.end(2)).rejects.toMatchObject({ kind: "refused" });
    await refused.sequence.end();
    expect(refused.flags()).toEqual(["7 start", "7 end", "7 end"]);
  });

  it("the block of a sequence ends silently if the server is gone", async () => {
    const { sequence, flags } = open(failsOnce(2, fails("lost", true)));
    await sequence.infer(1);
    await sequence[Symbol.asyncDispose]();
    expect(flags()).toEqual(["7 start", "7 end"]);
  });

  it.each<[string, (id: unknown) => boolean]>([
    ["UINT64", (id) => Number.isSafeInteger(id) && Number(id) > 0],
    ["INT32", (id) => Number.isInteger(id) && Number(id) > 0 && Number(id) < 2 ** 31],
    ["BYTES", (id) => typeof id === "string" && /^[0-9a-f]{128}$/.test(id)],
  ])("a sequence has a random id of the model's type: %s", (dtype, fits) => {
    const calls: SequenceCalls = { infer: async () => 0, async *stream() {} };
    const ids = Array.from({ length: 200 }, () => openSequence(contract(dtype), undefined, calls, false).id);
    expect(ids.every(fits)).toBe(true);
    expect(new Set(ids).size).toBe(200);
  });
});

describe("a streaming sequence", () => {
  it("a streaming sequence sends a request when its first answer is read and the requests before it have ended", async () => {
    const { streaming, sent, flags } = open();
    const unread = streaming.stream(0);
    const [one, two] = [streaming.stream(1), streaming.stream(2)];
    expect(await one.next()).toMatchObject({ value: 1 });
    const second = allOf(two);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).toHaveLength(1);
    expect(await allOf(one)).toEqual(["last"]);
    expect(await second).toEqual([2, "last"]);
    await unread.return();
    expect(await allOf(streaming.end(3))).toEqual([3, "last"]);
    expect(flags()).toEqual(["7 start", "7", "7 end"]);
    await expect(streaming.stream(4).next()).rejects.toMatchObject({ kind: "invalid" });
  });

  it("a streaming sequence continues after a reader has stopped, and ends with its block", async () => {
    const { streaming, sent } = open();
    {
      await using dialogue = streaming;
      for await (const _ of dialogue.stream("a")) break;
      await allOf(dialogue.stream("b"));
    }
    expect(sent.map(({ inputs, flags, blank }) => [inputs, flags, blank])).toEqual([
      ["a", "7 start", false],
      ["b", "7", false],
      ["b", "7 end", true],
    ]);
  });

  it("a streaming sequence drops the requests that wait behind a failed one, but sends later ones", async () => {
    const { streaming, flags } = open(failsOnce(2, fails("lost", true)));
    const results = await Promise.allSettled([1, 2, 3].map((x) => allOf(streaming.stream(x))));
    expect(
      results.map((one) => (one.status === "fulfilled" ? one.value : (one.reason as ClientError).kind)),
    ).toEqual([[1, "last"], "lost", "cancelled"]);
    expect(await allOf(streaming.stream(5))).toEqual([5, "last"]);
    expect(flags()).toEqual(["7 start", "7", "7"]);
  });
});
