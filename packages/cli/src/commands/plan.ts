import { findPlan, tryChanges } from "@tritype/plan";
import { writeText } from "../write-file.ts";
import type { ExitCode, Given } from "../command.ts";
import { callsByCode } from "../plan/calls-by-code.ts";
import { measureCalibration, readCalibration } from "../plan/open-calibration.ts";
import { planOptions } from "../plan/plan-options.ts";
import { planJson, printPlan } from "../plan/print-plan.ts";
import { ensembleOf } from "../project/ensemble-of.ts";
import { profiledRepositoryOf } from "../project/repository-of.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline plan <ensemble> --rate 500 --p99 100ms` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const { demand, price, ...measuring } = planOptions(given);
  const [from, save] = [given.text("from"), given.text("save")];
  const built = await profiledRepositoryOf(undefined, given, terminal);
  if (built === undefined) return 1;
  const model = ensembleOf(given.positionals[0], built.ensembles, "planned");
  const calibration =
    from === undefined
      ? await measureCalibration(built, model, measuring, given, terminal)
      : readCalibration(from, built, model, terminal);
  if (save !== undefined) writeText(terminal, save, `${JSON.stringify(calibration)}\n`);
  const { system } = calibration;
  const plan = findPlan(system, demand);
  const changes = tryChanges(system, demand, plan);
  const byCode = callsByCode(
    built.repository,
    system.stations.map((station) => station.model),
  );
  const shown = { calibration, demand, price, plan, changes, byCode };
  terminal.out(
    given.flag("json") ? JSON.stringify(planJson(shown), null, 2) : printPlan(shown, terminal.outColors),
  );
  return plan.kind === "plan" ? 0 : 1;
};
