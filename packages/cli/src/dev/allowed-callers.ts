import { attempt } from "@tritype/core";
import type { AllowedCallers } from "@tritype/server";
import { type Given, usage } from "../command.ts";

/** `--allowed-host` and `--allowed-origin`. @throws PipelineError `usage/invalid` */
export const allowedCallersOf = (given: Given): AllowedCallers => {
  const allowedHosts = given.texts("allowed-host");
  for (const host of allowedHosts)
    if (!/^\.?[\w-]+(?:\.[\w-]+)*$/.test(host))
      throw usage(`--allowed-host is ${host}`, "write a host name without a port, such as dev.example.com");
  const allowedOrigins = given.texts("allowed-origin");
  for (const origin of allowedOrigins)
    if (!isOrigin(origin))
      throw usage(
        `--allowed-origin is ${origin}`,
        "write scheme, host and port, such as http://localhost:5173",
      );
  return { allowedHosts, allowedOrigins };
};

const isOrigin = (text: string): boolean =>
  attempt(() => {
    const { protocol, origin } = new URL(text);
    return /^https?:$/.test(protocol) && origin.toLowerCase() === text.toLowerCase().replace(/\/$/, "");
  }) ?? false;
