import { usage } from "./command.ts";

/** `localhost:8000` and `http://localhost:8000/` → a URL. @throws PipelineError `usage/invalid` */
export const serverUrl = (text: string, option: string): URL => {
  const url = text.includes("://") ? text : `http://${text}`;
  if (/^https?:\/\/[^/]/.test(url) && URL.canParse(url)) {
    const parsed = new URL(url);
    if (parsed.username === "" && parsed.password === "") return parsed;
    throw usage(
      `--${option} contains a user name or a password`,
      "pass them as a header: --header 'Authorization: Basic ${LOGIN}'",
    );
  }
  throw usage(`--${option} is ${text}`, "write an HTTP address, such as http://localhost:8000");
};
