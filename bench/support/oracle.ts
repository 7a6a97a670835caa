import { INDEX_KEYS } from '../../src/core/items/derived-item.ts';
import type { Item } from './images.ts';
import type { Workload } from './workload.ts';

/** The answers that a consumer should leave. Compares no items, because each consumer has its own layout. */

const WEIGHTS: Readonly<Record<string, number>> = { LEAD: 500, CONTRIBUTOR: 400, VIEWER: 300 };
const INDEX_ITEM = ' ~ix/';
const VIEW = ' ~view';

export function checkEdgeSets(workload: Workload, items: ReadonlyMap<string, Item>): void {
  refuse('edge set', wrongEdgeSets(workload, items));
}

export function checkIndexItems(workload: Workload, items: ReadonlyMap<string, Item>): void {
  refuse('index item', wrongEntries(workload, items));
}

export function wrongItems(workload: Workload, items: ReadonlyMap<string, Item>): number {
  return wrongEdgeSets(workload, items).length + wrongEntries(workload, items).length;
}

function refuse(what: string, [first, ...others]: readonly string[]): void {
  if (first === undefined) return;
  throw new Error(`the projector left a wrong ${what} of ${first}, and ${others.length} more`);
}

function wrongEdgeSets({ edges }: Workload, items: ReadonlyMap<string, Item>): string[] {
  const found = new Map<string, string[]>();
  for (const [key, { edgeSet }] of items) {
    if (key.endsWith(VIEW) && edgeSet !== undefined && 'SS' in edgeSet) {
      found.set(key.slice(0, -VIEW.length), edgeSet.SS);
    }
  }
  const expected = new Map<string, string[]>();
  for (const [source, ofSource] of edges) {
    const elements = [...ofSource].map(([target, { role }]) => `GOALMEMBERSHIP-${target}|memberRole=${role}`);
    if (elements.length > 0) expected.set(source, elements);
  }
  return differences(expected, found);
}

function wrongEntries(workload: Workload, items: ReadonlyMap<string, Item>): string[] {
  const found = new Map<string, string[]>();
  for (const [key, item] of items) {
    const at = key.indexOf(INDEX_ITEM);
    if (at < 0) continue;
    const [source, name] = [key.slice(0, at), key.slice(at + INDEX_ITEM.length)];
    // The sort key of an edge contains a dash. Otherwise, the name of a search follows.
    const base = name.includes('-') ? `${source} ${name}` : source;
    const entries = entriesOf(item);
    if (entries.length > 0) found.set(base, [...(found.get(base) ?? []), ...entries]);
  }
  return differences(expectedEntries(workload), found);
}

/** Returns the partition, without its shard, and the sort key for each index. */
function entriesOf(item: Item): string[] {
  return Object.values(INDEX_KEYS).flatMap(({ partition, sort }) => {
    const [partitionKey, sortKey] = [item[partition], item[sort]];
    if (partitionKey === undefined || sortKey === undefined) return [];
    return 'S' in partitionKey && 'S' in sortKey
      ? [entry(partitionKey.S.replace(/#\d+$/, ''), sortKey.S)]
      : ['no text'];
  });
}

function expectedEntries({ edges, goals }: Workload): Map<string, string[]> {
  const expected = new Map<string, string[]>();
  for (const [source, ofSource] of edges) {
    for (const [target, { role, date }] of ofSource) {
      const partition = `GOALMEMBERSHIP-${target}`;
      expected.set(`${source} ${partition}`, [
        entry(partition, `${WEIGHTS[role]}-${role}\u0000${source}`),
        entry(partition, `${date}T00:00:00\u0000${source}`),
      ]);
    }
  }
  for (const { source, status, dueDate } of goals.values()) {
    expected.set(source, [
      entry('GOAL.status', `${status}\u0000${source}`),
      entry('GOAL.dueDate', `${dueDate}T00:00:00\u0000${source}`),
    ]);
  }
  return expected;
}

function entry(partition: string, sortKey: string): string {
  return `${partition} ${sortKey}`;
}

function differences(expected: ReadonlyMap<string, string[]>, found: ReadonlyMap<string, string[]>): string[] {
  const text = (texts: readonly string[] = []): string => JSON.stringify([...texts].sort());
  const names = new Set([...expected.keys(), ...found.keys()]);
  return [...names].filter((name) => text(expected.get(name)) !== text(found.get(name)));
}
