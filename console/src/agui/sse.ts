// Server-sent events out of a byte stream.

/** The data of each event, as soon as its last byte is there. */
export async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let waiting = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      waiting += value.includes("\r") ? value.replaceAll("\r\n", "\n") : value;
      let end: number;
      while ((end = waiting.indexOf("\n\n")) >= 0) {
        const data = dataOf(waiting.slice(0, end));
        waiting = waiting.slice(end + 2);
        yield data; // "" for a comment: a sign of life
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function dataOf(block: string): string {
  const lines: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("data:")) lines.push(line.slice(line[5] === " " ? 6 : 5));
  }
  return lines.join("\n");
}
