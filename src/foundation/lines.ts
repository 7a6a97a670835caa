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
 * The lines of a file as bytes, each of bounded length: of a longer one nothing is kept. Blank lines are counted and not given: some
 * kilobytes of a compressed file hold millions of them. Not `node:readline`: that keeps
 * whatever comes, and also breaks lines at U+2028, which JSON allows inside strings.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>, maxBytes = MAX_LINE_BYTES): AsyncGenerator<Line> {
  let number = 1;
  let pending: Buffer[] = [];
  let length = 0;
  let isBlank = true;
  const line = (): Line => (length > maxBytes ? { number } : { number, bytes: Buffer.concat(pending) });
  for await (const chunk of chunks) {
    let start = 0;
    while (start < chunk.length) {
      if (length === 0 && chunk[start] === 10) {
        number += 1;
        start += 1;
        continue;
      }
      const end = chunk.indexOf(10, start);
      const part = chunk.subarray(start, end < 0 ? undefined : end);
      length += part.length;
      isBlank &&= hasOnlyBlanks(part);
      if (length <= maxBytes) pending.push(part);
      else pending = [];
      if (end < 0) break;
      if (!isBlank) yield line();
      number += 1;
      if (length > 0) pending = [];
      length = 0;
      isBlank = true;
      start = end + 1;
    }
  }
  if (!isBlank) yield line();
}

const BLANKS: ReadonlySet<number> = new Set([9, 13, 32]);

function hasOnlyBlanks(bytes: Buffer): boolean {
  return bytes.every((byte) => BLANKS.has(byte));
}

/** Tells whether bytes begin as gzip does. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
