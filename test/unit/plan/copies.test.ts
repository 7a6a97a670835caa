import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { copiesField, copiesWithElement, copyingTypes, copyOf } from '../../../src/core/kinds/copy.ts';
import { edgeOfReverse, reverseItemKeyOf } from '../../../src/core/kinds/reverse-item.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import {
  beginContinuationUpdate,
  continuationUnit,
  fanOutsOf,
  moveContinuationUpdate,
} from '../../../src/core/plan/fan-out.ts';
import { foldBatch } from '../../../src/core/plan/fold.ts';
import type { ContinuationUnit, FanOutUnit, Unit } from '../../../src/core/plan/unit.ts';
import { planBatch } from '../../../src/core/plan/units.ts';
import { fastViewUpdate } from '../../../src/core/plan/writes/view-update.ts';
import { at, change, history } from '../../support/records.ts';

const graph = defineGraph({
  table: { name: 'records', ttl: 'ttl' },
  nodes: { BOOK: node({ view: 'ALL' }), AUTHOR: node({ view: 'ALL' }), SHOP: node({ view: 'ALL' }) },
  edges: {
    WROTE: edge({ from: 'BOOK', to: ['AUTHOR', 'SHOP'], edgeSet: ['role'], copy: ['name', 'source', 'bio'] }),
    EDITED: edge({ from: 'BOOK', to: 'AUTHOR', copy: ['born'] }),
    SOLD: edge({ from: 'BOOK', to: 'SHOP' }),
  },
});
const wrote = graph.edges.get('WROTE')!;
const BOOK = 'BOOK-1';
const AUTHOR = 'AUTHOR-1';
const EDGE = 'WROTE-AUTHOR-1';
const REVERSE = { source: AUTHOR, target: '~rev/WROTE-BOOK-1' };
const ann: Item = { name: { S: 'Ann' } };

function plan(records: readonly ChangeRecord[]): Unit[] {
  return planBatch(graph, foldBatch(records));
}
const fanOuts = (units: Unit[]): FanOutUnit[] => units.filter((unit) => unit.kind === 'fan-out');

describe('what an edge copies of its parent', () => {
  it('is the attributes that are named and present, and never a key', () => {
    const node = { source: { S: AUTHOR }, target: { S: AUTHOR }, ...ann, other: { N: '1' } };
    expect(copyOf(graph, wrote, node)).toEqual(ann);
  });
  it('is empty where the parent has none of them, and absent where there is no parent', () => {
    expect(copyOf(graph, wrote, { source: { S: AUTHOR }, target: { S: AUTHOR } })).toEqual({});
    expect(copyOf(graph, wrote, undefined)).toBeUndefined();
  });
  it('is without attributes that are malformed', () => {
    expect(copyOf(graph, wrote, { ...ann, bio: { X: 1 } as unknown as Item[string] })).toEqual(ann);
  });
  it('is kept with the element alone, and by types that copy', () => {
    const elements = new Map([['WROTE-AUTHOR-1', ['WROTE-AUTHOR-1|role=A']]]);
    const copies = new Map([
      [EDGE, ann],
      ['WROTE-AUTHOR-2', ann],
      ['SOLD-SHOP-1', ann],
    ]);
    expect([...copiesWithElement(graph, elements, copies)]).toEqual([[EDGE, ann]]);
  });
  it('is written where it changes, and the attribute removed with the last', () => {
    const stored = { copies: { M: { [EDGE]: { M: ann } } } };
    expect(copiesField(undefined, new Map())).toEqual({});
    expect(copiesField(undefined, new Map([[EDGE, ann]]))).toEqual(stored);
    expect(copiesField(stored, new Map([[EDGE, ann]]))).toEqual({});
    expect(copiesField(stored, new Map([[EDGE, {}]]))).toEqual({ copies: { M: { [EDGE]: { M: {} } } } });
    expect(copiesField(stored, new Map())).toEqual({ copies: undefined });
  });
  it('is read after the view, so its edges are never added unread', () => {
    const units = plan([
      ...history(BOOK, EDGE, [undefined, {}]),
      ...history('BOOK-2', 'SOLD-SHOP-1', [undefined, {}], 2),
    ]);
    const views = units.filter((unit) => unit.kind === 'view');
    expect(views.map((unit) => fastViewUpdate(graph, unit) !== undefined)).toEqual([false, true]);
  });
});

describe('the reverse item of an edge', () => {
  it('is in the parent’s partition and names the child; of types that copy only', () => {
    expect(derivedOf(graph, BOOK, EDGE, {}).inTarget).toEqual([{ key: REVERSE, fields: { child: { S: BOOK } } }]);
    expect(derivedOf(graph, BOOK, EDGE, undefined).inTarget).toBeUndefined();
    expect(derivedOf(graph, BOOK, 'SOLD-SHOP-1', {}).inTarget).toBeUndefined();
    expect(reverseItemKeyOf(graph, { source: BOOK, target: EDGE })).toEqual(REVERSE);
    expect(reverseItemKeyOf(graph, { source: BOOK, target: BOOK })).toBeUndefined();
  });
  it('tells its edge, also where its key is a hash of the child', () => {
    expect(edgeOfReverse(REVERSE, undefined)).toEqual({ source: BOOK, target: EDGE });
    const child = `BOOK-${'x'.repeat(2_000)}`;
    const { key, fields } = derivedOf(graph, child, EDGE, {}).inTarget![0]!;
    expect(key.target).toMatch(/^~rev\/WROTE-#[0-9a-f]{32}$/);
    expect(edgeOfReverse(key, fields)).toEqual({ source: child, target: EDGE });
    expect(edgeOfReverse(key, undefined)).toBeUndefined();
    expect(edgeOfReverse(key, { child: { S: BOOK } })).toBeUndefined();
    expect(edgeOfReverse({ source: AUTHOR, target: '~view' }, undefined)).toBeUndefined();
  });
  it('is one unit of its own, whose base item is the edge', () => {
    const unit = plan(history(BOOK, EDGE, [undefined, {}, undefined])).find(({ sortKey }) =>
      sortKey.startsWith('~rev/'),
    );
    expect(unit).toMatchObject({
      kind: 'index',
      source: AUTHOR,
      sortKey: REVERSE.target,
      base: { source: BOOK, target: EDGE },
      newest: at(2),
    });
    expect(unit).not.toHaveProperty('expected', expect.anything());
  });
  it('is no matter of changes of the edge’s attributes', () => {
    const units = plan([change(BOOK, EDGE, { role: { S: 'A' } }, { role: { S: 'B' } }, 1)]);
    expect(units.map(({ sortKey }) => sortKey)).toEqual(['~view']);
  });
});

describe('a fan-out', () => {
  it('is of each type whose copies a record of the parent changes, or its presence', () => {
    expect(copyingTypes(graph, AUTHOR).map(({ type }) => type)).toEqual(['WROTE', 'EDITED']);
    expect(copyingTypes(graph, 'SHOP-1').map(({ type }) => type)).toEqual(['WROTE']);
    const types = (...states: (Item | undefined)[]) =>
      fanOuts(plan(history(AUTHOR, AUTHOR, states))).map(({ edgeType }) => edgeType);
    expect(types(ann, { name: { S: 'Bob' } })).toEqual(['WROTE']);
    expect(types(ann, { ...ann, other: { N: '1' } })).toEqual([]);
    expect(types(undefined, {})).toEqual(['WROTE', 'EDITED']);
    expect(types({}, undefined)).toEqual(['WROTE', 'EDITED']);
    // No net-zero.
    expect(types(ann, { name: { S: 'Bob' } }, ann)).toEqual(['WROTE']);
  });
  it('carries the records that change something, and no others', () => {
    const [unit] = fanOuts(plan(history(AUTHOR, AUTHOR, [ann, { ...ann, x: { N: '1' } }, {}, { x: { N: '1' } }])));
    expect(unit).toMatchObject({ source: AUTHOR, sortKey: '~more/WROTE', oldest: at(2), newest: at(2) });
    expect(unit!.records).toHaveLength(1);
  });
  it('of a node as it is now is one for each type', () => {
    expect(fanOutsOf(graph, { source: AUTHOR, target: AUTHOR }, at(7))).toMatchObject([
      { edgeType: 'WROTE', newest: at(7), records: [] },
      { edgeType: 'EDITED', newest: at(7), records: [] },
    ]);
    expect(fanOutsOf(graph, { source: BOOK, target: BOOK }, at(7))).toEqual([]);
  });
});

describe('a continuation', () => {
  const [unit] = fanOuts(plan([change(AUTHOR, AUTHOR, undefined, ann, 5)])) as [FanOutUnit];
  const stored = (w: string, more: Item = {}): Item => ({ w: { S: w }, r: { N: '3' }, ...more });

  it('begins with the position of the parent’s record, under the revision that was seen', () => {
    expect(beginContinuationUpdate(graph, unit, undefined, 'x')).toEqual({
      key: { source: AUTHOR, target: '~more/WROTE' },
      set: { after: { S: 'x' }, w: { S: at(5) }, model: { S: graph.fingerprint } },
      unset: ['ttl'],
      condition: { kind: 'revision', revision: undefined },
    });
    expect(beginContinuationUpdate(graph, unit, stored(at(4)), 'x')).toMatchObject({
      set: { w: { S: at(5) } },
      condition: { revision: '3' },
    });
  });
  it('is not begun again by the same record, in progress or done', () => {
    expect(beginContinuationUpdate(graph, unit, stored(at(5), { after: { S: 'y' } }), 'x')).toBeUndefined();
    expect(beginContinuationUpdate(graph, unit, stored(at(5)), 'x')).toBeUndefined();
  });
  it('goes on from its place, and once more from the earlier of two, so that no child between them is passed by', () => {
    const beginning = (place: string, inProgress: string) =>
      beginContinuationUpdate(graph, unit, stored(at(9), { after: { S: inProgress } }), place)?.set;
    expect(beginning('x', 'b')).toMatchObject({ after: { S: 'b' }, again: { S: 'b' } });
    expect(beginning('b', 'x')).toMatchObject({ after: { S: 'x' }, again: { S: 'b' } });
    // By the bytes of UTF-8, as DynamoDB orders sort keys, not by UTF-16 units.
    expect(beginning('\u{10000}', '\uffee')).toMatchObject({ again: { S: '\uffee' } });
  });
  it('keeps the earliest place for the round to come, and is written in any case: its record may be lost', () => {
    const beginning = (place: string, again: string, after = 'x') =>
      beginContinuationUpdate(graph, unit, stored(at(9), { after: { S: after }, again: { S: again } }), place);
    expect(beginning('c', 'b')?.set).toMatchObject({ after: { S: 'x' }, again: { S: 'b' } });
    expect(beginning('b', 'c')?.set).toMatchObject({ after: { S: 'x' }, again: { S: 'b' } });
    expect(beginning('y', 'c', 'b')?.set).toMatchObject({ after: { S: 'b' }, again: { S: 'b' } });
    // What software from before this has left of one that is at its end.
    const ended = beginContinuationUpdate(graph, unit, stored(at(9), { again: { S: 'b' } }), 'c');
    expect(ended).toMatchObject({ set: { after: { S: 'c' } }, unset: ['ttl', 'again'] });
  });
  it('is begun anew by a smaller position, and keeps the later one', () => {
    expect(beginContinuationUpdate(graph, unit, stored(at(9)), 'x')).toMatchObject({
      set: { after: { S: 'x' }, w: { S: at(9) } },
    });
  });

  const record = (image: Item | undefined, sequence = 8) => change(AUTHOR, '~more/WROTE', undefined, image, sequence);

  it('is driven by its newest record, if that is not its end', () => {
    const inProgress = { after: { S: 'x' }, r: { N: '3' } };
    expect(plan([record({ after: { S: 'w' }, r: { N: '2' } }), record(inProgress, 9)])).toMatchObject([
      { kind: 'continuation', source: AUTHOR, edgeType: 'WROTE', after: 'x', revision: '3', newest: at(9) },
    ]);
    expect(plan([record(inProgress), record({ r: { N: '4' } }, 9)])).toEqual([]);
    expect(plan([record(undefined)])).toEqual([]);
    expect(plan([change(AUTHOR, '~more/SOLD', undefined, inProgress, 8)])).toEqual([]);
    expect(plan([change(AUTHOR, '~more/NONE', undefined, inProgress, 8)])).toEqual([]);
  });
  it('is ended by its newest record if nothing in the registry needs it', () => {
    const unitOf = (target: string, of: typeof graph) =>
      continuationUnit(of, {
        source: AUTHOR,
        target,
        records: [change(AUTHOR, target, undefined, { after: { S: 'x' }, r: { N: '3' } }, 8)],
      });
    const registered = { ...graph, shapes: new Map() };
    expect(unitOf('~more/SOLD', registered)).toMatchObject({ isEnding: true, revision: '3' });
    expect(unitOf('~more/#source/WROTE', registered)).toMatchObject({ isEnding: true });
    expect(unitOf('~more/WROTE', registered)).toMatchObject({ isEnding: false });
    // Fan-outs have no generations: that is no item of the registry's.
    expect(unitOf('~more/@2/SOLD', registered)).toBeUndefined();
    expect(unitOf('~more/SOLD', graph)).toBeUndefined();
  });
  it('moves from the revision of its record only, and ends as a tombstone', () => {
    const records = [record({ after: { S: 'x' }, r: { N: '3' } })];
    const [moved] = plan(records);
    const continuation = continuationUnit(graph, { source: AUTHOR, target: '~more/WROTE', records })!;
    expect(moved).toEqual(continuation);
    expect(moveContinuationUpdate(graph, continuation, 'y', 1_000)).toMatchObject({
      set: { after: { S: 'y' } },
      unset: ['ttl'],
      condition: { kind: 'revision', revision: '3' },
    });
    const end = moveContinuationUpdate(graph, continuation, undefined, 1_000);
    expect(end).toMatchObject({ set: { ttl: { N: String(1_000 + 48 * 3600) } }, unset: ['after'] });
    expect(end.set).not.toHaveProperty('w');
  });
  it('begins a further round at its end, where a change has asked for one', () => {
    const image = { after: { S: 'x' }, again: { S: 'b' }, r: { N: '3' } };
    const [continuation] = plan([record(image)]) as [ContinuationUnit];
    expect(continuation).toMatchObject({ after: 'x', again: 'b' });
    expect(moveContinuationUpdate(graph, continuation, 'y', 1_000)).toMatchObject({
      set: { after: { S: 'y' } },
      unset: ['ttl'],
    });
    const next = moveContinuationUpdate(graph, continuation, undefined, 1_000);
    expect(next).toMatchObject({ set: { after: { S: 'b' } }, unset: ['ttl', 'again'] });
  });
});
