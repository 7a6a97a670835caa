import type { Command } from 'commander';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import type { Store } from '../../../../src/core/store-port.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { type Output, textTable } from '../../shared/output.ts';
import { type LeastRead, PricedStore } from '../../shared/price.ts';
import { inTable } from '../../shared/table-session.ts';

const ABSENT = 1;

export interface Answer extends Output {
  /** The ids in the answer, for `explain --query`. */
  found?: readonly string[];
  why?: string[];
  absent?: readonly string[];
}

export interface ReadSession {
  graph: CompiledModel;
  store: Store;
  announce: (least: LeastRead) => void;
}

export type Ask<Args extends unknown[]> = (session: ReadSession, ...args: Args) => Promise<Answer>;

export type Bind = <Args extends unknown[]>(ask: Ask<Args>) => (...args: [...Args, Command]) => Promise<void>;

export const printing: Bind = <Args extends unknown[]>(ask: Ask<Args>) =>
  inTable(async (session, ...args: Args) => {
    const store = new PricedStore(session.store);
    const answer = await ask({ ...session, store, announce: (least) => store.announce(least) }, ...args);
    sayAbsent(answer.absent ?? []);
    return answer;
  });

export function sayAbsent(sentences: readonly string[]): void {
  for (const sentence of sentences) process.stderr.write(`${printable(sentence)}\n`);
  if (sentences.length > 0) process.exitCode = ABSENT;
}

export function edgeTable(page: {
  items: readonly { source: string; type: string; target: string; attributes: unknown }[];
  cursor?: string;
}): string {
  const rows = page.items.map(({ source, type, target, attributes }) => [source, type, target, attributes]);
  return pageTable('edges', ['source', 'type', 'target', 'attributes'], rows, page.cursor);
}

/** Returns a sentence if the table has no rows: a heading alone looks like output that was cut off. */
export function pageTable(
  what: string,
  headings: readonly string[],
  rows: readonly (readonly unknown[])[],
  cursor: string | undefined,
): string {
  return (rows.length === 0 ? noneText(what, cursor) : textTable(headings, rows)) + cursorLine(cursor);
}

/** If there is a cursor, only this page is empty: a filter may have dropped all of its rows. */
export function noneText(what: string, cursor: string | undefined): string {
  return `No ${what}${cursor === undefined ? '' : ' on this page'}.`;
}

export function cursorLine(cursor: string | undefined): string {
  return cursor === undefined ? '' : `\nmore: --cursor ${cursor}`;
}
