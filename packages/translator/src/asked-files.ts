import type { FileSystemHost } from "ts-morph";

/** A query about a path: its content, whether it is a file or a folder, a folder's contents, or a link's target. */
export type FileQuestion = "text" | "file" | "folder" | "list" | "link";

/** A file system that reports each query before answering it. */
export const hearQuestions = (
  host: FileSystemHost,
  hear: (question: FileQuestion, path: string) => void,
): FileSystemHost => {
  const heard =
    <Rest extends readonly unknown[], R>(question: FileQuestion, ask: (path: string, ...rest: Rest) => R) =>
    (path: string, ...rest: Rest): R => {
      hear(question, path);
      return ask.call(host, path, ...rest);
    };
  const own: Partial<FileSystemHost> = {
    readFileSync: heard("text", host.readFileSync),
    fileExistsSync: heard("file", host.fileExistsSync),
    directoryExistsSync: heard("folder", host.directoryExistsSync),
    readDirSync: heard("list", host.readDirSync),
    realpathSync: heard("link", host.realpathSync),
  };
  return new Proxy(host, {
    get: (target, name) => {
      if (Reflect.has(own, name)) return Reflect.get(own, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
};
