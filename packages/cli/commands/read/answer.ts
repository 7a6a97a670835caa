import type { Command } from 'commander';
import type { CompiledModel } from '../../../../src/core/model/compiled.ts';
import type { Store } from '../../../../src/core/store-port.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { type Output, textTable } from '../../shared/output.ts';
import { type LeastRead, PricedStore } from '../../shared/price.ts';
import { inTable } from '../../shared/table-session.ts';

/** The exit code where nothing, or not all, is there of what was asked for. */
const ABSENT = 1;

/** The answer of a read. */
export interface Answer extends Output {
  /** The ids in it: `explain --query` says whether an item is among them. */
  found?: readonly string[];
  /** Why a page took its steps. */
  why?: string[];
  /** A sentence for each thing that is not there. */
  absent?: readonly string[];
}

/** The model and the store that a read asks. */
export interface ReadSession {
  graph: CompiledModel;
  store: Store;
  /** Says on stderr what a read is about to cost, where that is much. */
  announce: (least: LeastRead) => void;
}

/** Asks what a command's words and options say. */
export type Ask<Args extends unknown[]> = (session: ReadSession, ...args: Args) => Promise<Answer>;

/** Makes the action of a command of what it asks. */
export type Bind = <Args extends unknown[]>(ask: Ask<Args>) => (...args: [...Args, Command]) => Promise<void>;

/** Prints the answer. A sentence on stderr and the exit code 1 name things that are absent. */
export const printing: Bind = <Args extends unknown[]>(ask: Ask<Args>) =>
  inTable(async (session, ...args: Args) => {
    const store = new PricedStore(session.store);
    const answer = await ask({ ...session, store, announce: (least) => store.announce(least) }, ...args);
    sayAbsent(answer.absent ?? []);
    return answer;
  });

/** Says on stderr which things are not there, and sets the exit code for that; nothing for no sentence. */
export function sayAbsent(sentences: readonly string[]): void {
  for (const sentence of sentences) process.stderr.write(`${printable(sentence)}\n`);
  if (sentences.length > 0) process.exitCode = ABSENT;
}

/** A page of edges as a table. */
export function edgeTable(page: {
  items: readonly { source: string; type: string; target: string; attributes: unknown }[];
  cursor?: string;
}): string {
  const rows = page.items.map(({ source, type, target, attributes }) => [source, type, target, attributes]);
  return pageTable('edges', ['source', 'type', 'target', 'attributes'], rows, page.cursor);
}

/** The rows of a page as a table, and how to go on. A page without rows says so: a bare heading reads as output that was cut off. */
export function pageTable(
  what: string,
  headings: readonly string[],
  rows: readonly (readonly unknown[])[],
  cursor: string | undefined,
): string {
  return (rows.length === 0 ? noneText(what, cursor) : textTable(headings, rows)) + cursorLine(cursor);
}

/** The line of a page without rows. A filtered page may end before the list does. */
export function noneText(what: string, cursor: string | undefined): string {
  return `No ${what}${cursor === undefined ? '' : ' on this page'}.`;
}

/** How to go on, where something remains. */
export function cursorLine(cursor: string | undefined): string {
  return cursor === undefined ? '' : `\nmore: --cursor ${cursor}`;
}
