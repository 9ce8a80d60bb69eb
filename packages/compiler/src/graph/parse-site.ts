import type { Site, Span } from "@tritype/core";

/**
 * Path of a frame (absolute path or file URL) → path from the project's root; undefined for files that do not belong to
 * the user.
 */
export type ProjectFile = (path: string) => string | undefined;

const frame = /\(?((?:file:\/\/\/?|\/|[A-Za-z]:[\\/])[^()]*?):(\d+):(\d+)\)?$/;

/** The user's frames of a V8 stack, innermost first. */
export const parseSite = (stack: string | undefined, projectFile: ProjectFile): Site =>
  (stack ?? "").split("\n").flatMap((text): Span[] => {
    const [, path, line, column] = frame.exec(text.trim()) ?? [];
    const file = path === undefined ? undefined : projectFile(path);
    return file === undefined ? [] : [{ file, line: Number(line), column: Number(column) }];
  });
