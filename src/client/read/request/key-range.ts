import { compareKeys } from '../../../core/items/encoding.ts';
import { SORT_KEY_BYTES } from '../../../core/items/keys.ts';

/** Both ends are inclusive, in the order of UTF-8 bytes. */
export interface KeyRange {
  from?: string;
  to?: string;
}

const MAX_CODE_POINT = 0x10ffff;
/** Leaves room for a last character that takes more bytes when incremented. */
const CUT_BYTES = SORT_KEY_BYTES - 4;

/** `to` is the lowest text after all texts with the prefix. No requested key equals it, so it may be inclusive. */
export function prefixRange(prefix: string): KeyRange {
  return prefix === '' ? {} : { from: prefix, to: textAfterPrefix(prefix) };
}

export function textAfterPrefix(prefix: string): string | undefined {
  const characters = [...prefix];
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const codePoint = last.codePointAt(0)!;
    if (codePoint === MAX_CODE_POINT) continue;
    // UTF-8 has no surrogates: after U+D7FF comes U+E000.
    const next = codePoint === 0xd7ff ? 0xe000 : codePoint + 1;
    return characters.join('') + String.fromCodePoint(next);
  }
  return undefined;
}

/**
 * In descending order, the range still includes `after`, since there is no greatest text below it. Readers drop that
 * key.
 */
export function rangeAfter(range: KeyRange, after: string | undefined, reverse: boolean): KeyRange {
  return after === undefined ? range : rangeFrom(range, reverse ? after : `${after}\u0000`, reverse);
}

export function rangeFrom({ from, to }: KeyRange, start: string, reverse: boolean): KeyRange {
  if (reverse) return { from, to: to === undefined || compareKeys(to, start) > 0 ? start : to };
  return { from: from === undefined || compareKeys(from, start) < 0 ? start : from, to };
}

export function isInRange({ from, to }: KeyRange, key: string): boolean {
  return (from === undefined || compareKeys(from, key) <= 0) && (to === undefined || compareKeys(key, to) <= 0);
}

export function isEmptyRange({ from, to }: KeyRange): boolean {
  return from !== undefined && to !== undefined && compareKeys(from, to) > 0;
}

/** Shortens ends that exceed DynamoDB's 1,024 bytes. This widens the range, so no key is lost. */
export function sendableRange({ from, to }: KeyRange): KeyRange & { exact: boolean } {
  const cutFrom = from === undefined ? undefined : cutToKeyLength(from);
  const cutTo = to === undefined ? undefined : cutToKeyLength(to);
  return {
    from: cutFrom,
    // Keys between the cut text and the whole text begin with the cut text.
    to: cutTo === undefined || cutTo === to ? cutTo : textAfterPrefix(cutTo),
    exact: cutFrom === from && cutTo === to,
  };
}

function cutToKeyLength(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= SORT_KEY_BYTES) return text;
  let end = CUT_BYTES;
  // Don't cut inside a character: bytes 10xxxxxx continue a character.
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}
