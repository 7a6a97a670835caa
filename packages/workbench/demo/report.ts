import { EdgeloomError } from '../../../src/foundation/errors.ts';

/** The figures that the demo measured; the shape of `demo --json`. */
export interface DemoResult {
  records: number;
  touches: number;
  writes: number;
  wcu: number;
  rcu: number;
  /** Duration of the whole demo. */
  seconds: number;
  /** From a write's end to the end of the batch that projected it, by the demo's own clock. */
  lagMs: { p50: number; p99: number };
  /** Everything read agreed with the data files. */
  check: 'ok';
}

/** Prints a line while the demo runs. */
export type Say = (line: string) => void;

/** Throws where what was read is not what the files say; `what` names it. */
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

/** The value below which a share of the sorted values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
