// The memory and work that a server spends on clients that have disconnected (Linux):
// node test/bench/abandoned.mjs http://127.0.0.1:8000 <model> <input> <pid> [seconds]
// The model is a tokenizer with one BYTES input. Texts of 50, 50 and 5 MB are sent together, and each client disconnects
// after that many seconds.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const [url = "http://127.0.0.1:8000", model = "embed", input = "text", pid, seconds = "5"] =
  process.argv.slice(2);
const memory = () => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1] / 1e6;
const processorTime = () => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
const body = (megabytes) =>
  JSON.stringify({
    inputs: [
      { name: input, datatype: "BYTES", shape: [1, 1], data: ["some words ".repeat((megabytes * 1e6) / 11)] },
    ],
  });
const send = async (megabytes) => {
  try {
    const signal = AbortSignal.timeout(Number(seconds) * 1000);
    return (await fetch(`${url}/v2/models/${model}/infer`, { method: "POST", body: body(megabytes), signal }))
      .status;
  } catch (error) {
    return error.name;
  }
};

const tell = (when) =>
  console.log(`${when}: ${memory().toFixed(2)} GB, ${processorTime().toFixed(1)} s of processor time`);
tell("before");
console.log("clients got", (await Promise.all([50, 50, 5].map(send))).join(", "));
tell("after the clients have disconnected");
let last = processorTime();
for (;;) {
  await sleep(2000);
  const now = processorTime();
  if (now - last < 0.2) break;
  last = now;
}
tell("when the server is idle");
