import { toJson } from '../../../src/foundation/exact-json.ts';
import { type FailureDocument, failureDocument } from '../../../src/foundation/failure-document.ts';
import { printableLines } from '../../../src/foundation/printable.ts';
import { inCommandWords } from './remedies.ts';

function currentText(current: object | null | undefined): string {
  if (current === undefined) return '';
  return current === null ? 'current: there is no such item\n' : `current: ${toJson(current)}\n`;
}

export function commandFailure(failed: unknown): FailureDocument {
  const { error } = failureDocument(failed);
  return { error: { ...error, message: inCommandWords(error.message), hint: inCommandWords(error.hint) } };
}

export function failureText(error: unknown, { withStack = false }: { withStack?: boolean } = {}): string {
  const { code, message, hint, current } = commandFailure(error).error;
  const stack = withStack && error instanceof Error ? `${error.stack}\n` : '';
  return printableLines(
    `error (${code}): ${message}\n${currentText(current)}${hint === '' ? '' : `hint: ${hint}\n`}${stack}`,
  );
}
