const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Escapes control characters (`\u001b`), so that data can neither control the terminal nor forge a line of a report.
 */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => SHORT[character] ?? escapeOf(character));
}

/** Keeps line breaks, for output whose values are already escaped. Formatted JSON stays valid. */
export function printableLines(text: string): string {
  return text.replace(CONTROL, (character) => (character === '\n' ? character : escapeOf(character)));
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
