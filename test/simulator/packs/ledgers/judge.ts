import type { Store } from '../../../../src/core/store-port.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { createReader } from '../../../../src/index.ts';
import { exactOf, textOf } from '../../kernel/decimal.ts';
import type { Table } from '../../kernel/table.ts';
import { compareBytes, text } from '../../kernel/values.ts';
import type { EdgeSpec, Spec } from './spec.ts';
import { type Direction, foundBy, orderedIn, shownOf, type Total, type Truth, totalOf } from './truth.ts';

/** How many values of one group a node has room for. */
const ROOM = 50;
const STATUSES = ['online', 'away', 'gone fishing', '~'];

interface AnyReader {
  total(id: string, type: string, options: object): Promise<Record<string, unknown>>;
  getView(id: string): Promise<{ attributes: unknown; edgeSet: unknown[] } | null>;
  degree(id: string, type: string): Promise<number>;
  search(name: string): { find(predicate: object, options: object): Promise<{ items: { id: string }[] }> };
  inbound(id: string, type: string, options: object): Promise<{ items: { source: string }[] }>;
}

/** What the judge has to know of a schedule's past. */
export interface Past {
  ids: readonly string[];
  /** Whether a group may still lack room for a value, although its values of now are few. */
  mayLackRoom: boolean;
}

/** Asks the reader everything, and returns in what it differs from the truth. */
export async function differences(spec: Spec, truth: Truth, store: Store, past: Past): Promise<string[]> {
  const reader = createReader(spec.graph as never, { store }) as unknown as AnyReader;
  const wrong: string[] = [];
  const compare = (what: string, expected: unknown, actual: unknown): void => {
    const [left, right] = [canonical(expected), canonical(actual)];
    if (left !== right) wrong.push(`${what}: expected ${left}, but is ${right}`);
  };
  for (const id of past.ids) {
    const shown = shownOf(spec, truth, id);
    const got = (await reader.getView(id)) ?? { attributes: null, edgeSet: [] };
    compare(`get ${id}`, shown, { attributes: got.attributes, edgeSet: sortedSet(got.edgeSet) });
    for (const edge of spec.edges) {
      for (const direction of ['inbound', 'outgoing'] as const) {
        const ends = direction === 'inbound' ? edge.to : edge.from;
        if (edge[direction] === undefined || !ends.includes(id.split('-', 1)[0]!)) continue;
        const total = totalOf(truth, edge, direction, id);
        const what = `total ${id} ${edge.type} ${direction}`;
        compareTotal(compare, what, total, await totalsOf(reader, id, edge, direction), past.mayLackRoom);
        if (direction === 'outgoing') compare(`degree ${id}`, total.count, await reader.degree(id, edge.type));
      }
      if (!edge.to.includes(id.split('-', 1)[0]!)) continue;
      for (const order of ['gsi0', 'byState'] as const) {
        if (!(order === 'gsi0' ? edge.byDate : edge.byPart)) continue;
        const { items } = await reader.inbound(id, edge.type, { order, limit: 1000 });
        const sources = items.map(({ source }) => source).sort(compareBytes);
        compare(`inbound ${edge.type} ${id} by ${order}`, orderedIn(truth, edge, order, id), sources);
      }
    }
  }
  for (const [type, { parts }] of Object.entries(spec.nodes)) {
    for (const [part, { searches }] of Object.entries(parts)) {
      for (const attribute of searches) {
        for (const value of STATUSES) {
          const { items } = await reader
            .search(`${type}.${part}.${attribute}`)
            .find({ equals: value }, { limit: 1000 });
          const ids = items.map(({ id }) => id).sort(compareBytes);
          compare(`search ${type}.${part}.${attribute} ${value}`, foundBy(truth, type, part, attribute, value), ids);
        }
      }
    }
  }
  return wrong;
}

/** The answer with groups, or the code of its refusal; and the answer without. */
async function totalsOf(
  reader: AnyReader,
  id: string,
  { type, inbound, outgoing }: EdgeSpec,
  direction: Direction,
): Promise<{ whole: Record<string, unknown> | string; bare: Record<string, unknown> }> {
  const options = inbound !== undefined && outgoing !== undefined ? { direction } : {};
  const bare = await reader.total(id, type, { ...options, groups: false });
  try {
    return { whole: await reader.total(id, type, options), bare };
  } catch (error) {
    if (error instanceof EdgeloomError && error.code === 'too-many-groups') return { whole: error.code, bare };
    throw error;
  }
}

function compareTotal(
  compare: (what: string, expected: unknown, actual: unknown) => void,
  what: string,
  { count, problems, sums, groups }: Total,
  { whole, bare }: Awaited<ReturnType<typeof totalsOf>>,
  mayLackRoom: boolean,
): void {
  const plain = { count, ...(problems > 0 && { problems }), ...sums };
  const { groups: _, ...withoutGroups } = bare;
  compare(`${what} without groups`, plain, withSums(withoutGroups, sums));
  const isFull = Object.values(groups).some((values) => Object.keys(values).length > ROOM);
  if (whole === 'too-many-groups' && mayLackRoom && !isFull) return;
  compare(
    what,
    isFull ? 'too-many-groups' : { ...plain, groups },
    typeof whole === 'string' ? whole : withSums(whole, sums),
  );
}

/** The answer with its sums in one form. */
function withSums(answer: Record<string, unknown>, sums: Record<string, string>): Record<string, unknown> {
  const texts = Object.keys(sums).map((name): [string, unknown] => {
    const number = typeof answer[name] === 'string' ? exactOf(answer[name]) : undefined;
    return [name, number === undefined ? answer[name] : textOf(number)];
  });
  return { ...answer, ...Object.fromEntries(texts) };
}

/** Whether quarantine holds exactly the base items that belong there. */
export function quarantineDifferences(table: Table, truth: Truth): string[] {
  const held = new Set<string>();
  for (const { key, item } of table.items()) {
    const { source, target } = key;
    // An entry that is over leaves a tombstone.
    if (target.startsWith('~quarantine/') && item[table.names.ttl] === undefined)
      held.add(`${source} > ${text(item['of']) ?? ''}`);
  }
  const actual = [...held].sort();
  return canonical(actual) === canonical(truth.bad)
    ? []
    : [`quarantine: expected ${canonical(truth.bad)}, but is ${canonical(actual)}`];
}

function sortedSet(set: readonly unknown[]): unknown[] {
  const entries = set as { type: string; target: string }[];
  return [...entries].sort((a, b) => compareBytes(a.type, b.type) || compareBytes(a.target, b.target));
}

/** JSON with sorted names. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
}
