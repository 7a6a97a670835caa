/**
 * Characters that a terminal obeys instead of showing them, and that turn the direction of a line: C0 and C1 control characters,
 * line and paragraph separators, marks of direction.
 */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * A text of a key, an attribute or a message as it is shown to people: control characters as escapes, such as `\u001b`, so that
 * contents can neither drive the terminal nor forge a line of a report.
 */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => SHORT[character] ?? escapeOf(character));
}

/** As `printable`, but line breaks stay: for a whole output, whose single values went through `printable`. In JSON, JSON remains. */
export function printableLines(text: string): string {
  return text.replace(CONTROL, (character) => (character === '\n' ? character : escapeOf(character)));
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
