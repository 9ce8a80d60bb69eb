import { readFileSync } from "node:fs";

/**
 * The held-out sentences as requests for `pipeline bench --requests`, one per line: node scripts/requests.mjs >
 * requests.jsonl
 */
const heldOut = readFileSync(new URL("../../sentiment-tensorrt/data/held-out.tsv", import.meta.url), "utf8");
for (const line of heldOut.split("\n")) {
  const [, text] = line.split("\t");
  if (text !== undefined) console.log(JSON.stringify({ text: [text] }));
}
