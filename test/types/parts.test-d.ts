import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { Reader } from '../../src/client/read/reader.ts';
import type { Writer } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, part, source } from '../../src/core/model/schema.ts';

const graph = defineGraph({
  table: 'records',
  nodes: {
    USER: node({
      view: 'ALL',
      fields: z.object({ name: z.string() }),
      parts: {
        STATE: part({
          fields: z.object({ status: z.enum(['online', 'away']), seenAt: z.number().optional() }),
          view: ['status'],
          search: { status: { shards: 1, project: ['seenAt'] } },
        }),
        COUNTS: part(),
      },
    }),
    ROOM: node({ view: 'ALL' }),
  },
  edges: {
    IN: edge({ from: 'USER', to: 'ROOM', inbound: { orders: { gsi0: 'since', byStatus: source('STATE.status') } } }),
  },
});

declare const reader: Reader<typeof graph>;
declare const writer: Writer<typeof graph>;

it('writes the parts that the type has, with the attributes of their validators', () => {
  writer.putPart('USER-1', 'STATE', { status: 'online' });
  writer.putPart('USER-1', 'COUNTS', { unread: 3 });
  writer.updatePart('USER-1', 'STATE', { set: { seenAt: 1 } });
  writer.deletePart('USER-1', 'COUNTS');
  // @ts-expect-error: not a status
  writer.putPart('USER-1', 'STATE', { status: 'gone' });
  // @ts-expect-error: the validator wants a status
  writer.putPart('USER-1', 'STATE');
  // @ts-expect-error: no such attribute
  writer.putPart('USER-1', 'STATE', { status: 'away', mood: 'good' });
  // @ts-expect-error: misspelt
  writer.putPart('USER-1', 'STAET', { status: 'away' });
  // @ts-expect-error: rooms have no parts
  writer.deletePart('ROOM-1', 'STATE');
  // @ts-expect-error: a number
  writer.updatePart('USER-1', 'STATE', { set: { seenAt: 'now' } });
  // @ts-expect-error: only where the status is one that there is
  writer.deletePart('USER-1', 'STATE', { if: { status: 'gone' } });
});

it('takes parts in batches and transactions', () => {
  writer.batch((batch) => {
    batch.putPart('USER-1', 'STATE', { status: 'away' });
    // @ts-expect-error: misspelt
    batch.deletePart('USER-1', 'STAET');
  });
  writer.transact((transaction) => {
    transaction.requirePart('USER-1', 'STATE', { if: { status: 'online' } });
    // @ts-expect-error: rooms have no parts
    transaction.requirePart('ROOM-1', 'STATE');
  });
});

it('shows what the view of a part shows, under its name', async () => {
  const [user] = await reader.getViews(['USER-1']);
  expectTypeOf(user!.attributes!.STATE).toEqualTypeOf<{ status?: 'online' | 'away' } | undefined>();
  expectTypeOf(user!.attributes!.name).toEqualTypeOf<string | undefined>();
  // @ts-expect-error: not in the part's view
  user!.attributes!.STATE!.seenAt;
  const [whole] = await reader.getViews(['USER-1'], { attributes: 'ALL' });
  expectTypeOf(whole!.attributes!.STATE).toEqualTypeOf<
    { status: 'online' | 'away'; seenAt?: number | undefined } | undefined
  >();
  const [some] = await reader.getViews(['USER-1'], { attributes: ['COUNTS'] });
  // @ts-expect-error: not selected
  some!.attributes!.STATE;
});

it('searches by the attributes of parts, behind their names', async () => {
  const { items } = await reader.search('USER.STATE.status').equals('online');
  expectTypeOf(items[0]!.attributes).toEqualTypeOf<{ seenAt?: number | undefined }>();
  // @ts-expect-error: not a status
  reader.search('USER.STATE.status').equals(7);
  // @ts-expect-error: no search of that name
  reader.search('USER.status');
  // @ts-expect-error: misspelt
  reader.search('USER.STAET.status');
});

it('knows the parts that orders of edges use, also of nodes with open attributes', () => {
  const parts = { STATE: part() };
  const inbound = { orders: { gsi0: source('STATE.status'), byTitle: source('title'), byDots: source('a.b') } };
  defineGraph({
    table: 'records',
    nodes: { USER: node({ view: 'ALL', parts }), BOT: node({ view: 'ALL' }), ROOM: node({ view: 'ALL' }) },
    edges: {
      IN: edge({ from: 'USER', to: 'ROOM', inbound }),
      OF: edge({ from: ['USER', 'BOT'], to: 'ROOM', inbound }),
      // @ts-expect-error: misspelt
      STAET: edge({ from: 'USER', to: 'ROOM', inbound: { orders: { gsi0: source('STAET.status') } } }),
      // @ts-expect-error: misspelt
      SHOWN: edge({
        from: 'USER',
        to: 'ROOM',
        inbound: { orders: { gsi0: 'since' }, projectSource: ['STAET.status'] },
      }),
      // @ts-expect-error: bots have no parts
      BOTS: edge({ from: 'BOT', to: 'ROOM', inbound }),
    },
  } as const);
});
