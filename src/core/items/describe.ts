/** Formats a value for a message, in at most 80 characters. */
export function describe(value: unknown): string {
  // Control characters are escaped, so that a value cannot end the line that shows it.
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
