import { EdgeloomError } from '../../../src/foundation/errors.ts';

export interface DemoResult {
  records: number;
  touches: number;
  writes: number;
  wcu: number;
  rcu: number;
  seconds: number;
  /** From the end of a write to the end of its batch, by the demo's own clock. */
  lagMs: { p50: number; p99: number };
  check: 'ok';
}

export type Say = (line: string) => void;

/** @param what names the answer in the error */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  const left = JSON.stringify(actual);
  const right = JSON.stringify(expected);
  if (left === right) return;
  throw new EdgeloomError(
    'demo-mismatch',
    `${what} differs from the data files: read ${shorten(left)}, expected ${shorten(right)}.`,
    'This is a bug in Edgeloom; please report it.',
  );
}

function shorten(text: string | undefined): string {
  return text === undefined ? 'nothing' : text.length > 300 ? `${text.slice(0, 297)}...` : text;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
