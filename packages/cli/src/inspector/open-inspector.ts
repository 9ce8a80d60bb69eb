import { stripVTControlCharacters } from "node:util";
import type { Diagnostic } from "@tritype/core";
import {
  type CheckedModels,
  createInspector,
  type FindingView,
  inspectRuntime,
  type Inspector,
  type InspectorOptions,
} from "@tritype/inspector";
import type { Runtime } from "@tritype/runtime";
import { shownPath } from "../shown-path.ts";

export interface InspectedServer extends InspectorOptions {
  readonly runtime: Runtime;
  readonly repository: string;
  /** The folder of the served project, if any. */
  readonly root: string | undefined;
  readonly cwd: string;
  readonly configName: string | undefined;
  readonly tensors: boolean;
  /** The warnings of the served build. Default: none. */
  readonly buildWarnings: (() => readonly Diagnostic[]) | undefined;
}

/** The inspector of the dev server. */
export const openInspector = (server: InspectedServer): Inspector => {
  const shown = shownPath(server.cwd, server.repository);
  const inspector = createInspector(
    inspectRuntime({
      runtime: server.runtime,
      repository: server.repository,
      shownRepository: shown,
      root: server.root,
      configName: server.configName,
      tensors: server.tensors,
      check: () => checkedModels(shown, server),
    }),
    server,
  );
  return { ...inspector, failed: (text) => inspector.failed(stripVTControlCharacters(text)) };
};

/** The checker takes a long time to load, so it is only loaded when a page asks. */
const checkedModels = async (
  shown: string,
  { cwd, configName, buildWarnings }: InspectedServer,
): Promise<CheckedModels> => {
  const { checkServed } = await import("../dev/repository-findings.ts");
  const { targets, diagnostics = [], calls = new Map() } = checkServed(shown, configName, cwd) ?? {};
  const prefixes = (targets?.repositories ?? []).map(({ prefix }) => prefix);
  const findings = diagnostics.map((diagnostic) => {
    const file = diagnostic.labels[0]?.span.file ?? "";
    const prefix = prefixes.find((one) => file.startsWith(one));
    return {
      model: prefix === undefined ? undefined : file.slice(prefix.length).split("/")[0],
      finding: findingOf(diagnostic),
    };
  });
  return { findings, calls, warnings: (buildWarnings?.() ?? []).map(findingOf) };
};

const findingOf = ({ code, severity, message, help, labels: [first] }: Diagnostic): FindingView => ({
  code,
  severity,
  message,
  ...(help === undefined ? {} : { help }),
  ...(first === undefined ? {} : { place: { file: first.span.file, line: first.span.line } }),
});
