import fc from 'fast-check';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { hashedSortKey } from '../../src/core/items/hashed-key.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { date, derive, node, number, part, rank, source, sum } from '../../src/core/model/schema.ts';
import { inboundOption } from '../support/inbound-option.ts';
import { anyEdge, anyNode, define } from '../support/model.ts';

/** Random small models, and random histories of what producers write in them. */

const option = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const projection = fc.constantFrom<unknown>('KEYS_ONLY', 'ALL', ['title'], undefined);
const hash = fc.constantFrom('fnv1a', 'codepoint-product');
const shardBy = fc.constantFrom('value', 'source');

/** Throws for one of the titles, and leaves out another. */
const initial = derive(({ title }) => {
  if (title === 'bad') throw new Error('no initial');
  return typeof title === 'string' && title !== '' ? title.charAt(0) : undefined;
});
const ranked = rank('role', { LEAD: 500, TEAM: 300 });

const search = fc.record(
  {
    title: fc.record(
      {
        shards: fc.constantFrom(1, 3, 'value'),
        caseInsensitive: fc.boolean(),
        project: projection,
        partition: fc.constant('country'),
      },
      { requiredKeys: [] },
    ),
    spread: fc.record({ shards: fc.constant(5), shardBy, hash }).map((options) => ({ attribute: 'title', ...options })),
    tags: fc
      .record({ caseInsensitive: fc.boolean(), shards: fc.constantFrom(1, 2) })
      .map((options) => ({ multiValue: true, ...options })),
    score: fc.constant({ type: 'number', shards: 1 }),
    mark: fc.constant({ native: true, project: ['title'] }),
    size: fc.constant({ type: 'number', native: true }),
    due: fc.constant({ type: 'date', shards: 1 }),
    role: fc.constant(ranked),
    initial: fc.constant(initial),
    place: fc
      .record({ caseInsensitive: fc.boolean(), shards: fc.constantFrom(1, 3), shardBy, project: projection })
      .map((options) => ({ path: ['country', 'title', 'role'], ...options })),
  },
  { requiredKeys: [] },
);

const derivedInbound = fc
  .record(
    {
      gsi0: fc.constantFrom<unknown>('role', ranked, number('score'), initial, source('title')),
      gsi1: fc.constantFrom<unknown>('title', date('due'), date(source('due'))),
      byTitle: fc.constantFrom<unknown>(
        ...['title', initial, ['role', initial], [source('title'), date('due')]],
        ...[['title', rank(source('role'), { LEAD: 5, TEAM: 3 }), number(source('score'))]],
      ),
      byScore: fc.constant(number('score')),
      shards: fc.constantFrom(1, 3),
      shardBy,
      project: projection,
      includeTarget: fc.boolean(),
      projectSource: fc.constantFrom(['score'], ['tags', 'country']),
      partition: fc.constantFrom<unknown>('country', source('country')),
    },
    { requiredKeys: [] },
  )
  // One order at least; any of them may be the only one.
  .map(({ partition, projectSource, ...options }) => {
    // What the model refuses: two sources of one name, and an owner that no partition is known of.
    const mayProject = projectSource !== undefined && options.project !== 'ALL';
    const mayPartition = partition !== undefined && options.includeTarget !== true;
    return { ...options, ...(mayProject && { projectSource }), ...(mayPartition && { partition }) };
  })
  .map((options) => {
    const hasOrder = ['gsi0', 'gsi1', 'byTitle', 'byScore'].some((name) => name in options);
    const withOrder = hasOrder ? options : { ...options, gsi0: 'role' };
    return inboundOption(options.includeTarget === true ? { ...withOrder, shards: 1 } : withOrder);
  });

/** DynamoDB keeps these: nothing is derived of them. */
const nativeInbound = fc.record({ project: projection }).map((options): Record<string, unknown> => {
  return { native: true, orders: { byMark: 'mark', bySize: number('size') }, ...options };
});
const inbound = fc.oneof({ weight: 4, arbitrary: derivedInbound }, { weight: 1, arbitrary: nativeInbound });

const edgeSet = fc.constantFrom<unknown>(undefined, false, ['role'], ['role', 'score'], { by: 'role', initial });

const copy = fc.constantFrom(['title'], ['title', 'tags', 'nothing']);

const amounts = { total: { score: sum('score') }, groupBy: ['role'] } as const;

/** Models of goals, their members and the goals that they lead to; rich ones have totals and parts of nodes, too. */
const graphs = (isRich: boolean): fc.Arbitrary<CompiledModel> =>
  fc
    .record({
      ...{ view: projection, search: option(search), edgeSet, inbound: option(inbound), link: edgeSet },
      linkInbound: option(inbound),
      degree: option(fc.boolean()),
      linkDegree: option(fc.boolean()),
      keys: option(fc.constantFrom('plain', 'hashed')),
      linkKeys: option(fc.constantFrom('plain', 'hashed')),
      copy: option(copy),
      linkCopy: option(copy),
      ...{ leaving: option(fc.constant(amounts)), entering: option(fc.constant(amounts)) },
      state: option(
        fc.record({
          view: projection,
          search: option(fc.constant({ title: { shards: 3 }, tags: { multiValue: true } })),
        }),
      ),
      ofState: fc.boolean(),
    })
    .map(({ leaving, entering, state, ofState, ...options }) => {
      const parts = isRich && state !== undefined ? { STATE: part(state as object) } : undefined;
      const ofPart =
        parts && ofState && options.inbound?.['native'] !== true ? { byState: [source('STATE.title'), 'role'] } : {};
      return define({
        table: 'records',
        nodes: { GOAL: anyNode({ view: options.view, search: options.search, parts }), USER: node({ view: 'ALL' }) },
        edges: {
          MEMBER: anyEdge({
            from: 'GOAL',
            to: 'USER',
            edgeSet: options.edgeSet,
            inbound:
              isRich && (options.inbound ?? entering)
                ? { ...options.inbound, ...entering, orders: { ...(options.inbound?.['orders'] as object), ...ofPart } }
                : options.inbound,
            degree: options.degree,
            ...(isRich && { outgoing: leaving }),
            keys: options.keys,
            copy: options.edgeSet === false || options.keys === 'hashed' ? undefined : options.copy,
          }),
          LINK: anyEdge({
            from: ['GOAL', 'USER'],
            to: 'GOAL',
            edgeSet: options.link,
            inbound: options.linkInbound,
            degree: options.linkDegree,
            keys: options.linkKeys,
            copy: options.link === false || options.linkKeys === 'hashed' ? undefined : options.linkCopy,
          }),
        },
      });
    });

/** A model of goals, their members and the goals that they lead to. */
export const smallGraph = graphs(false);
/** The same with totals, and parts of nodes. */
export const richGraph = graphs(true);

/** One write of a producer: a put, or a deletion where there are no attributes. */
export interface Write {
  source: string;
  /** The plain sort key: see `keyed`. */
  target: string;
  attributes: Item | undefined;
  /** How an edge with a hashed key is put wrongly, if at all: under a plain key, or with another target or none beside it. */
  stray: 'no' | 'plain-key' | 'other-target' | 'no-target';
}

/** The arguments of `StreamedStore.producer` for a write, with a hashed key where the model has them. */
export function keyed(
  graph: CompiledModel,
  { source, target, attributes, stray }: Write,
): [source: string, target: string, attributes: Item | undefined] {
  const edge = source === target ? undefined : graph.edges.get(target.slice(0, target.indexOf('-')));
  if (edge?.keys !== 'hashed' || stray === 'plain-key') return [source, target, attributes];
  const id = target.slice(edge.type.length + 1);
  const targetId = stray === 'other-target' ? 'USER-7' : id;
  const beside = stray === 'no-target' ? undefined : { targetId: { S: targetId } };
  return [source, hashedSortKey(edge.type, id), attributes && { ...attributes, ...beside }];
}

/** Few keys, so that writes meet; with ids that need escaping; and one edge that does not fit the model. */
const key = fc.constantFrom(
  ['GOAL-1', 'GOAL-1'],
  ['GOAL-1', 'STATE'],
  ['GOAL-1', 'MEMBER-USER-1'],
  ['GOAL-1', 'MEMBER-USER-1!'],
  ['GOAL-1', 'MEMBER-USER-a|b%'],
  ['GOAL-1', 'LINK-GOAL-2'],
  ['GOAL-2', 'GOAL-2'],
  ['GOAL-2', 'MEMBER-USER-1'],
  ['GOAL-2', 'MEMBER-GOAL-1'],
  ['USER-1', 'USER-1'],
  ['USER-1', 'LINK-GOAL-1'],
);

/** Values that fit, and now and then ones that cannot be derived. */
const attributes: fc.Arbitrary<Item> = fc.record(
  {
    title: fc.constantFrom<Item[string]>({ S: 'a' }, { S: 'A' }, { S: 'bad' }, { S: '' }, { N: '1' }),
    role: fc.constantFrom<Item[string]>({ S: 'LEAD' }, { S: 'TEAM' }, { S: 'NONE' }, { L: [] }),
    score: fc.constantFrom<Item[string]>({ N: '1' }, { N: '2' }, { S: 'high' }),
    due: fc.constantFrom<Item[string]>({ S: '2020-01-01' }, { S: 'soon' }),
    country: fc.constantFrom<Item[string]>({ S: 'JP' }, { N: '1' }),
    // DynamoDB refuses native keys of another type.
    mark: fc.constantFrom<Item[string]>({ S: 'a' }, { S: 'x'.repeat(1_024) }),
    size: fc.constantFrom<Item[string]>({ N: '1' }, { N: '-2' }),
    tags: fc.constantFrom<Item[string]>({ SS: ['x', 'X', 'y'] }, { L: [{ S: 'y' }] }, { L: [{ N: '1' }] }, { S: 'z' }),
  },
  { requiredKeys: [] },
);

/** A history of writes. */
export const writes: fc.Arbitrary<Write[]> = fc.array(
  fc
    .record({
      key,
      attributes: fc.option(attributes, { nil: undefined, freq: 3 }),
      stray: fc.oneof(
        { weight: 9, arbitrary: fc.constant<Write['stray']>('no') },
        { weight: 1, arbitrary: fc.constantFrom<Write['stray']>('plain-key', 'other-target', 'no-target') },
      ),
    })
    .map(({ key: [source, target], ...rest }) => ({
      source: source!,
      target: target!,
      ...rest,
    })),
  { minLength: 1, maxLength: 24 },
);
