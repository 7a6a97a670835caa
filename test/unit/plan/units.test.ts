import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { foldBatch } from '../../../src/core/plan/fold.ts';
import type { IndexUnit, QuarantineUnit, Unit, ViewChange, ViewUnit } from '../../../src/core/plan/unit.ts';
import { planBatch } from '../../../src/core/plan/units.ts';
import { at, change, history } from '../../support/records.ts';

const graph = defineGraph({
  table: 'records',
  nodes: {
    GOAL: node({ view: ['title'], search: { status: { shards: 1 }, tags: { multiValue: true, shards: 1 } } }),
    USER: node({ view: 'ALL' }),
  },
  edges: {
    MEMBER: edge({ from: 'GOAL', to: 'USER', edgeSet: ['role'], inbound: { orders: { gsi0: 'role' } } }),
    HIDDEN: edge({ from: 'GOAL', to: 'USER', edgeSet: false, inbound: { orders: { gsi0: 'since' } } }),
    SHOWN: edge({ from: 'GOAL', to: 'USER' }),
  },
});

const G = 'GOAL-1';
const EDGE = 'MEMBER-USER-1';
const role = (text: string): Item => ({ role: { S: text } });
const element = (text: string): string => `MEMBER-USER-1|role=${text}`;

function plan(records: readonly ChangeRecord[]): Unit[] {
  return planBatch(graph, foldBatch(records));
}
const viewOf = (units: Unit[]): ViewUnit | undefined => units.find((unit) => unit.kind === 'view');
const indexUnits = (units: Unit[]): IndexUnit[] => units.filter((unit) => unit.kind === 'index');
const quarantines = (units: Unit[]): QuarantineUnit[] => units.filter((unit) => unit.kind === 'quarantine');

/** The view change of one edge that goes through these states. */
function edgeChange(states: readonly (Item | undefined)[]): ViewChange | undefined {
  const view = viewOf(plan(history(G, EDGE, states)));
  expect(view?.changes.length ?? 1).toBe(1);
  return view?.changes[0];
}

describe('the units of a batch', () => {
  it('are one for each derived item that it touches', () => {
    const units = plan([
      ...history(
        G,
        G,
        [undefined, { title: { S: 'a' }, status: { S: 'OPEN' } }, { title: { S: 'b' }, status: { S: 'OPEN' } }],
        1,
      ),
      ...history(G, EDGE, [undefined, role('LEAD')], 3),
      ...history(G, 'SHOWN-USER-2', [undefined, {}], 4),
      ...history('GOAL-2', 'GOAL-2', [undefined, {}], 5),
    ]);
    expect(units.map((unit) => [unit.kind, unit.source, unit.sortKey]).sort()).toEqual([
      ['index', G, '~ix/MEMBER-USER-1'],
      ['index', G, '~ix/status'],
      ['view', G, '~view'],
      ['view', 'GOAL-2', '~view'],
    ]);
    expect(viewOf(units)?.changes.map(({ target }) => target)).toEqual([G, EDGE, 'SHOWN-USER-2']);
  });

  it('know their records and the span of their positions: only those that change the derived item', () => {
    const states: Item[] = [{ title: { S: 'a' } }, { title: { S: 'b' } }, { title: { S: 'b' }, other: { N: '1' } }];
    const records = [...history(G, G, [undefined, ...states], 4), change(G, 'SHOWN-USER-2', undefined, {}, 2)];
    const view = viewOf(plan(records))!;
    expect(view.records).toEqual([records[0], records[1], records[3]]);
    expect([view.oldest, view.newest]).toEqual([at(2), at(5)]);
    expect(view.changes.map(({ oldest }) => oldest)).toEqual([at(4), at(2)]);
  });

  it('are none for types outside of the model', () => {
    expect(plan([change('ORG-1', 'ORG-1', undefined, {}, 1), change(G, 'LIKES-USER-1', undefined, {}, 2)])).toEqual([]);
  });
});

describe('no net-zero: what a batch makes and takes away again may have been made by an earlier cut', () => {
  it('[INSERT, REMOVE] of an edge is written as a removal of its element', () => {
    const made = edgeChange([undefined, role('LEAD'), undefined]);
    expect(made).toEqual({
      target: EDGE,
      oldest: at(1),
      edgeType: 'MEMBER',
      mentioned: [element('LEAD')],
      element: undefined,
      attributes: undefined,
    });
  });
  it('[INSERT, REMOVE] of a node is written as its absence', () => {
    const view = viewOf(plan(history(G, G, [undefined, { title: { S: 'a' } }, undefined])));
    expect(view?.changes).toMatchObject([{ target: G, attributes: undefined, mentioned: [] }]);
  });
  it('[INSERT, REMOVE] writes a tombstone of the index item, even where no item is seen', () => {
    const units = indexUnits(plan(history(G, EDGE, [undefined, role('LEAD'), undefined])));
    expect(units).toMatchObject([{ sortKey: '~ix/MEMBER-USER-1', expected: undefined, oldest: at(1), newest: at(2) }]);
  });
  it('a change back and forth is written, since each of its records changes something', () => {
    expect(edgeChange([role('LEAD'), role('OTHER'), role('LEAD')])).toMatchObject({ element: element('LEAD') });
    expect(indexUnits(plan(history(G, EDGE, [role('LEAD'), role('OTHER'), role('LEAD')])))).toHaveLength(1);
    const node = viewOf(plan(history(G, G, [{ title: { S: 'a' } }, { title: { S: 'b' } }, { title: { S: 'a' } }])));
    expect(node?.changes).toMatchObject([{ attributes: { title: { S: 'a' } } }]);
  });
});

describe('no netted chains: every element that any record mentions is removed, the final one excepted', () => {
  it.each<[string, (Item | undefined)[], string[], string | undefined]>([
    ['one change', [role('A'), role('B')], ['A', 'B'], 'B'],
    ['two changes', [role('A'), role('B'), role('C')], ['A', 'B', 'C'], 'C'],
    ['a chain that ends in a removal', [role('A'), role('B'), undefined], ['A', 'B'], undefined],
    ['a new edge that changes', [undefined, role('A'), role('B')], ['A', 'B'], 'B'],
    ['a chain through absence', [role('A'), undefined, role('B')], ['A', 'B'], 'B'],
    ['a circle', [role('A'), role('B'), role('A')], ['A', 'B'], 'A'],
  ])('%s', (_name, states, mentioned, final) => {
    const made = edgeChange(states);
    expect(new Set(made?.mentioned)).toEqual(new Set(mentioned.map(element)));
    expect(made?.mentioned).toHaveLength(new Set(mentioned).size);
    expect(made?.element).toBe(final && element(final));
  });
});

describe('a unit is left out only where each of its records leaves the derived value as it is', () => {
  it('an attribute that no projection names makes no unit', () => {
    expect(plan(history(G, G, [{ title: { S: 'a' } }, { title: { S: 'a' }, note: { S: 'x' } }]))).toEqual([]);
    expect(plan(history(G, EDGE, [role('A'), { ...role('A'), note: { S: 'x' } }]))).toEqual([]);
  });
  it('a record that changes nothing, which one engine emits, makes no unit', () => {
    expect(plan(history(G, EDGE, [role('A'), role('A')]))).toEqual([]);
  });
  it('values are compared as DynamoDB does: sets without order, numbers by value', () => {
    const before = { title: { L: [{ N: '1' }, { SS: ['a', 'b'] }] } };
    const after = { title: { L: [{ N: '1.0' }, { SS: ['b', 'a'] }] } };
    expect(plan(history(G, G, [before, after]))).toEqual([]);
  });
  it('an edge type that is left out of the set makes no unit of the view', () => {
    const units = plan(history(G, 'HIDDEN-USER-1', [undefined, { since: { S: 'a' } }]));
    expect(units.map(({ kind }) => kind)).toEqual(['index']);
  });
  it('one record of many that changes something is enough', () => {
    const states = [role('A'), { ...role('A'), note: { S: 'x' } }, role('B'), { ...role('B'), note: { S: 'x' } }];
    expect(edgeChange(states)).toMatchObject({ oldest: at(2), element: element('B') });
  });
});

describe('the node in the view', () => {
  it('goes in whole, not as a difference', () => {
    const states: Item[] = [{ title: { S: 'a' } }, { title: { S: 'b' }, note: { S: 'x' } }];
    expect(viewOf(plan(history(G, G, states)))?.changes).toMatchObject([
      { edgeType: undefined, attributes: { title: { S: 'b' } } },
    ]);
  });
  it('without projected attributes is still there', () => {
    expect(viewOf(plan(history(G, G, [undefined, {}])))?.changes).toMatchObject([{ attributes: {} }]);
  });
});

describe('index units', () => {
  it('hold all fields that are wanted at the end', () => {
    const [unit] = indexUnits(plan(history(G, EDGE, [role('A'), role('B'), role('C')])));
    expect(unit).toMatchObject({
      base: { source: G, target: EDGE },
      expected: { gsi0sk: { S: `C\u0000${G}` } },
      newest: at(2),
    });
  });
  it('of values that come and go: one sets, one clears', () => {
    const tags = (...values: string[]): Item => ({ tags: { SS: values } });
    const units = indexUnits(plan(history(G, G, [tags('a', 'b'), tags('b', 'c')])));
    expect(units.map(({ sortKey, expected }) => [sortKey, expected !== undefined])).toEqual([
      ['~ix/tags/a', false],
      ['~ix/tags/c', true],
    ]);
  });
});

describe('quarantine units', () => {
  const good = { status: { S: 'OPEN' } };
  const bad = { status: { N: '1' } };

  it('are made for the state that a batch ends in: what a later record mends is not stuck', () => {
    expect(quarantines(plan(history(G, G, [good, bad])))).toHaveLength(1);
    expect(quarantines(plan(history(G, G, [good, bad, good])))).toEqual([]);
    expect(quarantines(plan(history(G, G, [bad, good])))).toEqual([]);
    expect(quarantines(plan(history(G, G, [good, bad, undefined])))).toEqual([]);
  });
  it('hold the record, its problems, and the derived keys of every image of the batch', () => {
    const records = history(G, G, [
      { ...good, tags: { SS: ['a'] } },
      { ...bad, tags: { SS: ['b'] } },
    ]);
    expect(quarantines(plan(records))).toEqual([
      {
        kind: 'quarantine',
        source: G,
        sortKey: '',
        target: G,
        problems: [expect.objectContaining({ code: 'wrong-type', attribute: 'status' })],
        derivedKeys: ['~view', '~ix/status', '~ix/tags/a', '~ix/tags/b'],
        records: [records[0]],
        oldest: at(1),
        newest: at(1),
      },
    ]);
  });
  it('do not stop the good parts of the same record', () => {
    const units = plan(history(G, G, [undefined, { title: { S: 'a' }, ...bad, tags: { SS: ['a'] } }]));
    expect(units.map(({ kind, sortKey }) => [kind, sortKey])).toEqual([
      ['index', '~ix/tags/a'],
      ['quarantine', ''],
      ['view', '~view'],
    ]);
  });
  it('an old image that cannot be derived does not stop the record that mends it', () => {
    const [unit] = indexUnits(plan(history(G, G, [bad, good])));
    expect(unit).toMatchObject({ sortKey: '~ix/status', expected: { value: { S: 'OPEN' } } });
  });
  it('a part that breaks is taken out of the derived items', () => {
    const units = plan(history(G, G, [good, bad]));
    expect(indexUnits(units)).toMatchObject([{ sortKey: '~ix/status', expected: undefined }]);
  });
  it('an edge between types that it does not join is quarantined', () => {
    expect(quarantines(plan([change(G, 'MEMBER-GOAL-2', undefined, {}, 1)]))).toMatchObject([
      { problems: [{ code: 'misfit' }], derivedKeys: [] },
    ]);
  });
});
