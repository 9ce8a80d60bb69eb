import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { check } from "./check.mjs";
import { client } from "./client.mjs";
import { functions } from "./functions.mjs";
import { generate } from "./generate.mjs";
import { generator } from "./generator.mjs";
import { lengths } from "./lengths.mjs";
import { load } from "./load.mjs";
import { machine } from "./machine.mjs";
import { manyFunctions } from "./many-functions.mjs";
import { node } from "./node.mjs";
import { plan } from "./plan.mjs";
import { printSection } from "./print-section.mjs";
import { reload } from "./reload.mjs";
import { request } from "./request.mjs";
import { scale } from "./scale.mjs";
import { startUp } from "./start-up.mjs";
import { stream } from "./stream.mjs";
import { tokenizer } from "./tokenizer.mjs";
import { triton } from "./triton.mjs";
import { tune } from "./tune.mjs";
import { twins } from "./twins.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string" },
    requests: { type: "string" },
    only: { type: "string" },
    json: { type: "string" },
  },
});
const numberOf = (text) => (text === undefined ? undefined : Number(text));
const runs = numberOf(values.runs);
const requests = numberOf(values.requests);

const benches = {
  "start-up": startUp,
  build,
  reload,
  scale,
  check,
  request,
  load,
  lengths,
  generator,
  client,
  tokenizer,
  functions,
  "many-functions": manyFunctions,
  node: (count) => node(count, requests),
  generate: (count) => generate(count, requests),
  stream,
  triton: (count) => triton(count, values.only),
  tune: (count) => tune(count, values.only),
  plan,
  twins,
};

const names = positionals.length > 0 ? positionals : Object.keys(benches);
const unknown = names.filter((name) => !Object.hasOwn(benches, name));
const isCount = (value) => value === undefined || (Number.isInteger(value) && value > 0);
if (unknown.length > 0 || !isCount(runs) || !isCount(requests)) {
  console.error(
    `usage: node test/bench/run.mjs [${Object.keys(benches).join("|")}…] [--runs n] [--requests n] [--only case] [--json file]`,
  );
  process.exit(2);
}

const before = machine();
console.log(before.line);
const sections = [];
for (const name of names)
  for await (const section of await benches[name](runs)) {
    sections.push({ bench: name, ...section });
    console.log(`\n${printSection(section)}`);
  }
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify({ machine: before, loadAfter: machine().load, sections }, null, 2)}\n`,
  );
process.exit(0);
