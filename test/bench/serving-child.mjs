import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A script of this folder in a separate process, which reports its address and answers each message with one. */
export const startChild = async (file, args) => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [places] = await once(child, "message");
  const ask = async (message) => {
    child.send(message);
    const [answer] = await once(child, "message");
    return answer;
  };
  return { ask, places, stop: () => child.disconnect() };
};
