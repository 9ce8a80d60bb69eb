import {
  type Changes,
  type Example,
  inspectorPath,
  type Live,
  type ModelDetail,
  type Overview,
  type PlaceView,
  type RequestBody,
  type RunEvent,
  type RunHead,
} from "@tritype/inspector/view";

const api = `${inspectorPath}/api`;

const errorOf = async (response: Response): Promise<string> => {
  const { error = `status ${response.status}` } = (await response.json().catch(() => ({}))) as {
    error?: string;
  };
  return error;
};

const get = async <T>(path: string): Promise<T> => {
  const response = await fetch(`${api}/${path}`);
  if (!response.ok) throw new Error(await errorOf(response));
  return (await response.json()) as T;
};

export const getOverview = (): Promise<Overview> => get("overview");
export const getChanges = (): Promise<Changes> => get("changes");
export const getLive = (): Promise<Live> => get("live");
export const getDetail = (model: string, version?: number): Promise<ModelDetail> =>
  get(`model/${encodeURIComponent(model)}${version === undefined ? "" : `/${version}`}`);
export const getExamples = (model: string): Promise<readonly Example[]> =>
  get(`examples/${encodeURIComponent(model)}`);

/** Opens a place in the user's editor; resolves to the reason if that fails. */
export const openPlace = async (place: PlaceView): Promise<string | undefined> => {
  try {
    const response = await fetch(`${api}/open`, { method: "POST", body: JSON.stringify(place) });
    return response.ok ? undefined : await errorOf(response);
  } catch (error) {
    return String(error);
  }
};

/** Sends a request, and yields its events as they arrive. */
export async function* runRequest(
  head: Omit<RunHead, "headerLength">,
  { parts, headerLength }: RequestBody,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const body = new Blob([`${JSON.stringify({ ...head, headerLength })}\n`, ...parts]);
  const response = await fetch(`${api}/run`, { method: "POST", body, signal });
  if (!response.ok || response.body === null) {
    yield { kind: "error", at: 0, message: await errorOf(response) };
    yield { kind: "end", at: 0 };
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = `${rest}${value}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as RunEvent;
  }
}
