// The memory file in the user's workspace.
import { Problem, send } from "../api/http";

const PATH = "/api/workspace/files/memory/MEMORY.md";

/** Its text; nothing, where there is no memory yet. */
export async function readMemory(signal: AbortSignal): Promise<string> {
  try {
    return await (await send(PATH, { signal })).text();
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return "";
    throw error;
  }
}

export async function writeMemory(text: string): Promise<void> {
  await send(PATH, { method: "PUT", body: text, headers: { "Content-Type": "text/markdown; charset=utf-8" } });
}

export async function deleteMemory(): Promise<void> {
  await send(PATH, { method: "DELETE" });
}
