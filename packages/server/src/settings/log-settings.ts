import { foreignError } from "@tritype/core";

/** Triton's log settings. */
export interface LogSettings {
  /** Always "", because the log goes to the terminal. */
  readonly log_file: string;
  readonly log_info: boolean;
  readonly log_warning: boolean;
  readonly log_error: boolean;
  readonly log_verbose_level: number;
  readonly log_format: string;
}

/** Whether Triton knows this `log_format`. */
export const isLogFormat = (text: string): boolean => text === "default" || text === "ISO8601";

/** Reads one request's settings. A method returns undefined for an unchanged setting, and throws Triton's errors. */
export interface LogChanges {
  /** Whether another log file is requested. */
  file(): boolean;
  flag(name: "log_info" | "log_warning" | "log_error"): boolean | undefined;
  /** A value of more than 31 bits counts as negative, and a negative value as 0. */
  level(): number | undefined;
  /** "default" or "ISO8601". */
  format(): string | undefined;
}

/** The log of a server, and its settings. */
export interface Log {
  settings(): LogSettings;
  /** As in Triton, settings before an invalid one take effect. @throws PipelineError with Triton's message. */
  update(changes: LogChanges): void;
  /** Logs a failure that no request caused. */
  error(text: string): void;
  /** Logs that something does not work as requested. */
  warn(text: string): void;
  /** Logs a received request. */
  verbose(text: string): void;
}

/** @param print Prints a line. */
export const createLog = (print: (line: string) => void, verboseLevel: number): Log => {
  let settings: LogSettings = {
    log_file: "",
    log_info: true,
    log_warning: true,
    log_error: true,
    log_verbose_level: verboseLevel,
    log_format: "default",
  };
  const set = <K extends keyof LogSettings>(name: K, value: LogSettings[K] | undefined): void => {
    if (value !== undefined) settings = { ...settings, [name]: value };
  };
  const say = (text: string): void =>
    print(settings.log_format === "ISO8601" ? `${new Date().toISOString()} ${text}` : text);
  return {
    settings: () => settings,
    update: (changes) => {
      if (changes.file())
        throw foreignError(
          "request/unsupported",
          "log file location can not be updated through network protocol",
        );
      for (const name of ["log_info", "log_warning", "log_error"] as const) set(name, changes.flag(name));
      const level = changes.level();
      if (level !== undefined) set("log_verbose_level", Math.max(0, level | 0));
      set("log_format", changes.format());
    },
    error: (text) => {
      if (settings.log_error) say(text);
    },
    warn: (text) => {
      if (settings.log_warning) say(text);
    },
    verbose: (text) => {
      if (settings.log_verbose_level > 0) say(text);
    },
  };
};
