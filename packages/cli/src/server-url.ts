import { usage } from "./command.ts";

/** `localhost:8000` and `http://localhost:8000/` → a URL. @throws PipelineError `usage/invalid` */
export const serverUrl = (text: string, option: string): URL => {
  const url = text.includes("://") ? text : `http://${text}`;
  if (/^https?:\/\/[^/]/.test(url) && URL.canParse(url)) return new URL(url);
  throw usage(`--${option} is ${text}`, "write an HTTP address, such as http://localhost:8000");
};
