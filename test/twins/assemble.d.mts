export type Twin = "e5" | "biolinkbert" | "sentiment" | "roberta" | "m2m100";
export const writtenFiles: (twin: Twin) => Readonly<Record<string, string>>;
export const assembleTwin: (
  twin: Twin,
  repository: string,
  files: {
    readonly model: string;
    readonly tokenizer: string;
    readonly size?: number;
    readonly python?: string;
    readonly torchscript?: string;
  },
) => void;
