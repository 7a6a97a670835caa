/** A value in a message, at most 80 characters of it. */
export function describe(value: unknown): string {
  // Control characters are escaped, so that a value cannot end the line that tells of it.
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
