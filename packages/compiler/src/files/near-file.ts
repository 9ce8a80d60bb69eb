import { didYouMean } from "@tritype/core";
import type { CompilerHost } from "../compiler-host.ts";

/** Help for a missing file: a file in its folder with a similar name. The project's root folder is not searched. */
export const nearFileHelp = (host: CompilerHost, file: string): { readonly help?: string } => {
  const slash = file.lastIndexOf("/");
  if (slash <= 0) return {};
  const folder = file.slice(0, slash);
  const near = didYouMean(file.slice(slash + 1), host.listFiles(folder) ?? []);
  return near === undefined ? {} : { help: `did you mean \`${folder}/${near}\`?` };
};
