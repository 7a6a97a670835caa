/** C0 and C1 control characters, separators, directional marks: they control a terminal or a line's direction. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** `\u001b`: contents can neither drive the terminal nor forge a line of a report. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => SHORT[character] ?? escapeOf(character));
}

/** For values that already went through `printable`. JSON stays JSON. */
export function printableLines(text: string): string {
  return text.replace(CONTROL, (character) => (character === '\n' ? character : escapeOf(character)));
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
