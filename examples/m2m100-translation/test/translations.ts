import { readFileSync } from "node:fs";
import type { Order } from "../clients/translate.ts";

/** The request and the correct answer. */
export interface Translation extends Order {
  readonly right: string;
}

export const languages = ["en", "fr", "de", "es"] as const;
type Language = (typeof languages)[number];
type Spelled = Readonly<Record<Language, string>>;

const numbers = JSON.parse(readFileSync(new URL("number-texts.json", import.meta.url), "utf8")) as Record<
  "low" | "held out" | "held out, in few words",
  readonly Spelled[]
>;

/** Every direction; the source language comes first. */
export const directions = languages.flatMap((from) =>
  languages.filter((to) => to !== from).map((to) => ({ from, to })),
);
type Direction = (typeof directions)[number];

const translation = (spelled: Spelled, { from, to }: Direction): Translation => ({
  text: spelled[from],
  from,
  to,
  right: spelled[to],
});

/** The numbers 0 to 99 in one direction. */
export const low = (direction: Direction): readonly Translation[] =>
  numbers.low.map((spelled) => translation(spelled, direction));

/** 200 numbers that were not in the training data, each in two directions; length and language vary from one to the next. */
export const unseen: readonly Translation[] = [
  ...numbers["held out"],
  ...numbers["held out, in few words"],
].flatMap((spelled, at) =>
  [at, at + 5].map((way) =>
    translation(spelled, directions[way % directions.length] ?? { from: "en", to: "de" }),
  ),
);

/** The answers to all translations, in requests of 32 rows. */
export const inBatches = async (
  asked: readonly Translation[],
  translate: (orders: readonly Order[]) => Promise<readonly string[]>,
): Promise<readonly string[]> => {
  const answers: string[] = [];
  for (let start = 0; start < asked.length; start += 32)
    answers.push(...(await translate(asked.slice(start, start + 32))));
  return answers;
};

/** The wrong translations, with the answers given. */
export const wrongOf = (asked: readonly Translation[], answers: readonly string[]): readonly string[] =>
  asked.flatMap(({ text, from, to, right }, row) =>
    answers[row] === right ? [] : [`${text}, ${from} → ${to}: ${answers[row]}`],
  );
