export function describe(value: unknown): string {
  // JSON escapes control characters, so that a value can't end the line that shows it.
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
