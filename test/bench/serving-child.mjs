import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A script in this folder, run in a separate process, which reports its address and replies to each message with another. */
export const startChild = async (file, args) => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`${file} ended with ${code}`);
  });
  ended.catch(() => {});
  const next = async () => (await Promise.race([once(child, "message"), ended]))[0];
  const places = await next();
  const ask = (message) => {
    child.send(message);
    return next();
  };
  return { ask, places, pid: child.pid, stop: () => child.disconnect() };
};
