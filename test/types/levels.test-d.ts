import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { Neighbor } from '../../src/client/read/levels/page-tree.ts';
import type { Reader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, rank, source } from '../../src/core/model/schema.ts';

/** A tracker of issues, and pages of it that go over several edges, some of which enter. */

const named = z.object({ name: z.string() });
const role = z.object({ role: z.enum(['LEAD', 'HELPER']) });
const graph = defineGraph({
  table: 'records',
  nodes: {
    ORG: node({ view: 'ALL', fields: named }),
    USER: node({ view: 'ALL', fields: named }),
    REPO: node({ view: 'ALL', fields: named }),
    ISSUE: node({ fields: z.object({ title: z.string(), state: z.enum(['OPEN', 'CLOSED']) }), view: ['title'] }),
    COMMENT: node({ view: 'ALL', fields: z.object({ text: z.string() }) }),
    LABEL: node({ view: 'ALL', fields: named }),
  },
  edges: {
    MEMBER: edge({ from: 'USER', to: 'ORG', inbound: { orders: { gsi0: 'since' } } }),
    OF_ORG: edge({ from: 'REPO', to: 'ORG', inbound: { orders: { gsi0: 'since' } } }),
    IN_REPO: edge({ from: 'ISSUE', to: 'REPO', inbound: { orders: { gsi0: source('state') } } }),
    OPENED_BY: edge({ from: 'ISSUE', to: 'USER', inbound: { orders: { gsi0: 'since' } } }),
    ASSIGNED: edge({
      fields: role,
      from: 'ISSUE',
      to: 'USER',
      edgeSet: ['role'],
      inbound: { orders: { gsi0: rank('role', { LEAD: 2, HELPER: 1 }) } },
    }),
    ON: edge({ from: 'COMMENT', to: 'ISSUE', edgeSet: false, inbound: { orders: { gsi0: 'since', byAge: 'age' } } }),
    WRITTEN_BY: edge({ from: 'COMMENT', to: 'USER', inbound: { orders: { gsi0: 'since' } } }),
    LABELLED: edge({
      from: 'ISSUE',
      to: 'LABEL',
      copy: ['name'],
      inbound: { orders: { gsi0: 'since' }, partition: 'tenant' },
    }),
    BLOCKS: edge({ from: 'ISSUE', to: 'ISSUE', inbound: { orders: { gsi0: 'since' } } }),
    REPLIES: edge({ from: 'COMMENT', to: 'COMMENT', edgeSet: false }),
  },
});

declare const reader: Reader<typeof graph>;
declare const anyReader: Reader<CompiledModel>;
declare const text: string;

it('takes pages of two and three levels of edges that enter', async () => {
  const two = await reader.page('ORG-1', 'OF_ORG', {
    with: [{ inbound: 'IN_REPO', with: [{ inbound: 'ON' }, 'ASSIGNED:LEAD'] }],
  });
  expectTypeOf(two.items[0]!.id).toEqualTypeOf<`REPO-${string}`>();
  await reader.page('ORG-1', 'MEMBER', {
    with: [
      {
        inbound: 'OPENED_BY',
        with: [{ inbound: 'ON', order: 'byAge', with: [{ edge: 'REPLIES', with: ['WRITTEN_BY'] }] }],
      },
      { inbound: 'ASSIGNED', with: [{ inbound: 'BLOCKS', with: [{ inbound: 'ON', with: ['WRITTEN_BY'] }] }] },
    ],
  });
  await reader.page('REPO-1', 'IN_REPO', {
    with: [{ edge: 'LABELLED', with: [{ inbound: 'LABELLED', partition: text }] }],
  });
  const levels = [{ inbound: 'ON', with: [{ edge: 'WRITTEN_BY', with: [{ inbound: 'OPENED_BY' }] }] }] as const;
  await reader.page('REPO-1', 'IN_REPO', { with: levels });
  await anyReader.page(text, text, { with: [text, { inbound: text, with: [{ edge: text, label: 3 }] }] });
});

it('shows only the types of nodes and edges that the question names', async () => {
  const page = await reader.page('ORG-1', 'OF_ORG', {
    with: [{ inbound: 'IN_REPO', with: [{ inbound: 'ON', with: ['WRITTEN_BY'] }] }],
  });
  expectTypeOf<keyof (typeof page.items)[0]>().toEqualTypeOf<'id' | 'attributes' | 'inbound'>();
  expectTypeOf(page.truncated?.reason).toEqualTypeOf<'maxNodes' | 'maxRcu' | 'depth' | 'edges' | undefined>();
  expectTypeOf<keyof (typeof page.items)[0]['inbound']>().toEqualTypeOf<'IN_REPO'>();
  const { edge: inRepo, node: issue } = page.items[0]!.inbound.IN_REPO[0]!;
  // biome-ignore lint/complexity/noBannedTypes: the index items have keys only
  expectTypeOf(inRepo).toEqualTypeOf<{}>();
  expectTypeOf(issue.id).toEqualTypeOf<`ISSUE-${string}`>();
  expectTypeOf(issue.attributes).toEqualTypeOf<{ title?: string } | null>();
  // @ts-expect-error: no level below names who opened the issue
  issue.edges;
  const { node: comment } = issue.inbound.ON[0]!;
  expectTypeOf(comment.attributes?.text).toEqualTypeOf<string | undefined>();
  expectTypeOf<keyof typeof comment.edges>().toEqualTypeOf<'WRITTEN_BY'>();
  const { node: writer } = comment.edges.WRITTEN_BY[0]!;
  expectTypeOf<keyof typeof writer>().toEqualTypeOf<'id' | 'attributes'>();
  const all = await reader.page('REPO-1', 'IN_REPO');
  type Leaving = 'IN_REPO' | 'OPENED_BY' | 'ASSIGNED' | 'LABELLED' | 'BLOCKS';
  expectTypeOf<keyof (typeof all.items)[0]['edges']>().toEqualTypeOf<Leaving>();
  expectTypeOf(all.items[0]!.edges.ASSIGNED[0]!.edge).toEqualTypeOf<{ role?: 'LEAD' | 'HELPER' }>();
  expectTypeOf(all.items[0]!.edges.LABELLED[0]!.node.attributes).toEqualTypeOf<{ name?: string } | null>();
  const none = await reader.page('REPO-1', 'IN_REPO', { with: [] });
  expectTypeOf<keyof (typeof none.items)[0]>().toEqualTypeOf<'id' | 'attributes'>();
  const { items } = await reader.page('REPO-1', 'IN_REPO', {
    with: [
      'ASSIGNED:LEAD',
      { edge: 'ASSIGNED', label: 'HELPER', with: [{ inbound: 'ASSIGNED' }] },
      { inbound: 'ON', with: [{ edge: 'REPLIES' }] },
    ],
  });
  expectTypeOf(items[0]!.edges.ASSIGNED[0]!.node.inbound.ASSIGNED[0]!.node.id).toEqualTypeOf<`ISSUE-${string}`>();
  const { items: open } = await anyReader.page(text, text, { with: [text] });
  expectTypeOf(open[0]!.edges?.['ANY']?.[0]?.node.inbound).toEqualTypeOf<Record<string, Neighbor[]> | undefined>();
});

it('refuses a mistake on each level', () => {
  // @ts-expect-error: what leaves a user leaves no issue
  void reader.page('REPO-1', 'IN_REPO', { with: ['MEMBER'] });
  // @ts-expect-error: what leaves a user leaves no issue, whatever its label
  void reader.page('REPO-1', 'IN_REPO', { with: [{ type: 'MEMBER', label: 'LEAD' }] });
  // @ts-expect-error: what leaves an issue leaves no user, whatever its label
  void reader.page('REPO-1', 'IN_REPO', { with: [{ edge: 'ASSIGNED', with: ['ASSIGNED:LEAD'] }] });
  // @ts-expect-error: nobody is assigned to an issue by an edge that enters it
  void reader.page('REPO-1', 'IN_REPO', { with: [{ inbound: 'ASSIGNED' }] });
  // @ts-expect-error: comments are opened by nobody
  void reader.page('REPO-1', 'IN_REPO', { with: ['ASSIGNED', { inbound: 'ON', with: [{ edge: 'OPENED_BY' }] }] });
  // @ts-expect-error: edges of this type are in no edge set
  void reader.page('REPO-1', 'IN_REPO', { with: [{ inbound: 'ON', with: ['REPLIES'] }] });
  // @ts-expect-error: edges of this type have no order
  void reader.page('REPO-1', 'IN_REPO', { with: [{ inbound: 'ON', with: [{ inbound: 'REPLIES' }] }] });
  // @ts-expect-error: a comment is no member
  void reader.page('REPO-1', 'IN_REPO', { with: [{ edge: 'BLOCKS', with: [{ inbound: 'ON', with: ['MEMBER'] }] }] });
  // @ts-expect-error: BOSS has no rank
  void reader.page('USER-1', 'ASSIGNED', { atLeast: 'BOSS', with: [{ inbound: 'ON' }] });
  // @ts-expect-error: no such order
  void reader.page('REPO-1', 'IN_REPO', { with: [{ inbound: 'ON', order: 'byName' }] });
  // @ts-expect-error: the order has a partition
  void reader.page('REPO-1', 'IN_REPO', { with: [{ edge: 'LABELLED', with: [{ inbound: 'LABELLED' }] }] });
  // @ts-expect-error: the order has no partition
  void reader.page('REPO-1', 'IN_REPO', { with: [{ inbound: 'ON', partition: 'UK' }] });
  // @ts-expect-error: a level has no such option
  void reader.page('REPO-1', 'IN_REPO', { with: [{ inbound: 'ON', limit: 3 }] });
  // @ts-expect-error: misspelt
  void reader.page('REPO-1', 'IN_REPO', { with: [{ inbonud: 'ON' }] });
  // @ts-expect-error: any text is no edge type
  void reader.page('REPO-1', 'IN_REPO', { with: [text] });
});
