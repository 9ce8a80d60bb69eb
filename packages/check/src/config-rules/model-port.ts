import type { ModelInput, ModelOutput } from "@tritype/triton";
import type { FieldPath, ModelContext } from "../model-context.ts";

/** An input or output of a model, and how messages refer to it. */
export interface ModelPort {
  readonly side: "input" | "output";
  readonly io: ModelInput & ModelOutput;
  readonly path: FieldPath;
  /** The port's name in backticks, or its position if it has no name. */
  readonly title: string;
}

export const portsOf = ({ config }: ModelContext): readonly ModelPort[] =>
  (["input", "output"] as const).flatMap((side) =>
    (config[side] ?? []).map((io, i) => ({
      side,
      io,
      path: [side, i],
      title: io.name ? `${side} \`${io.name}\`` : `${side} ${i + 1}`,
    })),
  );
