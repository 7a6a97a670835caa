import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { Reader } from '../../src/client/read/reader.ts';
import type { Writer } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { derive, edge, node, number, part, rank, source } from '../../src/core/model/schema.ts';

/** What a model says of values: several types at one end of an edge, enums of `fields`, ranks, labels, versions. */

const status = z.enum(['OPEN', 'DONE']);
const graph = defineGraph({
  table: 'records',
  nodes: {
    ISSUE: node({
      fields: z.object({ title: z.string(), status, priority: z.number() }),
      view: ['title', 'priority'],
      search: { place: { path: ['status', 'title'] }, folded: { path: ['status'], caseInsensitive: true } },
      parts: { STATE: part({ fields: z.object({ mood: z.enum(['GOOD', 'BAD']) }) }) },
    }),
    PR: node({
      fields: z.object({ title: z.string(), status: z.enum(['OPEN', 'MERGED']), draft: z.boolean() }),
      view: 'ALL',
    }),
    REPO: node({ view: 'ALL' }),
    DOC: node({
      fields: z.object({ version: z.number().optional(), text: z.string() }),
      versionAttribute: 'version',
      view: 'ALL',
    }),
    USER: node({ view: ['name'] }),
  },
  edges: {
    IN: edge({
      from: ['ISSUE', 'PR'],
      to: 'REPO',
      inbound: {
        orders: {
          byStatus: [source('status'), source('title')],
          byOne: source('status'),
          byMood: [source('STATE.mood'), 'note'],
        },
        projectSource: ['title', 'priority', 'draft'],
      },
    }),
    ASSIGNED: edge({
      from: ['ISSUE', 'PR'],
      to: 'USER',
      fields: z.object({ role: z.enum(['LEAD', 'HELPER']), weight: z.number(), note: z.string() }),
      edgeSet: { role: 'role', heavy: 'weight' },
      inbound: { orders: { byRole: 'role', byWeight: number('weight') } },
    }),
    RANKED: edge({
      from: 'ISSUE',
      to: 'USER',
      edgeSet: ['role'],
      inbound: { orders: { gsi0: rank('role', { LEAD: 2, HELPER: 1 }) } },
    }),
    OPEN: edge({ from: 'ISSUE', to: 'USER', edgeSet: ['any'] }),
    NAMED: edge({ from: 'ISSUE', to: 'USER', edgeSet: { first: derive(() => 'a') } }),
    PLAIN: edge({
      from: 'REPO',
      to: ['ISSUE', 'PR'],
      copy: ['title', 'draft'],
      inbound: { orders: { gsi0: 'at' }, includeTarget: true },
    }),
  },
});
declare const reader: Reader<typeof graph>;
declare const writer: Writer<typeof graph>;
declare const anyReader: Reader<CompiledModel>;
declare const anyWriter: Writer<CompiledModel>;
declare const text: string;

it('shows attributes that only one of several types has', async () => {
  const { items } = await reader.inbound('REPO-1', 'IN');
  expectTypeOf(items[0]!.attributes.title).toEqualTypeOf<string | undefined>();
  expectTypeOf(items[0]!.attributes.priority).toEqualTypeOf<number | undefined>();
  expectTypeOf(items[0]!.attributes.draft).toEqualTypeOf<boolean | undefined>();
  // @ts-expect-error: neither type has an attribute of that name
  items[0]!.attributes.prioritty;
  const { items: nodes } = await reader.page('REPO-1', 'IN', { with: ['ASSIGNED'] });
  expectTypeOf(nodes[0]!.attributes!.priority).toEqualTypeOf<number | undefined>();
  expectTypeOf(nodes[0]!.attributes!.draft).toEqualTypeOf<boolean | undefined>();
  const { items: assigned } = await reader.page('USER-1', 'ASSIGNED', { attributes: 'ALL', with: [] });
  expectTypeOf(assigned[0]!.attributes!.status).toEqualTypeOf<'OPEN' | 'DONE' | 'MERGED'>();
  expectTypeOf(assigned[0]!.attributes!.draft).toEqualTypeOf<boolean | undefined>();
  const { items: plain, target } = await reader.inbound('ISSUE-1', 'PLAIN', { includeTarget: true });
  expectTypeOf(target!.attributes.draft).toEqualTypeOf<boolean | undefined>();
  // @ts-expect-error: the index items have keys only
  plain[0]!.attributes.title;
  const [repo] = await reader.getViews(['REPO-1']);
  expectTypeOf(repo!.edgeSet[0]!.copy?.draft).toEqualTypeOf<boolean | undefined>();
});

it('filters by attributes that only one of several types has, and by those that keys hold', () => {
  void reader.inbound('REPO-1', 'IN', { where: { priority: { gte: 3 }, draft: { exists: false } } });
  void reader.page('REPO-1', 'IN', { order: 'byStatus', where: { status: { in: ['DONE', 'MERGED'] }, draft: true } });
  void reader.inbound('REPO-1', 'IN', { order: 'byMood', where: { note: 'x' } });
  void reader.watch({ inbound: ['USER-1', 'ASSIGNED'], order: 'byRole', where: { role: 'LEAD' } });
  void reader.watch({ search: 'ISSUE.place', where: { title: { beginsWith: 'a' }, status: 'OPEN' } });
  // @ts-expect-error: no status of either type
  void reader.inbound('REPO-1', 'IN', { order: 'byStatus', where: { status: 'Opne' } });
  // @ts-expect-error: neither projected nor in the keys of this order
  void reader.inbound('REPO-1', 'IN', { order: 'byMood', where: { status: 'OPEN' } });
  // @ts-expect-error: a priority is a number
  void reader.inbound('REPO-1', 'IN', { where: { priority: 'high' } });
});

it('takes only whole values that the model declares', () => {
  void reader.inbound('REPO-1', 'IN', { order: 'byStatus', path: ['OPEN', text] });
  void reader.inbound('REPO-1', 'IN', { order: 'byStatus', path: ['MERGED'], between: ['a', undefined] });
  void reader.inbound('REPO-1', 'IN', { order: 'byStatus', beginsWith: 'O' });
  void reader.inbound('REPO-1', 'IN', { order: 'byOne', atLeast: 'A' });
  void reader.inbound('REPO-1', 'IN', { order: 'byMood', path: ['GOOD'] });
  void reader.inbound('USER-1', 'ASSIGNED', { order: 'byRole', between: ['A', 'M'] });
  void reader.search('ISSUE.place').path(['OPEN', text]);
  void reader.search('ISSUE.folded').path(['open']);
  void anyReader.inbound(text, text, { path: [text], equals: 5 });
  // @ts-expect-error: no status
  void reader.inbound('REPO-1', 'IN', { order: 'byStatus', path: ['Opne'] });
  // @ts-expect-error: no status
  void reader.page('REPO-1', 'IN', { order: 'byOne', equals: 'Opne' });
  // @ts-expect-error: no mood
  void reader.inDegree('REPO-1', 'IN', { order: 'byMood', path: ['Godo'] });
  // @ts-expect-error: no role
  void reader.inbound('USER-1', 'ASSIGNED', { order: 'byRole', equals: 'LEED' });
  // @ts-expect-error: no role
  void reader.watch({ inbound: ['USER-1', 'ASSIGNED'], order: 'byRole', equals: 'LEED' });
  // @ts-expect-error: no status
  void reader.search('ISSUE.place').path(['Opne']);
  // @ts-expect-error: no status
  void reader.search('ISSUE.place').count({ path: ['Opne'], beginsWith: 'a' });
});

it('takes only labels that an edge may have', () => {
  void reader.page('REPO-1', 'IN', { with: ['ASSIGNED:LEAD', { edge: 'ASSIGNED', label: 'HELPER' }, 'ASSIGNED:3'] });
  void reader.page('REPO-1', 'IN', {
    with: [
      { type: 'ASSIGNED', label: 3n },
      { edge: 'ASSIGNED', label: '3' },
    ],
  });
  void reader.page('USER-1', 'RANKED', {
    with: ['RANKED:LEAD', 'OPEN:anything', { edge: 'OPEN', label: true }, 'NAMED:a'],
  });
  // @ts-expect-error: no role
  void reader.page('REPO-1', 'IN', { with: ['ASSIGNED:LEED'] });
  // @ts-expect-error: no role
  void reader.page('REPO-1', 'IN', { with: [{ edge: 'ASSIGNED', label: 'LEED' }] });
  // @ts-expect-error: no role
  void reader.page('REPO-1', 'IN', { with: [{ type: 'ASSIGNED', label: 'LEED' }] });
  // @ts-expect-error: the rank has no such label
  void reader.page('USER-1', 'RANKED', { with: ['RANKED:LEED'] });
  // @ts-expect-error: elements of this type have no labels
  void reader.page('REPO-1', 'IN', { with: ['IN:LEAD'] });
  // @ts-expect-error: elements of this type have no labels
  void reader.page('REPO-1', 'IN', { with: [{ edge: 'IN', label: 'LEAD' }] });
  void anyReader.page(text, text, { with: ['ASSIGNED:LEED', { edge: text, label: 5 }] });
});

it('asks one question', () => {
  void reader.inbound('REPO-1', 'IN', { order: 'byStatus', path: ['OPEN'], beginsWith: 'a' });
  // @ts-expect-error: one value, or all from one on
  void reader.inbound('USER-1', 'RANKED', { equals: 'LEAD', atLeast: 'HELPER' });
  // @ts-expect-error: one value, or a beginning
  void reader.page('USER-1', 'ASSIGNED', { order: 'byRole', equals: 'LEAD', beginsWith: 'H' });
  // @ts-expect-error: a range, or a beginning
  void reader.inDegree('USER-1', 'ASSIGNED', { order: 'byRole', between: ['A', undefined], beginsWith: 'H' });
  // @ts-expect-error: a range, or all from one on
  void reader.watch({ inbound: ['USER-1', 'RANKED'], atLeast: 'LEAD', between: ['LEAD', undefined] });
  // @ts-expect-error: one key for an order, and shards need keys that are derived
  edge({ from: 'ISSUE', to: 'USER', inbound: { native: true, shards: 3, orders: { byDay: 'day' } } });
  // @ts-expect-error: a native search has no shards
  node({ search: { mail: { native: true, shards: 3 } } });
  void anyReader.inbound(text, text, { equals: 'LEAD', atLeast: 'HELPER' });
});

it('deletes a node with versions by the version that was read', () => {
  void writer.deleteNode('DOC-1', { if: { version: 3 } });
  void writer.deleteNode('ISSUE-1');
  void writer.deleteNode('ISSUE-1', { ifPresent: true });
  void writer.deleteNode(text as `ISSUE-${string}` | `DOC-${string}`);
  void anyWriter.deleteNode(text);
  void writer.transact((transaction) => transaction.deleteNode('DOC-1', { if: { version: 3 } }));
  void writer.batch((batch) => batch.deleteNode('ISSUE-1'));
  // @ts-expect-error: without the version
  void writer.deleteNode('DOC-1');
  // @ts-expect-error: without the version
  void writer.deleteNode('DOC-1', { if: { text: 'a' } });
  // @ts-expect-error: without the version
  void writer.transact((transaction) => transaction.deleteNode('DOC-1'));
  // @ts-expect-error: a batch compares no versions
  void writer.batch((batch) => batch.deleteNode('DOC-1'));
  // @ts-expect-error: a batch compares no versions
  void writer.batch((batch) => batch.putNode('DOC-1', { text: 'a' }));
  void anyWriter.batch((batch) => batch.deleteNode(text));
});
