import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type TensorData, tensorOf } from "@tritype/core";
import { fencesOf } from "../docs/markdown-fences.ts";
import { listen } from "../fixtures/listen.ts";

const page = readFileSync(new URL("../../docs/flows.md", import.meta.url), "utf8");

/** The programs of docs/flows.md as one project. */
export const guideProject = (): Readonly<Record<string, string>> => {
  const programs = fencesOf(page).filter(({ info }) => info.endsWith(".ts"));
  const entries = programs.map(({ info }) => info);
  return {
    ...Object.fromEntries(programs.map(({ info, text }) => [info, text])),
    "pipeline.config.ts": `export default { entries: ${JSON.stringify(entries)} };\n`,
  };
};

const text = (...rows: readonly string[]): TensorData =>
  tensorOf(
    "BYTES",
    [rows.length, 1],
    rows.map((row) => Buffer.from(row)),
  );

/** A dark object in column 1 and a bright one in columns 3 and 4; the second row has none. */
const image = tensorOf(
  "UINT8",
  [2, 2, 6],
  [0, 10, 0, 250, 240, 0, 0, 20, 0, 230, 240, 0, ...Array<number>(12).fill(0)],
);

/** A request to a program, with the expected values by output, or a part of the expected error message. */
export type GuideCase = readonly [
  model: string,
  inputs: Readonly<Record<string, TensorData>>,
  answer: Readonly<Record<string, readonly unknown[]>> | string,
];

export const guideCases: readonly GuideCase[] = [
  [
    "summarize",
    { text: text("Katzen und Hunde", "Cats and dogs play") },
    { language: ["de", "en"], summary: ["Kurz: Katzen und H", "Short: Cats and dog"] },
  ],
  [
    "summarize",
    { text: text("Cats and dogs", "Chats et chiens") },
    "summarize: row 1: RangeError: the text is neither German nor English (router.ts:",
  ],
  [
    "refined",
    { text: text("a b", "a  b  c", "a      b") },
    { best: ["a b", "a b c", "a  b"], confidence: [1, 1, 0.5], rounds: [1, 2, 4] },
  ],
  [
    "find_things",
    { image },
    {
      things: ['[{"left":1,"label":"dark","mean":15},{"left":3,"label":"bright","mean":240}]', "[]"],
    },
  ],
  ["ask_both", { text: text("now", "fail") }, { answer: ["NOW", "fail?"], by: ["large", "small"] }],
  // Runs last and alone, because a call after it would be late as well.
  ["ask_both", { text: text("slow") }, { answer: ["slow?"], by: ["small"] }],
  [
    "split",
    { user: text("ada", "hugo", "bob", "cleo"), text: text("four", "four", "four", "four") },
    { score: [4, 2, 4, 4], variant: ["current", "candidate", "current", "current"] },
  ],
  [
    "look_up",
    { sku: text("cup", "sofa", "missing", "slow") },
    { price: [4.5, 900, 0, 0], grade: ["cheap", "dear", "unknown", "unknown"] },
  ],
];

/** A price service on this machine, at the address in `PRICES_URL`. */
export const servePrices = async (): Promise<() => void> => {
  const prices: Readonly<Record<string, string>> = { "/cup": "4.5", "/sofa": "900" };
  const server = createServer(({ url = "" }, response) => {
    if (url === "/slow") return;
    response.statusCode = prices[url] === undefined ? 404 : 200;
    response.end(prices[url] ?? "");
  });
  const port = await listen(server);
  const before = process.env["PRICES_URL"];
  process.env["PRICES_URL"] = `http://127.0.0.1:${port}`;
  return () => {
    server.closeAllConnections();
    server.close();
    if (before === undefined) delete process.env["PRICES_URL"];
    else process.env["PRICES_URL"] = before;
  };
};
