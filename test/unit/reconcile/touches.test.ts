import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { fixedModel } from '../../../src/registry/writer-model.ts';
import { HookedStore } from '../../support/hooked-store.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

const graph = defineGraph({
  table: 'records',
  nodes: {
    GOAL: node({ view: ['title'], search: { hours: { type: 'number', shards: 1 } } }),
    USER: node({ view: 'ALL' }),
  },
  edges: {
    MEMBER: edge({ from: 'GOAL', to: 'USER', edgeSet: ['role'], inbound: { orders: { gsi0: 'role' } } }),
    LIKES: edge({ from: 'GOAL', to: 'USER' }),
  },
});
const G = 'GOAL-1';
const EDGE = 'MEMBER-USER-1';
const INDEX_KEY = `~ix/${EDGE}`;
const LIKES = 'LIKES-USER-2';
const role = (text: string): Item => ({ role: { S: text } });
const element = (text: string): string => `${EDGE}|role=${text}`;

/** A table, and a projector over it that notes its calls. */
function setUp() {
  const table = new StreamedStore(graph);
  const hooked = new HookedStore(table);
  const projector = createProjector(graph, { model: fixedModel(graph), concurrency: 1, store: hooked });
  const project = (...records: (ChangeRecord | undefined)[]) =>
    projector.project(records.filter((record) => record !== undefined));
  const view = () => table.derived(G, '~view');
  const elements = async () => {
    const set = (await view())?.['edgeSet'];
    return set !== undefined && 'SS' in set ? [...set.SS].sort() : undefined;
  };
  const order = async () => {
    const sortKey = (await table.derived(G, INDEX_KEY))?.['gsi0sk'];
    return sortKey !== undefined && 'S' in sortKey ? sortKey.S.split('\u0000')[0] : undefined;
  };
  return { table, hooked, project, view, elements, order };
}

describe('a batch', () => {
  it('reads the derived items, then the base items, then writes each derived item once', async () => {
    const { table, hooked, project, view, order } = setUp();
    const result = await project(
      await table.producer(G, G, { title: { S: 'a' } }),
      await table.producer(G, EDGE, role('A')),
      await table.producer(G, EDGE, role('B')),
    );
    expect(hooked.log).toEqual([
      `getMany ${G} ~view ${G} ${INDEX_KEY}`,
      `getMany ${G} ${G} ${G} ${EDGE}`,
      `update ${G} ~view`,
      `update ${G} ${INDEX_KEY}`,
    ]);
    expect(result).toMatchObject({ touches: 2, writes: 2, conflicts: 0, failedFrom: undefined });
    expect(await view()).toEqual({
      source: { S: G },
      target: { S: '~view' },
      attributes: { M: { title: { S: 'a' } } },
      edgeSet: { SS: [element('B')] },
      r: { N: '1' },
      model: { S: graph.fingerprint },
    });
    expect(await order()).toBe('B');
  });
});

describe('evicted edge types', () => {
  it('stay out of the view, whose revision counts all the same, and their edges are not read', async () => {
    const { table, hooked, project, view } = setUp();
    await table.put({ source: { S: G }, target: { S: '~view' }, evicted: { SS: ['LIKES'] }, r: { N: '5' } });
    await project(await table.producer(G, LIKES, {}));
    expect(await view()).toMatchObject({ evicted: { SS: ['LIKES'] }, r: { N: '6' } });
    expect(await view()).not.toHaveProperty('edgeSet');
    expect(hooked.log).toEqual([`getMany ${G} ~view`, `update ${G} ~view`]);
  });
});

it('an entry of a base item comes with a fault, keeps its time, and goes when the base item is right', async () => {
  const { table, project } = setUp();
  const entry = () => table.derived(G, `~quarantine/${G}`);
  await project(await table.producer(G, G, { hours: { S: 'many' } }));
  expect(await entry()).toMatchObject({ of: { S: G }, code: { S: 'wrong-type' }, gsi0pk: { S: '~quarantine' } });
  const since = (await entry())?.['since'];
  await project(await table.producer(G, G, { hours: { BOOL: true } }));
  expect(await entry()).toMatchObject({ since, reason: { S: expect.stringContaining('boolean') } });
  await project(await table.producer(G, G, { hours: { N: '3' } }));
  expect(await entry()).not.toHaveProperty('of');
  expect(await entry()).toHaveProperty('expiresAt');
});
