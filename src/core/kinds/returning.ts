import { type Item, itemSizeBytes, stringOf } from '../items/attribute-value.ts';
import { evictedTypes } from '../items/stored-view.ts';
import { queryPages } from '../store-pages.ts';
import { readCopies } from './copy.ts';
import type { Difference, Judging } from './difference.ts';
import { copyBytes, fitsBackIntoView, viewBudgetBytes } from './eviction.ts';

export async function returningTypes(judging: Judging): Promise<Difference[]> {
  const { graph, suspect, was } = judging;
  const evicted = evictedTypes(was);
  const found: Difference[] = [];
  for (const type of suspect.returning ?? []) {
    const isListed = graph.edges.get(type)?.labels !== undefined;
    if (isListed && evicted.has(type) && (await fitsBack(judging, was!, type)))
      found.push({ kind: 'returning', about: type, expected: null, stored: markText(type) });
  }
  return found;
}

/** Reads the type's edges only until they exceed the view's budget. */
async function fitsBack(judging: Judging, view: Item, edgeType: string): Promise<boolean> {
  const { graph, store, decided } = judging;
  const { source } = judging.suspect;
  let bytes = itemSizeBytes(view);
  const request = { partition: source, sortKey: { beginsWith: `${edgeType}-` }, consistent: true };
  for await (const page of queryPages(store, request)) {
    const listed: string[] = [];
    for (const item of page.items) {
      const target = stringOf(item[graph.table.sortKey]) ?? '';
      const element = decided.elementOf({ source, target }, item);
      if (element === undefined) continue;
      bytes += Buffer.byteLength(element);
      listed.push(target);
    }
    if (fitsBackIntoView(graph, source, bytes)) bytes += await bytesOfCopies(judging, listed);
    if (bytes > viewBudgetBytes(graph, source)) break;
  }
  return fitsBackIntoView(graph, source, bytes);
}

async function bytesOfCopies({ graph, store }: Judging, edges: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const [edge, copy] of await readCopies({ graph, store, stats: { rcu: 0 } }, edges)) {
    if (copy !== undefined) bytes += copyBytes(edge, copy);
  }
  return bytes;
}

export function markText(edgeType: string): string {
  return `mark of evicted ${edgeType}`;
}
