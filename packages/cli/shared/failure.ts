import { toJson } from '../../../src/foundation/exact-json.ts';
import { failureDocument } from '../../../src/foundation/failure-document.ts';
import { printableLines } from '../../../src/foundation/printable.ts';

/** The item as it is, where a condition did not hold. */
function currentText(current: object | null | undefined): string {
  if (current === undefined) return '';
  return current === null ? 'current: there is no such item\n' : `current: ${toJson(current)}\n`;
}

/** One sentence and a hint; the stack only where asked for. */
export function failureText(error: unknown, withStack: boolean): string {
  const { message, hint, current } = failureDocument(error).error;
  const stack = withStack && error instanceof Error ? `${error.stack}\n` : '';
  return printableLines(`error: ${message}\n${currentText(current)}${hint === '' ? '' : `hint: ${hint}\n`}${stack}`);
}
