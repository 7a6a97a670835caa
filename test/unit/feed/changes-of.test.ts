import { describe, expect, it } from 'vitest';
import { changesOf, type FeedModel, placesInForce } from '../../../src/client/feed/changes-of.ts';
import { Feed } from '../../../src/client/feed/feed.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { exactNumber } from '../../../src/core/items/plain.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel, FeedNames } from '../../../src/core/model/compiled.ts';
import { edge, node, sum } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import { ModelError } from '../../../src/foundation/errors.ts';
import { type ProjectionsInForce, projectionsOfModel } from '../../../src/registry/projections-in-force.ts';
import { timelessRevision } from '../../support/feed-follower.ts';

const graphWith = (feed?: FeedNames<'USER' | 'TICKET', 'ASSIGNED'>) =>
  defineGraph({
    table: 'tickets',
    nodes: { USER: node({ view: 'ALL', search: { name: { shards: 1 } } }), TICKET: node({ view: 'ALL' }) },
    edges: {
      ASSIGNED: edge({
        from: 'TICKET',
        to: 'USER',
        degree: true,
        inbound: { orders: { gsi0: 'since', byRank: 'rank' }, project: ['title'] },
      }),
    },
    ...(feed && { feed }),
  });
const graph = graphWith();

const modelOf = (of: CompiledModel, other: Partial<ProjectionsInForce> = {}): FeedModel => ({
  graph: of,
  projections: { ...projectionsOfModel(of), ...other },
  readNumber: exactNumber,
});

type Texts = Readonly<Record<string, string>>;
const item = (texts: Texts): Item =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { S: text }]));

/** The images of the derived items of an edge, by their sort keys. */
function images(source: string, target: string, attributes: Texts, revision: number): ReadonlyMap<string, Item> {
  const { indexItems } = derivedOf(graph, source, target, item({ source, target, ...attributes }), undefined);
  return new Map([...indexItems].map(([key, fields]) => [key, { ...fields, r: { N: String(revision) } }]));
}

const record = (source: string, target: string, OldImage?: Item, NewImage?: Item, number = '17') => ({
  dynamodb: {
    Keys: item({ source, target }),
    SequenceNumber: number,
    ...(OldImage && { OldImage: { ...item({ source, target }), ...OldImage } }),
    ...(NewImage && { NewImage: { ...item({ source, target }), ...NewImage } }),
  },
});

const EDGE = 'ASSIGNED-USER-1';
const before = images('TICKET-1', EDGE, { since: 'a', rank: '1', title: 'Old' }, 1);
const after = images('TICKET-1', EDGE, { since: 'b', rank: '1', title: 'New' }, 2);
const SHARED = '~ix/ASSIGNED-USER-1';
const NAMED = '~ix/#byRank/ASSIGNED-USER-1';

describe('the changes of a record', () => {
  it('say which list a row left and entered, and where', () => {
    expect(changesOf(modelOf(graph), record('TICKET-1', SHARED, before.get(SHARED), after.get(SHARED)))).toEqual([
      {
        ...{ kind: 'list', type: 'ASSIGNED', id: 'TICKET-1', attributes: { title: 'New' } },
        list: { inbound: ['USER-1', 'ASSIGNED'], order: 'gsi0' },
        ...{ left: { place: 'a\0TICKET-1' }, entered: { place: 'b\0TICKET-1' } },
        ...{ item: '["TICKET-1","~ix/ASSIGNED-USER-1"]', revision: timelessRevision(2), eventId: '17.2.55b4f9db/gsi0' },
      },
    ]);
  });
  it('say of a row that stays where it is only what it shows now', () => {
    const [change] = changesOf(modelOf(graph), record('TICKET-1', NAMED, before.get(NAMED), after.get(NAMED)));
    expect(change).toMatchObject({ list: { order: 'byRank' }, attributes: { title: 'New' } });
    expect(change).not.toHaveProperty('left');
    expect(change).not.toHaveProperty('entered');
  });
  it('say that a row has gone, whether a tombstone stays or nothing', () => {
    const tombstone: Item = { r: { N: '3' }, expiresAt: { N: '1' } };
    const revision = timelessRevision(3);
    for (const now of [tombstone, undefined]) {
      const [change] = changesOf(modelOf(graph), record('TICKET-1', SHARED, after.get(SHARED), now));
      expect(change).toMatchObject({ left: { place: 'b\0TICKET-1' }, attributes: null, revision });
      expect(change).not.toHaveProperty('entered');
    }
  });
  it.each<[string, Item, Item]>([
    ['the revision alone', {}, { r: { N: '9' } }],
    ['a fence', {}, { fence: { N: '1784000000000' } }],
    ['a stamp', { model: { S: '@3' } }, { model: { S: '@4' } }],
    ['a watermark', { w: { S: 'x' } }, { w: { S: 'y' } }],
  ])('say nothing of a move of %s', (_what, of, to) => {
    const shown = after.get(SHARED)!;
    expect(changesOf(modelOf(graph), record('TICKET-1', SHARED, { ...shown, ...of }, { ...shown, ...to }))).toEqual([]);
    const view: Item = { attributes: { M: { name: { S: 'Ann' } } } };
    expect(changesOf(modelOf(graph), record('USER-1', '~view', { ...view, ...of }, { ...view, ...to }))).toEqual([]);
  });
  it('say nothing of base items, of what is no derived item of the model, and of the service itself', () => {
    const node = item({ name: 'Ann' });
    for (const [source, target] of [
      ['USER-1', 'USER-1'],
      ['TICKET-1', EDGE],
      ['TICKET-1', '~ix/@2/ASSIGNED-USER-1'],
      ['TICKET-1', '~ix/#other/ASSIGNED-USER-1'],
      ['USER-1', '~ix/other'],
      ['ROOM-1', '~view'],
      ['USER-1', '~quarantine/x/y/1'],
      ['~edgeloom', '~view'],
    ] as const) {
      const shown = { ...after.get(SHARED)!, ...node };
      expect(changesOf(modelOf(graph), record(source, target, undefined, shown)), target).toEqual([]);
    }
  });
  it('say nothing of an item in a place that the order does not give it', () => {
    const forged: Item = { ...after.get(SHARED)!, gsi0pk: { S: 'ASSIGNED-USER-2' } };
    expect(changesOf(modelOf(graph), record('TICKET-1', SHARED, undefined, forged))).toEqual([]);
  });
  it('say nothing of views while they are made in another shape', () => {
    const shown = (name: string, model: string): Item => ({
      attributes: { M: { name: { S: name } } },
      model: { S: model },
    });
    const usesView = (isReady: boolean) => (_id: string, view: Item | undefined) =>
      isReady && (view === undefined || (view['model'] as { S: string }).S === '@2');
    const told = (isReady: boolean, from: Item | undefined, to: Item | undefined) =>
      changesOf(modelOf(graph, { usesView: usesView(isReady) }), record('USER-1', '~view', from, to)).length;
    expect(told(false, shown('Ann', '@1'), shown('Ann B.', '@2'))).toBe(0);
    expect(told(false, undefined, shown('Ann', '@2'))).toBe(0);
    expect(told(false, shown('Ann', '@1'), shown('Bo', '@1'))).toBe(0);
    expect(told(false, shown('Ann', '@2'), shown('Bo', '@2'))).toBe(0);
    expect(told(true, shown('Ann', '@1'), shown('Bo', '@1'))).toBe(0);
    expect(told(true, undefined, shown('Ann', '@2'))).toBe(1);
    expect(told(true, shown('Ann', '@2'), undefined)).toBe(1);
    // A record that is read late: the change may be in it.
    expect(told(true, shown('Ann', '@1'), shown('Bo', '@2'))).toBe(1);
  });
  it('tell the edges that a view has gained and lost, and none of a type that the view has no room for', () => {
    const view = (edgeSet: string[], more: Item = {}): Item => ({
      attributes: { M: {} },
      edgeSet: { SS: edgeSet },
      ...more,
    });
    const told = (from: Item, to: Item) => changesOf(modelOf(graph), record('TICKET-1', '~view', from, to))[0];
    expect(told(view(['ASSIGNED-USER-1']), view(['ASSIGNED-USER-2']))).toMatchObject({
      left: [{ type: 'ASSIGNED', target: 'USER-1' }],
      entered: [{ type: 'ASSIGNED', target: 'USER-2' }],
    });
    const outgrown = told(view(['ASSIGNED-USER-1']), view([], { evicted: { SS: ['ASSIGNED'] } }));
    expect(outgrown).toMatchObject({ outgrown: ['ASSIGNED'] });
    expect(outgrown).not.toHaveProperty('left');
  });
  it('tell all edges of a type that comes back into the view', () => {
    const away: Item = { attributes: { M: {} }, evicted: { SS: ['ASSIGNED'] } };
    const back: Item = { attributes: { M: {} }, edgeSet: { SS: ['ASSIGNED-USER-1', 'ASSIGNED-USER-2'] } };
    const [change] = changesOf(modelOf(graph), record('TICKET-1', '~view', away, back));
    expect(change).toMatchObject({
      entered: [
        { type: 'ASSIGNED', target: 'USER-1' },
        { type: 'ASSIGNED', target: 'USER-2' },
      ],
    });
    expect(change).not.toHaveProperty('outgrown');
  });
  it('are what the feed of the model names', () => {
    const records = [
      record('TICKET-1', SHARED, before.get(SHARED), after.get(SHARED)),
      record('TICKET-1', NAMED, before.get(NAMED), after.get(NAMED)),
      record('TICKET-1', '~view', undefined, { attributes: { M: {} } }),
      record('TICKET-1', '~degree/ASSIGNED', undefined, { count: { N: '1' } }),
      record(
        'USER-1',
        '~ix/name',
        undefined,
        derivedOf(graph, 'USER-1', 'USER-1', item({ name: 'Ann' }), undefined).indexItems.get('~ix/name' as never),
      ),
    ];
    const told = (feed?: FeedNames<'USER' | 'TICKET', 'ASSIGNED'>) =>
      records.flatMap((one) => changesOf(modelOf(graphWith(feed)), one).map(({ kind }) => kind));
    expect(told()).toEqual(['list', 'list', 'view', 'count', 'search']);
    expect(told({})).toEqual([]);
    expect(told({ lists: ['ASSIGNED'] })).toEqual(['list', 'list']);
    expect(told({ lists: ['ASSIGNED.byRank'], views: ['USER'] })).toEqual(['list']);
    expect(told({ views: ['TICKET'], searches: ['USER.name'] })).toEqual(['view', 'search']);
    expect(told({ counts: ['ASSIGNED'], searches: ['USER'] })).toEqual(['count', 'search']);
  });
});

describe('the feed of a model', () => {
  it('changes no fingerprint', () => {
    expect(graphWith({ lists: ['ASSIGNED'] }).fingerprint).toBe(graph.fingerprint);
  });
  it('may name nothing that the model does not declare', () => {
    const wrong = {
      ...{ views: ['ROOM'], lists: ['ASSIGNED.byNone'], searches: ['TICKET'], counts: ['ASSIGNED'] },
      others: [],
    } as unknown as FeedNames<'USER' | 'TICKET', 'ASSIGNED'>;
    const make = () => graphWith(wrong);
    expect(make).toThrow('feed.views: names ROOM: the model has USER, TICKET');
    expect(make).toThrow('feed.lists: names ASSIGNED.byNone: the model has ASSIGNED, ASSIGNED.gsi0, ASSIGNED.byRank');
    expect(make).toThrow('feed.searches: names TICKET: the model has USER, USER.name');
    expect(make).toThrow('feed: has no option "others". There are views, lists, searches, counts');
    expect(() => graphWith(3 as never)).toThrow('feed: ');
    expect(() => graphWith({ views: [3] as never })).toThrow('feed.views');
    // @ts-expect-error a type that the model does not have
    expect(() => graphWith({ views: ['ROOM'] })).toThrow(ModelError);
  });
});

describe('the places in force', () => {
  it('name what the feed tells, and leave out what readers do not use', () => {
    const all = placesInForce(modelOf(graph));
    expect([...all.keys()]).toEqual([
      ...['view USER', 'search USER.name', 'view TICKET'],
      ...['order gsi0 of ASSIGNED', 'order byRank of ASSIGNED', 'count ASSIGNED'],
    ]);
    expect([...placesInForce(modelOf(graph, { usesView: () => false })).keys()]).not.toContain('view USER');
    expect([...placesInForce(modelOf(graphWith({ lists: ['ASSIGNED.byRank'] }))).keys()]).toEqual([
      'order byRank of ASSIGNED',
    ]);
  });
});

it('a feed finds the partitions of items whose index keys have other names', async () => {
  const keys = { gsi0: { name: 'GSI1', partitionKey: 'GSI1PK', sortKey: 'GSI1SK' } };
  const model = defineGraph({ table: { name: 'other', indexes: keys }, nodes: { USER: node({ view: 'ALL' }) } });
  const feed = new Feed(model);
  const subscription = feed.subscribe(['ASSIGNED-USER-1']);
  const image = { ...item({ source: 'TICKET-1', target: SHARED, GSI1PK: 'ASSIGNED-USER-1', GSI1SK: 'a' }) };
  feed.receive({ dynamodb: { Keys: item({ source: 'TICKET-1', target: SHARED }), NewImage: image } });
  expect(await subscription.take(0)).toMatchObject({ names: new Set(['ASSIGNED-USER-1']) });
});

it.each([
  ['inbound', { inbound: { total: { fee: sum('fee') } } }, { count: 1, fee: '0', groups: {} }],
  ['outgoing', { outgoing: { total: { fee: sum('fee') } } }, { count: 1, fee: '0', groups: {} }],
  ['outgoing', { degree: true }, { count: 1 }],
] as const)('a count of %s edges has what reader.total or degree returns: %j', (direction, settings, attributes) => {
  const of = defineGraph({
    table: 'fees',
    nodes: { USER: node({ view: 'ALL' }) },
    edges: { PAID: edge({ from: 'USER', to: 'USER', ...settings }) },
  });
  const paid = of.edges.get('PAID')!;
  const { key } = 'degree' in settings ? { key: '~degree/PAID' } : projectionsOfModel(of).total(paid, direction);
  const told = changesOf(modelOf(of), record('USER-1', key, undefined, { count: { N: '1' } }));
  expect(told).toEqual([expect.objectContaining({ kind: 'count', direction, attributes })]);
});
