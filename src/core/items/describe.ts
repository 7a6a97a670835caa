export function describe(value: unknown): string {
  // JSON escapes control characters, so a value can't end the line that shows it.
  const text =
    typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : JSON.stringify(textOf(value)).slice(1, -1);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** `String` throws for an object without a prototype. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return '[object Object]';
  }
}
