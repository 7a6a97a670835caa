import { failureDocument } from '../../../src/foundation/failure-document.ts';
import { printableLines } from '../../../src/foundation/printable.ts';

/** One sentence and a hint; the stack only where asked for. */
export function failureText(error: unknown, withStack: boolean): string {
  const { message, hint } = failureDocument(error).error;
  const stack = withStack && error instanceof Error ? `${error.stack}\n` : '';
  return printableLines(`error: ${message}\n${hint === '' ? '' : `hint: ${hint}\n`}${stack}`);
}
