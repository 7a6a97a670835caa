/**
 * Bytes of one line of an import or an export. An item of 400 KB, written in DynamoDB's JSON with every character escaped, is
 * below that.
 */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** A line of a file, counted from 1; `bytes` is absent where there are more of them than a line may have. */
export interface Line {
  number: number;
  bytes?: Buffer;
}

/**
 * The lines of a file as bytes, each of bounded length: of a longer one nothing is kept. Not `node:readline`: that keeps
 * whatever comes, and also breaks lines at U+2028, which JSON allows inside strings.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>, maxBytes = MAX_LINE_BYTES): AsyncGenerator<Line> {
  let number = 1;
  let pending: Buffer[] = [];
  let length = 0;
  const line = (): Line => (length > maxBytes ? { number } : { number, bytes: Buffer.concat(pending) });
  for await (const chunk of chunks) {
    let start = 0;
    while (start < chunk.length) {
      const end = chunk.indexOf(10, start);
      const part = chunk.subarray(start, end < 0 ? undefined : end);
      length += part.length;
      if (length <= maxBytes) pending.push(part);
      else pending = [];
      if (end < 0) break;
      yield line();
      number += 1;
      pending = [];
      length = 0;
      start = end + 1;
    }
  }
  yield line();
}
