import { counted } from "@tritype/core";
import { printable } from "@tritype/project/diagnostics";
import type { ReloadReport, Runtime } from "@tritype/runtime";
import { stepModels } from "@tritype/triton";
import type { Terminal } from "../terminal.ts";

/** `12:03:04` */
export const timeOfDay = (date: Date): string => date.toTimeString().slice(0, 8);

/** A reload for display: one line about the served models, and the reasons why some models are not served or not current. */
export const reloadLines = (
  report: ReloadReport,
  runtime: Runtime,
  took: number,
  { colors }: Terminal,
): readonly string[] => {
  const { loaded, unloaded, failed } = report;
  const changed = loaded.length + unloaded.length;
  const names = loaded.length > 0 ? outermost(loaded, runtime) : unloaded;
  const verb = loaded.length > 0 ? "reloaded" : "removed";
  const models = `${counted(changed, "model")} changed`;
  return [
    ...failed
      .filter(({ waitsFor }) => waitsFor.length === 0)
      .flatMap(({ name, reason, help }) => [
        `${colors.red("cannot load")} ${printable(name)}: ${reasonText(reason)}`,
        ...(help === undefined ? [] : [`  ${colors.dim("=")} ${colors.green("help")}: ${help}`]),
      ]),
    ...(changed === 0
      ? []
      : [`${colors.green(verb)} ${listed(names)} in ${Math.round(took)} ms ${colors.dim(`(${models})`)}`]),
  ];
};

/** The reason for a model, as lines below its name. */
export const reasonText = (reason: string): string => {
  const [first = "", ...rest] = reason.trimEnd().split("\n");
  return [
    first,
    ...rest.filter((line) => !/^$|<frozen importlib/.test(line)).map((line) => `      ${line}`),
  ].join("\n");
};

/** Leaves out models that other models in the list use. */
const outermost = (names: readonly string[], runtime: Runtime): readonly string[] => {
  const used = new Set(names.flatMap((name) => stepModels(runtime.modelConfig(name))));
  return names.filter((name) => !used.has(name));
};

const listed = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(", ") : `${names.slice(0, 2).join(", ")} and ${names.length - 2} others`;
