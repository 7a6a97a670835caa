const MOST_ENTRIES = 20;

export function describe(value: unknown): string {
  // JSON escapes line breaks, so a value can't end the line that shows it.
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : textOf(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.slice(0, MOST_ENTRIES).map(textOfEntry).join(', ')}]`;
  return JSON.stringify(unquoted(value)).slice(1, -1);
}

/** A nested list may contain itself. */
function textOfEntry(entry: unknown): string {
  if (Array.isArray(entry)) return entry.length === 0 ? '[]' : '[...]';
  return describe(entry);
}

/** `String` throws for an object without a prototype, and returns an empty text for an empty `Uint8Array`. */
function unquoted(value: unknown): string {
  try {
    return String(value) || Object.prototype.toString.call(value);
  } catch {
    return '[object Object]';
  }
}
