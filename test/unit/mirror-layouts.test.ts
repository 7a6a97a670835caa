import { describe, expect, it } from 'vitest';
import { type ElectroDBSchema, fromElectroDB } from '../../src/mirror/layouts/electrodb.ts';
import { fromOneTable, type OneTableSchema } from '../../src/mirror/layouts/onetable.ts';
import { fromToolbox } from '../../src/mirror/layouts/toolbox.ts';

const ISSUE: ElectroDBSchema = {
  model: { entity: 'issue', version: '1', service: 'vcs' },
  attributes: { owner: {}, repo: {}, number: { field: 'no' }, subject: {}, source: {} },
  indexes: { issue: { pk: { composite: ['owner', 'repo'] }, sk: { composite: ['number'] } }, by: { index: 'gsi1' } },
};
const attributes = ['subject'];
const item = { __edb_e__: 'issue', __edb_v__: '1', owner: 'ann', repo: 'a.b', no: 7, subject: 'it fails' };

const ACCOUNTS: OneTableSchema = {
  indexes: { primary: { hash: 'pk', sort: 'sk' } },
  models: { User: { pk: { value: 'x' }, sk: {}, email: {}, source: {} } },
};

describe('a mapping of ElectroDB entities', () => {
  it('makes ids of the primary index, by the names that items have, without two items of one id', () => {
    const map = fromElectroDB([{ schema: ISSUE, node: 'ISSUE', attributes }]);
    const id = 'ISSUE-ann.a%2Eb.7';
    expect(map(item)).toEqual([{ source: id, target: id, subject: 'it fails' }]);
    expect(map({ ...item, owner: 'ann.a', repo: 'b' })[0]!.source).toBe('ISSUE-ann%2Ea.b.7');
  });
  it('leaves out an edge to a node that the item does not name, and takes identifiers of other names', () => {
    const edges = [{ type: 'ABOUT', to: { type: 'TOPIC', id: ['subject'] } }];
    const map = fromElectroDB([{ schema: ISSUE, node: 'ISSUE', attributes, edges }], {
      identifiers: { entity: 'kind', version: 'edition' },
    });
    const { __edb_e__, __edb_v__, ...rest } = item;
    const other = { ...rest, kind: 'issue', edition: '1' };
    expect(map(other).map(({ target }) => target)).toEqual(['ISSUE-ann.a%2Eb.7', 'ABOUT-TOPIC-it fails']);
    expect(map({ ...other, subject: undefined })).toHaveLength(1);
    expect([map(item), map.unplaced(item)]).toEqual([[], 'no attribute kind names its entity']);
  });
  it('throws for an item that lacks what makes its id, or has a list there', () => {
    const map = fromElectroDB([{ schema: ISSUE, node: 'ISSUE', attributes }]);
    expect(() => map({ ...item, no: undefined })).toThrow(
      'The attribute number of an item of issue is missing, and makes the id.',
    );
    expect(() => map({ ...item, repo: ['a'] })).toThrow(
      'The attribute repo of an item of issue is no text and no number',
    );
    expect(map.unplaced({ ...item, __edb_v__: '2' })).toBe(
      'it is of version 2 of the entity issue, and version 1 is declared',
    );
  });
  it.each<[string, () => unknown]>([
    [
      'fromElectroDB: the entity issue has no attribute subjet. Did you mean subject?',
      () => fromElectroDB([{ schema: ISSUE, node: 'ISSUE', attributes: ['subjet'] }]),
    ],
    [
      'fromElectroDB: the entity issue shows source, which is a key of items here.',
      () => fromElectroDB([{ schema: ISSUE, node: 'ISSUE' }]),
    ],
    ['fromElectroDB: the entity issue is nothing in the graph.', () => fromElectroDB([{ schema: ISSUE }])],
    [
      'fromElectroDB: the entity issue has an edge IN that leaves no node.',
      () => fromElectroDB([{ schema: ISSUE, edges: [{ type: 'IN', to: { type: 'REPO', id: ['repo'] } }] }]),
    ],
    [
      'fromElectroDB has the entity issue twice.',
      () => fromElectroDB([1, 2].map(() => ({ schema: ISSUE, node: 'ISSUE', attributes }))),
    ],
    ['fromElectroDB is given an entity without a schema.', () => fromElectroDB([{} as never])],
    [
      'fromElectroDB: the entity issue has no primary index.',
      () => fromElectroDB([{ schema: { ...ISSUE, indexes: { by: { index: 'gsi1' } } }, node: 'ISSUE', attributes }]),
    ],
    ['an entity of fromElectroDB has no option "nod"', () => fromElectroDB([{ schema: ISSUE, nod: 'ISSUE' } as never])],
    [
      'an edge of issue has no option "too"',
      () => fromElectroDB([{ schema: ISSUE, node: 'ISSUE', attributes, edges: [{ too: 1 } as never] }]),
    ],
  ])('refuses with a remedy: %s', (message, make) => {
    expect(make).toThrow(message);
  });
});

describe('a mapping of OneTable models', () => {
  it.each<[string, () => unknown]>([
    [
      'fromOneTable: the schema has no model Usr. Did you mean User?',
      () => fromOneTable(ACCOUNTS, [{ model: 'Usr', node: 'USER' }]),
    ],
    [
      'fromOneTable: the entity User has no attributes that make an id.',
      () => fromOneTable(ACCOUNTS, [{ model: 'User', node: 'USER', attributes: ['email'] }]),
    ],
    ['fromOneTable is given a schema without a primary index.', () => fromOneTable({ ...ACCOUNTS, indexes: {} }, [])],
  ])('refuses with a remedy: %s', (message, make) => {
    expect(make).toThrow(message);
  });
  it('takes a field of the type by another name', () => {
    const map = fromOneTable(ACCOUNTS, [{ model: 'User', node: 'USER', id: ['email'], attributes: [] }], {
      typeField: 'kind',
    });
    expect(map({ pk: 'x', kind: 'User', email: 'a.b@x' })).toEqual([{ source: 'USER-a.b@x', target: 'USER-a.b@x' }]);
    expect(map.unplaced({ pk: '_unique#User#email#a', sk: '_unique#' })).toBe('it guards a unique attribute');
  });
});

describe('a mapping of DynamoDB-Toolbox entities', () => {
  it('shows attributes under their own names, without keys and what the library adds', () => {
    const map = fromToolbox([{ entity: 'Order', node: 'ORDER', id: ['orderId'], savedAs: { orderId: 'o' } }]);
    const order = { PK: 'a', SK: 'b', o: '1', _et: 'Order', _ct: 'now', _md: 'now', total: 7 };
    expect(map(order)).toEqual([{ source: 'ORDER-1', target: 'ORDER-1', orderId: '1', total: 7 }]);
    expect(() => map({ ...order, target: 'x' })).toThrow(
      'The attribute target of an item of Order is a key of items here.',
    );
  });
  it('refuses an entity without a name', () => {
    expect(() => fromToolbox([{ node: 'ORDER', id: ['o'] } as never])).toThrow(
      'fromToolbox has an entity without a name.',
    );
  });
});
