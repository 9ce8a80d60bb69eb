import { decodeUtf8, type NamedTensors, tensorOf } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import { expect, test } from "vitest";
import { type MemberCall, runMembers, streamMembers } from "./ensemble-members.ts";

/** `a -> b` is a member that reads the tensor a and makes the tensor b; its model is called `ab`. */
const ensemble = (...members: readonly string[]): ModelConfig => ({
  ensemble_scheduling: {
    step: members.map((member) => {
      const [from = "", to = ""] = member.split(" -> ");
      const input_map = Object.fromEntries(from.split(" ").map((name) => [name, name]));
      return { model_name: from.replaceAll(" ", "") + to, input_map, output_map: { [to]: to } };
    }),
  },
});
const text = (value: string) => tensorOf("BYTES", [1], [value]);
const textsIn = (tensors: NamedTensors): string =>
  [...tensors]
    .map(
      ([name, tensor]) =>
        `${name}=${tensor.dtype === "BYTES" ? decodeUtf8(tensor.data[0] ?? new Uint8Array()) : ""}`,
    )
    .join(" ");

/** Each member answers with the texts that it got; the ones named here answer twice. */
const members = (...streaming: readonly string[]) => {
  const asked: string[] = [];
  return {
    asked,
    streams: (model: string) => streaming.includes(model),
    async *answers({ model, inputs }: MemberCall) {
      asked.push(`${model} ${textsIn(inputs)}`);
      const output = model.at(-1) ?? "";
      for (const response of streaming.includes(model) ? ["1", "2"] : [""])
        yield new Map([[output, text(`${textsIn(inputs).replace(/.*=/, "")}${output}${response}`)]]);
    },
  };
};

test("each response of a member that streams passes through the members that depend on it; the others run once", async () => {
  const { asked, ...host } = members("ab");
  const ends: string[] = [];
  for await (const tensors of streamMembers(
    ensemble("b c -> d", "a -> b", "a -> c"),
    new Map([["a", text("")]]),
    host,
  ))
    ends.push(textsIn(tensors));
  expect(asked).toEqual(["ac a=", "ab a=", "bcd b=b1 c=c", "bcd b=b2 c=c"]);
  expect(ends).toEqual(["a= c=c b=b1 d=cd", "a= c=c b=b2 d=cd"]);
});

test("members run without the optional inputs that a request omits", async () => {
  const { asked, ...host } = members();
  const config = { ...ensemble("a k -> b", "b -> c"), input: [{ name: "a" }, { name: "k" }] };
  const ends: string[] = [];
  for await (const tensors of streamMembers(config, new Map([["a", text("")]]), host))
    ends.push(textsIn(tensors));
  expect(asked).toEqual(["akb a=", "bc b=b"]);
  expect(ends).toEqual(["a= b=b c=bc"]);
});

test("a failure of a member ends the run", async () => {
  const { asked, ...host } = members();
  const failing = {
    ...host,
    async *answers(call: MemberCall) {
      if (call.model === "bc") throw new Error("bc failed");
      yield* host.answers(call);
    },
  };
  const run = streamMembers(ensemble("a -> b", "b -> c", "c -> d"), new Map([["a", text("")]]), failing);
  await expect(run.next()).rejects.toThrow("bc failed");
  expect(asked).toEqual(["ab a="]);
});

test("a member with an input that no other member makes is left out", async () => {
  const { calls, tensors } = await runMembers(
    ensemble("a -> b", "x -> y"),
    new Map([["a", text("")]]),
    async (model) => new Map([[model.at(-1) ?? "", text(model)]]),
  );
  expect(calls.map(({ model }) => model)).toEqual(["ab"]);
  expect(textsIn(tensors)).toBe("a= b=ab");
});
