import { readFileSync } from "node:fs";

/** The held-back sentences as requests of `pipeline bench --requests`, one a line: node scripts/requests.mjs > requests.jsonl */
const heldOut = readFileSync(new URL("../../sentiment-tensorrt/data/held-out.tsv", import.meta.url), "utf8");
for (const line of heldOut.split("\n")) {
  const [, text] = line.split("\t");
  if (text !== undefined) console.log(JSON.stringify({ text: [text] }));
}
