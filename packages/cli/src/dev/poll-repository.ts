import type { ServedBuild } from "./served-build.ts";
import type { Watching } from "./watch-project.ts";

/** Checks a repository every `seconds` seconds, and reloads it if it has changed; 0 disables this. */
export const pollRepository = (seconds: number, served: ServedBuild): Watching => {
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let closed = false;
  const poll = async (): Promise<void> => {
    await served.reload(performance.now());
    wait();
  };
  const wait = (): void => {
    if (seconds === 0 || closed) return;
    timer = setTimeout(() => {
      working = poll();
    }, seconds * 1000);
  };
  wait();
  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await working;
    },
  };
};
