import type { ManifestEnsemble } from "@tritype/manifest";
import { clientCore } from "../generated/client-core.ts";
import { textFile, type Tree, type TreeFile } from "../tree.ts";
import { printClientModule, printClientTypes } from "./client-module.ts";
import { openApiDocument } from "./open-api.ts";

/** A client for every ensemble, the core that they share, and the OpenAPI document; paths are relative to `client/`. */
export const emitClient = (ensembles: readonly ManifestEnsemble[]): Tree =>
  new Map<string, TreeFile>([
    ...Object.entries(clientCore).map(([path, text]) => [path, textFile(text)] as const),
    ...ensembles.flatMap((ensemble) => [
      [`${ensemble.name}.js`, textFile(printClientModule(ensemble))] as const,
      [`${ensemble.name}.d.ts`, textFile(printClientTypes(ensemble))] as const,
    ]),
    // Node interprets .js files according to the nearest package.json, and the project's own may specify CommonJS.
    ["package.json", textFile('{ "private": true, "type": "module", "sideEffects": false }\n')],
    ["openapi.json", textFile(`${JSON.stringify(openApiDocument(ensembles), null, 2)}\n`)],
  ]);
