import { stringify, type ToStringOptions } from "yaml";

/**
 * A value as YAML for Helm, Compose and Prometheus. They also follow YAML 1.1, in which names such as `on`, `y` and `1_000` are not texts, so these
 * are quoted.
 */
export const yamlText = (
  value: unknown,
  options: ToStringOptions & { aliasDuplicateObjects?: boolean } = {},
): string => stringify(value, { lineWidth: 0, compat: "yaml-1.1", ...options });

/** A name on the line of its key; quoted if it would not be a text. */
export const yamlName = (name: string): string => yamlText(name).trimEnd();
