import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { ExactNumber } from '../../src/core/items/plain.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import { defineGraph, node } from '../../src/index.ts';
import { type ElectroDBSchema, fromElectroDB } from '../../src/sources/layouts/electrodb.ts';
import type { EntityEdge } from '../../src/sources/layouts/layout.ts';
import { fromOneTable, type OneTableSchema } from '../../src/sources/layouts/onetable.ts';
import { fromToolbox } from '../../src/sources/layouts/toolbox.ts';
import { type SourceItem, sourceTable } from '../../src/sources/source.ts';
import { mappedItems } from '../support/mapped-items.ts';

const ISSUE: ElectroDBSchema = {
  model: { entity: 'issue', version: '1', service: 'vcs' },
  attributes: { owner: {}, repo: {}, number: { field: 'no' }, subject: {}, source: {} },
  indexes: { issue: { pk: { composite: ['owner', 'repo'] }, sk: { composite: ['number'] } }, by: { index: 'gsi1' } },
};
const NO_INDEXES: ElectroDBSchema = { ...ISSUE, indexes: null as never };
const attributes = ['subject'];
const item = { __edb_e__: 'issue', __edb_v__: '1', owner: 'ann', repo: 'a.b', no: 7, subject: 'it fails' };

const ACCOUNTS: OneTableSchema = {
  indexes: { primary: { hash: 'pk', sort: 'sk' } },
  models: { User: { pk: { value: 'x' }, sk: { value: 'y' }, email: {}, source: {} } },
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
    expect(() => map({ ...item, repo: null })).toThrow('The attribute repo of an item of issue is missing');
    expect(() => map({ ...item, repo: ['a'] })).toThrow(
      'The attribute repo of an item of issue is part of an id, but is neither a string nor a number',
    );
    expect(map.unplaced({ ...item, __edb_v__: '2' })).toBe(
      'it is of version 2 of the entity issue, and version 1 is declared',
    );
  });
  it('makes an id of a number that JavaScript does not hold exactly', () => {
    const map = fromElectroDB([{ schema: ISSUE, node: 'ISSUE', id: ['number'], attributes }]);
    expect(map({ ...item, no: new ExactNumber('12345678901234567890') })[0]!.source).toBe('ISSUE-12345678901234567890');
  });
  it('makes one edge of two of one type between the same nodes: the first', () => {
    const to = (name: string): EntityEdge => ({ type: 'IN', to: { type: 'REPO', id: [name] }, attributes: [name] });
    const map = fromElectroDB([{ schema: ISSUE, node: 'ISSUE', attributes, edges: [to('repo'), to('owner')] }]);
    const [, ...edges] = map({ ...item, owner: 'a.b' });
    expect(edges).toEqual([{ source: 'ISSUE-a%2Eb.a%2Eb.7', target: 'IN-REPO-a.b', repo: 'a.b' }]);
    expect(map(item)).toHaveLength(3);
  });
  it('takes a dot in the name of a field as it is', () => {
    const schema = { ...ISSUE, attributes: { ...ISSUE.attributes, subject: { field: 'a.b' } } };
    const map = fromElectroDB([{ schema, node: 'ISSUE', id: ['number'], attributes }]);
    expect(map({ ...item, 'a.b': 'it works', a: { b: 'no' } })[0]).toMatchObject({ subject: 'it works' });
  });
  it('passes attributes that the schema does not name, without keys and identifiers, also to an edge with all', () => {
    const schema: ElectroDBSchema = {
      ...ISSUE,
      attributes: { owner: {}, repo: {}, number: { field: 'no' }, subject: {} },
      indexes: { ...ISSUE.indexes, by: { index: 'gsi1', pk: { field: 'gsi1pk' }, sk: { field: 'subject' } } },
    };
    const all: EntityEdge = { type: 'IN', to: { type: 'REPO', id: ['repo'] }, attributes: 'ALL' };
    const map = fromElectroDB([{ schema, node: 'ISSUE', id: ['number'], edges: [all] }]);
    const { no: number, __edb_e__, __edb_v__, ...shown } = item;
    const passed = { ...shown, number, deletedAt: '2026', ttl: 7 };
    const keys = { pk: 'a', sk: 'b', gsi1pk: 'c' };
    expect(map({ ...item, ...keys, deletedAt: '2026', ttl: 7 })).toEqual([
      { source: 'ISSUE-7', target: 'ISSUE-7', ...passed },
      { source: 'ISSUE-7', target: 'IN-REPO-a.b', ...passed },
    ]);
    expect(() => map({ ...item, target: 'x' })).toThrow(
      'The attribute target of ISSUE-7 ISSUE-7 is a key of items here.',
    );
  });
  it('refuses an attribute with the name of the TTL attribute, which would delete what is made', () => {
    const map = fromElectroDB([{ schema: ISSUE, node: 'ISSUE', attributes: ['subject', 'number'] }]);
    const graph = defineGraph({ table: { name: 'graph', ttl: 'number' }, nodes: { ISSUE: node({ view: 'ALL' }) } });
    const image = marshall({ ...item, pk: 'a', sk: 'b' }) as Item;
    expect(() => mappedItems(graph, sourceTable('app-table', { map }), image)).toThrow(
      'attribute number is the one by which the table deletes items',
    );
  });
  it.each<[string, unknown]>([
    ['entities.0.edges.0.to should be an object', {}],
    ['entities.0.edges.0.to.id should be a list of attribute names', { to: { type: 'REPO' } }],
    ['entities.0.edges.0.to.id should name an attribute', { to: { type: 'REPO', id: [] } }],
    ['entities.0.edges.0.to.id should be a list of attribute names', { to: { type: 'REPO', id: 'repo' } }],
    ['entities.0.edges.0.to.type should be a string that is not empty', { to: { id: ['repo'] } }],
    ['entities.0.edges.0.to has no option "ids"', { to: { type: 'REPO', id: ['repo'], ids: ['repo'] } }],
    [
      'entities.0.edges.0.from.type should be a string that is not empty',
      { to: { type: 'REPO', id: ['repo'] }, from: { ids: 1 } },
    ],
    ['entities.0.edges.0.type should be a string that is not empty', { type: undefined }],
    [
      "entities.0.edges.0.attributes should be 'ALL' or a list",
      { to: { type: 'R', id: ['repo'] }, attributes: 'subject' },
    ],
  ])('refuses an edge with a remedy: %s', (message, of) => {
    const edges = [Object.assign({ type: 'IN' }, of) as never];
    const make = (): unknown => fromElectroDB([{ schema: ISSUE, node: 'ISSUE', attributes, edges }]);
    expect(make).toThrow(message);
    expect(make).toThrow(EdgeloomError);
  });
  it.each<[string, () => unknown]>([
    ['fromElectroDB: entities should be a list', () => fromElectroDB(undefined as never)],
    ['fromElectroDB: entities.0 should be an object', () => fromElectroDB([undefined as never])],
    ['entities.0.schema.indexes should be an object', () => fromElectroDB([{ schema: NO_INDEXES }])],
    [
      'fromElectroDB: options.identifiers has no option',
      () => fromElectroDB([], { identifiers: { entty: 'x' } as never }),
    ],
    ['fromToolbox: entities.0 should be an object', () => fromToolbox([undefined as never])],
    [
      'fromToolbox: options.hidden should be a list of attribute names',
      () => fromToolbox([], { hidden: 'PK' as never }),
    ],
    ['fromOneTable: schema should be an object', () => fromOneTable(undefined as never, [])],
    ['fromOneTable: models should be a list', () => fromOneTable(ACCOUNTS, undefined as never)],
    [
      'fromOneTable: schema.models.User should be an object',
      () => fromOneTable({ ...ACCOUNTS, models: { User: null as never } }, [{ model: 'User', node: 'USER' }]),
    ],
    [
      'The source "app-table" has no key attributes',
      () => sourceTable('app-table', { map: () => [], keys: {} as never }),
    ],
    [
      'The source "app-table" has no key attributes',
      () => sourceTable('app-table', { map: () => [], keys: { partitionKey: 'pk', sortKey: '' } }),
    ],
    ...[{ id: 'number' }, { attributes: 'subject' }, { edges: {} }, { edges: [undefined] }, { node: '' }].map(
      (of): [string, () => unknown] => [
        'fromElectroDB: entities.0.',
        () => fromElectroDB([{ schema: ISSUE, node: 'ISSUE', attributes, ...of } as never]),
      ],
    ),
  ])('says what it is given that it cannot take: %s', (message, make) => {
    expect(make).toThrow(message);
    expect(make).toThrow(EdgeloomError);
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
    ['fromElectroDB: entities.0.schema should be an object.', () => fromElectroDB([{} as never])],
    [
      'fromElectroDB: the entity issue has no primary index.',
      () => fromElectroDB([{ schema: { ...ISSUE, indexes: { by: { index: 'gsi1' } } }, node: 'ISSUE', attributes }]),
    ],
    ['fromElectroDB: entities.0 has no option "nod"', () => fromElectroDB([{ schema: ISSUE, nod: 'ISSUE' } as never])],
    [
      'entities.0.edges.0.type should be a string that is not empty',
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
    ['fromOneTable: schema.indexes.primary should be an object.', () => fromOneTable({ ...ACCOUNTS, indexes: {} }, [])],
  ])('refuses with a remedy: %s', (message, make) => {
    expect(make).toThrow(message);
  });
  it.each<[string, Record<string, unknown>, SourceItem, string]>([
    ['leaves the name of the model out of ids', { pk: { value: `${'$'}{_type}#${'$'}{email}` } }, {}, 'USER-a@x'],
    ['takes a key attribute without a template', { pk: { type: 'string' } }, {}, 'USER-p'],
    [
      'takes a value within an attribute, where the schema keeps it',
      { pk: { value: `user#${'$'}{address.zip:5:0}` }, address: { map: 'data.home' } },
      { data: { home: { zip: 123 } } },
      'USER-123',
    ],
  ])('%s', (_, fields, values, id) => {
    const schema = { ...ACCOUNTS, models: { User: { ...ACCOUNTS.models.User, ...fields } } };
    const map = fromOneTable(schema, [{ model: 'User', node: 'USER', attributes: [] }]);
    expect(map({ pk: 'p', sk: 's', _type: 'User', email: 'a@x', ...values })[0]!.source).toBe(id);
  });
  it('shows a key attribute without a template, and hides one with a template', () => {
    const indexes = { ...ACCOUNTS.indexes, gs1: { hash: 'email', sort: 'gs1sk' } };
    const fields = { pk: {}, sk: { value: 'y' }, email: {}, gs1sk: { value: 'z' } };
    const map = fromOneTable({ indexes, models: { User: fields } }, [{ model: 'User', node: 'USER' }]);
    expect(map({ pk: 'p', sk: 'y', email: 'a@x', gs1sk: 'z', _type: 'User' })).toEqual([
      { source: 'USER-p', target: 'USER-p', pk: 'p', email: 'a@x' },
    ]);
  });
  it('passes attributes, and values within one, that the schema does not name', () => {
    const fields = { pk: { value: 'x' }, sk: { value: 'y' }, email: {}, city: { map: 'address.city' } };
    const schema = { ...ACCOUNTS, models: { User: fields } };
    const map = fromOneTable(schema, [{ model: 'User', node: 'USER', id: ['email'] }]);
    const user = { pk: 'x', sk: 'y', _type: 'User', email: 'a@x', address: { city: 'Rome' } };
    const id = { source: 'USER-a@x', target: 'USER-a@x', email: 'a@x', city: 'Rome' };
    expect(map(user)).toEqual([id]);
    expect(map({ ...user, address: { city: 'Rome', zip: 1 }, deletedAt: 'now' })).toEqual([
      { ...id, address: { zip: 1 }, deletedAt: 'now' },
    ]);
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
      'The attribute target of ORDER-1 ORDER-1 is a key of items here.',
    );
  });
  it('refuses an entity without a name', () => {
    expect(() => fromToolbox([{ node: 'ORDER', id: ['o'] } as never])).toThrow(
      'fromToolbox: entities.0.entity should be a string that is not empty.',
    );
  });
});
