import { stripVTControlCharacters } from "node:util";
import {
  type CheckedModels,
  createInspector,
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
      tensors: server.tensors,
      check: () => checkedModels(shown, server),
    }),
    server,
  );
  return { ...inspector, failed: (text) => inspector.failed(stripVTControlCharacters(text)) };
};

/** The checker takes a long time to load, so it is only loaded when a page asks. */
const checkedModels = async (shown: string, { cwd, configName }: InspectedServer): Promise<CheckedModels> => {
  const { checkServed } = await import("../dev/repository-findings.ts");
  const { targets, diagnostics = [], calls = new Map() } = checkServed(shown, configName, cwd) ?? {};
  const prefixes = (targets?.repositories ?? []).map(({ prefix }) => prefix);
  const findings = diagnostics.map(({ code, severity, message, help, labels }) => {
    const file = labels[0]?.span.file ?? "";
    const prefix = prefixes.find((one) => file.startsWith(one));
    const line = labels[0]?.span.line;
    return {
      model: prefix === undefined ? undefined : file.slice(prefix.length).split("/")[0],
      finding: {
        code,
        severity,
        message,
        ...(help === undefined ? {} : { help }),
        ...(line === undefined ? {} : { place: { file, line } }),
      },
    };
  });
  return { findings, calls };
};
