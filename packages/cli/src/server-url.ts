import { type Given, usage } from "./command.ts";

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

/** The value of an option such as `--grpc-url`; undefined without it. @throws PipelineError `usage/invalid` */
export const grpcAddress = (given: Given, option: string): string | undefined => {
  const text = given.text(option);
  if (text === undefined) return undefined;
  const address = text.replace(/^grpc:\/\//, "");
  const port = Number(/^[^\s/]+:(\d{1,5})$/.exec(address)?.[1]);
  if (port >= 1 && port <= 65_535) return address;
  throw usage(`--${option} is ${text}`, "write a host and the port for gRPC, such as localhost:8001");
};
