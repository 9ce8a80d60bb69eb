import { type Fence, fencesOf } from "./markdown-fences.ts";
import { applyPatch } from "./patch.ts";

/** A page of the compiler: a pipeline that fails, and the fixed one. */
export interface PipelinePage {
  readonly wrong: string;
  /** The terminal's output. */
  readonly shown: Fence;
  readonly fixed: string;
  /** The fence of the fixed pipeline: whole, or the changed lines. */
  readonly fixedFence: Fence;
  /** Other files of the project, named by their fences. */
  readonly files: readonly Fence[];
}

/** Reads a page: a fence `ts wrong`, the text, and a fence `ts` or `diff fixed`, with named files between them. */
export const readPipelinePage = (page: string): PipelinePage => {
  const fences = fencesOf(page);
  const files = fences.filter(({ info }) => /\.\w+$/.test(info));
  const [wrong, shown, fixed, ...others] = fences.filter((fence) => !files.includes(fence));
  const forms = [wrong, shown, fixed].map((fence) => `${fence?.language} ${fence?.info}`.trim());
  if (wrong === undefined || shown === undefined || fixed === undefined || others.length > 0)
    throw new Error(`a page has three fences, not ${forms.join(", ")}`);
  if (!/^ts wrong,text,(?:ts|diff fixed)$/.test(forms.join(",")))
    throw new Error(`a page has the fences ts wrong, text, and ts or diff fixed; not ${forms.join(", ")}`);
  return {
    wrong: wrong.text,
    shown,
    fixed: fixed.language === "diff" ? applyPatch(wrong.text, fixed.text) : fixed.text,
    fixedFence: fixed,
    files,
  };
};
