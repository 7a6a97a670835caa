/**
 * Whether an event matches a pattern of Lambda's event filtering: every name of the pattern leads to an object, or to a list
 * of which one entry has to match. Entries: texts (equal) and `{ prefix }`; a pattern with any other is an error.
 */
export function matchesPattern(pattern: unknown, event: unknown): boolean {
  if (Array.isArray(pattern)) return pattern.some((entry) => matchesEntry(entry, event));
  if (typeof pattern !== 'object' || pattern === null) throw new Error('a pattern is an object or a list');
  if (typeof event !== 'object' || event === null) return false;
  return Object.entries(pattern).every(([name, rest]) =>
    matchesPattern(rest, (event as Record<string, unknown>)[name]),
  );
}

function matchesEntry(entry: unknown, value: unknown): boolean {
  if (typeof entry === 'string') return value === entry;
  const [[rule, argument] = [], ...others] = Object.entries(entry as object) as [string, unknown][];
  if (rule !== 'prefix' || typeof argument !== 'string' || others.length > 0) {
    throw new Error(`the test knows no ${JSON.stringify(entry)}`);
  }
  return typeof value === 'string' && value.startsWith(argument);
}
