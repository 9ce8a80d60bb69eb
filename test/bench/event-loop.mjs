// Measures the longest turns of a process's event loop (Linux): TURNS_PORT=9000 node --import ./test/bench/event-loop.mjs <program>
// GET http://127.0.0.1:9000 returns the longest turn since the last GET in milliseconds, as wall-clock time and as processor time of the main thread.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.env.TURNS_PORT !== undefined) {
  const processorTime = () =>
    Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  let clock = performance.now();
  let processor = processorTime();
  let longest = { clock: 0, processor: 0 };
  setInterval(() => {
    const [time, spent] = [performance.now(), processorTime()];
    longest = {
      clock: Math.max(longest.clock, time - clock),
      processor: Math.max(longest.processor, spent - processor),
    };
    [clock, processor] = [time, spent];
  }, 1).unref();
  createServer((_, response) => {
    response.end(JSON.stringify(longest));
    longest = { clock: 0, processor: 0 };
  })
    .listen(Number(process.env.TURNS_PORT), "127.0.0.1")
    .unref();
}
