/**
 * The entries of a map in the canonical text of an attribute, `M{"name":{"S":"Ada"},"age":N36}`, with their values as texts; undefined: it is
 * no such text.
 */
export function canonicalEntries(text: string): Map<string, string> | undefined {
  if (!text.startsWith('M{') || !text.endsWith('}')) return undefined;
  const entries = new Map<string, string>();
  for (const entry of partsOf(text.slice(2, -1))) {
    const end = endOfString(entry, 0);
    if (end < 0 || entry[end] !== ':') return undefined;
    entries.set(JSON.parse(entry.slice(0, end)) as string, valueText(entry.slice(end + 1)));
  }
  return entries;
}

/** The parts between commas that are in no brackets and in no string. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let [start, depth] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]!;
    if (letter === '"') i = endOfString(text, i) - 1;
    else if ('{['.includes(letter)) depth += 1;
    else if ('}]'.includes(letter)) depth -= 1;
    else if (letter === ',' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
    // A string without an end.
    if (i < 0) return [text];
  }
  return start < text.length ? [...parts, text.slice(start)] : parts;
}

/** The place behind the JSON string that begins at `start`; negative: none begins there, or it does not end. */
function endOfString(text: string, start: number): number {
  const [string] = /^"(?:[^"\\]|\\.)*"/.exec(text.slice(start)) ?? [];
  return string === undefined ? -1 : start + string.length;
}

/** A text as it is, a number without its mark, and all else in its canonical text. */
function valueText(canonical: string): string {
  if (/^N-?[\d.]/.test(canonical)) return canonical.slice(1);
  if (!canonical.startsWith('{')) return canonical;
  const [[, value] = []] = Object.entries(JSON.parse(canonical) as object);
  // A key has U+0000 between its parts, which has no shape of its own.
  return String(value).replaceAll('\0', '␀');
}
