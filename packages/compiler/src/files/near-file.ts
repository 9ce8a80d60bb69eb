import { didYouMean } from "@tritype/core";
import type { CompilerHost } from "../compiler-host.ts";

/** Suggests a file with a similar name in a missing file's folder, unless that folder is the project's root. */
export const nearFileHelp = (host: CompilerHost, file: string): { readonly help?: string } => {
  const slash = file.lastIndexOf("/");
  if (slash <= 0) return {};
  const folder = file.slice(0, slash);
  const near = didYouMean(file.slice(slash + 1), host.listFiles(folder) ?? []);
  return near === undefined ? {} : { help: `did you mean \`${folder}/${near}\`?` };
};
