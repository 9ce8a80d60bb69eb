/**
 * The reason why the server refused a model or failed to start, read from its log. Source: the messages of tritonserver
 * 2.51.
 */
export function readProblem(line: string): string | undefined {
  for (const pattern of patterns) {
    const text = pattern.exec(line)?.[1];
    if (text !== undefined) return unquote(text).trim();
  }
  return undefined;
}

const patterns = [
  // Folders in Azure have no modification time; Triton only needs it to look for changes.
  /^E\d{4} \S+ \d+ (?:model_repository_manager|model_lifecycle|main|http_server|grpc_server)\.cc:\d+\] (?!"Failed to determine modification time)(.*)$/,
  /^\[libprotobuf ERROR [^\]]*\] (Error parsing text-format .*)$/,
  /^error: (creating server: .*)$/,
  /^(failed to start .*)$/i,
];

function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}
