import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { hashedSortKey } from '../../src/core/items/hashed-key.ts';
import { itemKindOf } from '../../src/core/kinds/all-kinds.ts';
import { hasCopies } from '../../src/core/kinds/copy.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { isContinuationKey } from '../../src/core/plan/stream-filter.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { type CheckOptions, check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { runs } from '../support/extent.ts';
import { comparable, derivedName, expectedItems, storedItems } from '../support/oracle.ts';
import { StreamedStore } from '../support/streamed-store.ts';
import { keyed, smallGraph, type Write, writes } from './small-graphs.ts';

/**
 * The check against the oracle, over random models, random graphs and random corruption of what is derived from them: it
 * names exactly the derived items that differ, and repair leaves none.
 */

const RUNS = { numRuns: runs({ part: 120, whole: 800 }) };
const DRIFT = ['missing', 'stale', 'orphan'];

/** One way to break a derived item; `pick` chooses the item, and parts of it. */
interface Damage {
  kind: (typeof KINDS)[number];
  pick: number;
}

const KINDS = [
  ...(['delete', 'bury', 'field', 'element', 'extra', 'mark', 'ghost', 'foreign', 'type', 'expiry'] as const),
  ...(['copy', 'resurrect', 'stuck', 'lost'] as const),
];

const damages: fc.Arbitrary<Damage[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    pick: fc.nat({ max: 1000 }),
  }),
  { maxLength: 4 },
);

/** Elements that no base item wants, and some that are none. */
const EXTRAS = [
  'MEMBER-USER-8|role=LEAD',
  `${hashedSortKey('MEMBER', 'USER-8')}|target=USER-8`,
  hashedSortKey('LINK', 'GOAL-8'),
  '%',
];

async function projected(graph: CompiledModel, history: readonly Write[]): Promise<StreamedStore> {
  const table = new StreamedStore(graph);
  for (const one of history) await table.producer(...keyed(graph, one));
  const result = await createProjector(graph, { store: table }).project(table.records);
  expect(result.failedFrom).toBeUndefined();
  return table;
}

function derivedItemsOf(table: StreamedStore): Item[] {
  return [...table.items()].filter((item) => /^~(view|ix|degree|rev)/.test(textOf(item['target'])));
}

function textOf(value: Item[string] | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}

/** Derived items that nothing wants, some of them of orders that the model does not have, or no longer. */
const GHOSTS = [
  ...['~ix/MEMBER-USER-9', '~ix/nothing', '~ix/tags/q', '~ix/LINK-GOAL-9', '~ix/#0123', '~degree/NOTHING'],
  ...['~ix/#byTitle/MEMBER-USER-9', '~ix/#byTitle/MEMBER-USER-1', '~ix/#byTitle/GOAL-1', '~ix/#byTitle/#0123'],
  ...['~ix/#byTitle/', '~ix/#byTitle', '~ix/#byTitle0'],
  ...['~ix/#byOther/MEMBER-USER-1', '~ix/#aOther/MEMBER-USER-1', '~ix/#zOther/MEMBER-USER-1'],
  ...['~ix/#includeTarget/LINK', '~ix/#includeTarget/MEMBER/byTitle', '~ix/#includeTarget/'],
  `~ix/${hashedSortKey('MEMBER', 'USER-9')}`,
  ...['~rev/LINK-GOAL-9', '~rev/LINK-', '~rev/NOTHING-GOAL-1'],
];
const LOST = ['USER-1', 'GOAL-1', 'GOAL-2'].map((id) => ({ source: id, target: id }));

/** Breaks the table; gives the names of derived items whose attributes or expiry cannot be. */
async function damage(graph: CompiledModel, table: StreamedStore, list: readonly Damage[]): Promise<Set<string>> {
  for (const { kind, pick } of list) {
    const items = derivedItemsOf(table);
    const item = items[pick % Math.max(1, items.length)];
    if (kind === 'ghost') {
      const target = GHOSTS[pick % GHOSTS.length]!;
      await table.put({
        ...{ source: { S: 'GOAL-1' }, target: { S: target }, r: { N: '1' } },
        ...{ gsi0pk: { S: 'GOAL.nothing' }, gsi0sk: { S: 'q\0GOAL-1' } },
      });
      continue;
    }
    if (kind === 'stuck') {
      const [source, target] = pick % 2 === 0 ? ['USER-1', '~more/MEMBER'] : ['GOAL-1', '~more/LINK'];
      const after = { S: pick % 3 === 0 ? 'nowhere' : `${target.replace('more', 'rev')}-` };
      await table.put({ source: { S: source! }, target: { S: target! }, r: { N: '3' }, after });
      continue;
    }
    // The stream has lost the record.
    if (kind === 'lost') await table.delete(LOST[pick % LOST.length]!);
    if (item === undefined || kind === 'lost') continue;
    if (kind === 'delete') await table.delete({ source: textOf(item['source']), target: textOf(item['target']) });
    else await table.put(broken(item, kind, pick));
  }
  const stuck = [...table.items()].filter((item) => item['after'] !== undefined);
  const odd = [...derivedItemsOf(table).filter((item) => isOdd(graph, item)), ...stuck];
  return new Set([
    ...odd.map((item) => derivedName(textOf(item['source']), textOf(item['target']))),
    ...wrongCounts(table),
  ]);
}

/** The names of counts that are not the number of live items: also where the items are wrong and the count is not. */
function wrongCounts(table: StreamedStore): string[] {
  const live = new Map<string, number>();
  const counts = new Map<string, Item>();
  for (const item of table.items()) {
    const source = textOf(item['source']);
    const type = textOf(item['counted']);
    const name = derivedName(source, `~degree/${type}`);
    if (type !== '') live.set(name, (live.get(name) ?? 0) + 1);
    if (textOf(item['target']).startsWith('~degree/')) counts.set(derivedName(source, textOf(item['target'])), item);
  }
  return [...new Set([...live.keys(), ...counts.keys()])].filter((name) => {
    const count = counts.get(name)?.['count'] ?? { N: '0' };
    return !('N' in count) || Number(count.N) !== (live.get(name) ?? 0);
  });
}

/** A kind that the model has not; an attribute that no kind has; an expiry of what is no tombstone. */
function isOdd(graph: CompiledModel, item: Item): boolean {
  const sortKey = textOf(item['target']);
  const kind = itemKindOf(graph, sortKey);
  if (sortKey.startsWith('~degree/')) return kind.name !== 'count';
  if (sortKey.startsWith('~rev/') && kind.name !== 'reverse-item') return true;
  if (item['foreign'] !== undefined) return true;
  return item['expiresAt'] !== undefined && kind.isLive(item);
}

function broken(item: Item, kind: Damage['kind'], pick: number): Item {
  if (textOf(item['target']).startsWith('~degree/'))
    return { ...item, count: kind === 'type' ? { S: '1' } : { N: `${pick}` } };
  const isView = textOf(item['target']) === '~view';
  const { source, target, r } = item as Record<string, Item[string]>;
  const set = item['edgeSet'];
  const elements = set !== undefined && 'SS' in set ? set.SS : [];
  switch (kind) {
    case 'bury':
      return { source: source!, target: target!, r: r!, expiresAt: { N: '9999999999' } };
    case 'field':
      return {
        ...item,
        [isView ? 'attributes' : 'gsi0sk']: isView ? { M: { odd: { N: `${pick}` } } } : { S: `${pick}` },
      };
    case 'element': {
      const { edgeSet: _, ...rest } = item;
      const left = elements.filter((_element, i) => i !== pick % elements.length);
      return left.length === 0 ? rest : { ...rest, edgeSet: { SS: left } };
    }
    case 'extra':
      return isView ? { ...item, edgeSet: { SS: [...new Set([...elements, ...EXTRAS])] } } : item;
    case 'mark':
      return isView ? { ...item, evicted: { SS: ['MEMBER'] } } : item;
    case 'type':
      return isView ? { ...item, edgeSet: { S: 'MEMBER-USER-1' } } : item;
    case 'copy':
      return isView ? withBrokenCopies(item, pick) : item;
    case 'resurrect': {
      const { expiresAt: _, ...rest } = item;
      return textOf(target).startsWith('~rev/') ? { ...rest, child: { S: textOf(target).slice(-6) } } : item;
    }
    case 'expiry':
      return { ...item, expiresAt: { N: '9999999999' } };
    case 'foreign':
      return { ...item, foreign: { S: `${pick}` } };
    default:
      return item;
  }
}

function withBrokenCopies(view: Item, pick: number): Item {
  const stored = view['copies'] !== undefined && 'M' in view['copies'] ? view['copies'].M : {};
  const names = Object.keys(stored);
  const name = names[pick % Math.max(1, names.length)] ?? 'MEMBER-USER-1';
  const { [name]: _, ...rest } = stored;
  const broken: Item[string][] = [
    { M: rest },
    { M: { ...rest, [name]: { M: { title: { S: 'another' } } } } },
    { M: { ...rest, [name]: { S: 'no map' } } },
    { M: { ...stored, 'MEMBER-USER-8': { M: {} } } },
    { M: { ...stored, nothing: { M: {} } } },
    { S: 'no map' },
  ];
  return { ...view, copies: broken[pick % broken.length]! };
}

/** Delivers what the stream has of fan-outs that go on, until none does. */
async function fanOut(graph: CompiledModel, table: StreamedStore): Promise<void> {
  for (let read = 0; read < table.records.length; ) {
    const records = table.records.slice(read);
    read += records.length;
    const going = records.filter(({ target }) => isContinuationKey(target));
    const { failedFrom } = await createProjector(graph, { store: table }).project(going);
    expect(failedFrom).toBeUndefined();
  }
}

async function run(graph: CompiledModel, table: StreamedStore, options: Partial<CheckOptions> = {}) {
  const findings: Finding[] = [];
  const result = await check(graph, {
    ...{ store: table, graceMs: 0, segments: 3 },
    onFinding: (finding) => findings.push(finding),
    ...options,
  });
  const drift = findings.filter(({ verdict }) => DRIFT.includes(verdict) || verdict === 'maintenance');
  return { ...result, drifted: drift.map(({ source, target }) => derivedName(source, target)).sort() };
}

/** The names of the derived items that are not what the oracle wants, and those that are odd besides. */
function wrongItems(graph: CompiledModel, table: StreamedStore, odd: ReadonlySet<string>): string[] {
  const items = [...table.items()];
  const base = items.filter((item) => !textOf(item['target']).startsWith('~'));
  const expected = comparable(expectedItems(graph, base));
  const stored = comparable(storedItems(graph, items));
  const names = new Set([...Object.keys(expected), ...Object.keys(stored)]);
  const wrong = [...names].filter((name) => expected[name] !== stored[name]);
  return [...new Set([...wrong, ...odd])].sort();
}

/** How many records of base items there are; continuations of fan-outs have records, too. */
function baseRecords(table: StreamedStore): number {
  return table.records.filter(({ target }) => !target.startsWith('~')).length;
}

/** What the check should name: a count that agrees with the items is right as soon as they are. */
function reportable(table: StreamedStore, wrong: readonly string[]): string[] {
  const counts = wrongCounts(table);
  return wrong.filter((name) => !/~degree\/(MEMBER|LINK)/.test(name) || counts.includes(name));
}

describe('the check names exactly the derived items that differ', () => {
  it('whatever is broken, and repair makes them right', async () => {
    await fc.assert(
      fc.asyncProperty(smallGraph, writes, damages, async (graph, history, list) => {
        const table = await projected(graph, history);
        const odd = await damage(graph, table, list);
        const wrong = reportable(table, wrongItems(graph, table, odd));
        expect((await run(graph, table)).drifted).toEqual(wrong);
        const written = baseRecords(table);
        const { repaired, maintenance, drifted } = await run(graph, table, { mode: 'repair' });
        expect(repaired + maintenance).toBe(drifted.length);
        // A reverse item and its copy are mended together, whichever of them comes first.
        if (!hasCopies(graph)) expect(drifted).toEqual(wrong);
        await fanOut(graph, table);
        expect(wrongItems(graph, table, new Set())).toEqual([]);
        expect((await run(graph, table)).drifted).toEqual([]);
        expect(baseRecords(table)).toBe(written);
      }),
      RUNS,
    );
  });

  it('also where nothing was ever projected: a rebuild makes all of it', async () => {
    await fc.assert(
      fc.asyncProperty(smallGraph, writes, async (graph, history) => {
        const table = new StreamedStore(graph);
        for (const one of history) await table.producer(...keyed(graph, one));
        await run(graph, table, { mode: 'rebuild' });
        expect(wrongItems(graph, table, new Set())).toEqual([]);
        expect((await run(graph, table)).drifted).toEqual([]);
        // What the stream still holds comes later, and changes nothing.
        await createProjector(graph, { store: table }).project(table.records);
        expect(wrongItems(graph, table, new Set())).toEqual([]);
      }),
      RUNS,
    );
  });
});
