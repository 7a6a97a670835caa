/** Longer than any item of 400 KB, even with every character escaped. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

export interface Line {
  number: number;
  bytes?: Buffer;
}

/**
 * Skips blank lines except the file's last line, because a small compressed file may hold millions. `node:readline`
 * doesn't limit the length of lines, and also splits at U+2028, which JSON strings may contain.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>, maxBytes = MAX_LINE_BYTES): AsyncGenerator<Line> {
  let number = 1;
  let last = 0;
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
      if (!isBlank) {
        yield line();
        last = number;
      }
      number += 1;
      if (length > 0) pending = [];
      length = 0;
      isBlank = true;
      start = end + 1;
    }
  }
  if (length === 0) number -= 1;
  if (number > last) yield isBlank ? { number, bytes: Buffer.alloc(0) } : line();
}

const BLANKS: ReadonlySet<number> = new Set([9, 13, 32]);

function hasOnlyBlanks(bytes: Buffer): boolean {
  return bytes.every((byte) => BLANKS.has(byte));
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
