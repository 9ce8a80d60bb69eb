export type Twin = "e5" | "biolinkbert";
export const writtenFiles: (twin: Twin) => Readonly<Record<string, string>>;
export const assembleTwin: (
  twin: Twin,
  repository: string,
  files: {
    readonly encoder: string;
    readonly tokenizer: string;
    readonly size: number;
    readonly python: string;
  },
) => void;
