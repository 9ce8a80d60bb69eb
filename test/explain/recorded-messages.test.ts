import { explainMessage, nearestMessages } from "@tritype/check";
import { expect, test } from "vitest";
import { itMatches } from "../types/snapshot.ts";
import { isOwnWords } from "./own-words.ts";
import { readMessages } from "./recorded-messages.ts";

const recorded = readMessages();

test("every recorded message is explained, except those of models", () => {
  const unexplained = recorded.filter(({ text }) => explainMessage(text) === undefined);
  expect(unexplained.filter(({ text }) => !isOwnWords(text))).toEqual([]);
  expect(recorded.filter(({ text }) => isOwnWords(text)).length).toBeLessThan(8);
  expect(recorded.length).toBeGreaterThan(200);
});

test("every message was recorded once", () => {
  expect(new Set(recorded.map(({ about }) => about)).size).toBe(recorded.length);
});

test("an explanation contains the values of the message, and no placeholder is left", () => {
  for (const { text } of recorded) {
    const { means = "", why = "", help = "", where = [] } = explainMessage(text) ?? {};
    for (const sentence of [means, why, help, ...where])
      expect(sentence).not.toMatch(/\{[a-z]\w*\}|undefined|``/);
  }
});

test("an unknown message is not explained, but similar ones are shown", () => {
  const line = "unexpected shape of a mask for input 'x' for model 'm', Expected something else";
  expect(explainMessage(line)).toBeUndefined();
  expect(nearestMessages(line)[0]).toMatch(/^unexpected shape for input/);
  expect(nearestMessages("hello world")).toEqual([]);
});

/** Each message once, regardless of how often it was requested. */
const distinct = new Map(
  recorded.flatMap(({ about, text }) => {
    const explained = explainMessage(text);
    return explained === undefined ? [] : [[explained.means, { about, text, explained }] as const];
  }),
);

itMatches(
  new URL("explained.snap.md", import.meta.url),
  "What the real server and its clients said, and what it means",
  new Map(
    [...distinct.values()].map(({ about, text, explained }) => [
      about.split("\n")[0] ?? "",
      [
        `\`\`\`text\n${text.slice(0, 600)}\n\`\`\``,
        explained.means,
        ...explained.where.map((where) => `- where: ${where}`),
        ...(explained.why === undefined ? [] : [`- why: ${explained.why}`]),
        `- help: ${explained.help}`,
        `- fix in: ${explained.fixIn}`,
        ...(explained.codes.length === 0 ? [] : [`- codes: ${explained.codes.join(", ")}`]),
      ].join("\n"),
    ]),
  ),
);
