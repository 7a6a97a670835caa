import { describe, expect, it } from 'vitest';
import { COMPILERS, messagesOf } from '../support/compiler-messages.ts';

/**
 * The messages of the compiler for common mistakes: each names the wrong word and the words that there are, at the word. After a change
 * of types, `-u` writes them again: read them as one who has made the mistake.
 */

/** The longest are those of an order that asks two exclusive questions, or that lacks its partition. */
const MOST_CHARACTERS = 600;

const MODEL_HEAD = `
import { z } from 'zod';
import { date, defineGraph, derive, edge, node, number, part, rank, source, sum } from 'edgeloom';
const fields = z.object({ title: z.string(), kind: z.string(), points: z.number().optional(), isOpen: z.boolean(), status: z.enum(['OPEN', 'DONE', 'PAUSED']), tags: z.array(z.string()), note: z.string().nullable(), version: z.number().optional() });
const ofEdge = z.object({ role: z.enum(['LEAD', 'MEMBER']), since: z.string(), hours: z.string(), rate: z.number() });
const ends = { from: 'TICKET', to: 'TEAM' } as const;
const nodes = { TICKET: node({ view: 'ALL', fields }), TEAM: node({ view: 'ALL' }) };
export const used = [derive, number, part];
`;

const MODEL_MISTAKES = [
  'node({ view: "ALL", fields, search: { titel: {} } });',
  "node({ view: 'ALL', fields, search: { heading: 'titel' } });",
  "node({ view: 'ALL', fields, search: { heading: { attribute: 'titel' } } });",
  'node({ view: "ALL", fields, search: { title: { shardz: 5 } } });',
  "node({ view: 'ALL', fields, search: { title: { project: ['titel'] } } });",
  "node({ view: 'ALL', fields, search: { title: { partition: 'titel' } } });",
  "node({ view: 'ALL', fields, search: { shelf: { path: ['kind', 'titel'] } } });",
  'node({ view: "ALL", fields, search: { points: {} } });',
  'node({ view: "ALL", fields, search: { isOpen: { caseInsensitive: true } } });',
  'node({ view: "ALL", fields, search: { title: { multiValue: true } } });',
  'node({ view: "ALL", fields, search: { tags: {} } });',
  'node({ view: "ALL", fields, search: { note: {} } });',
  "node({ view: 'ALL', fields, search: { title: { type: 'number' } } });",
  "node({ view: 'ALL', fields, search: { status: rank('status', { OPEN: 1, DONE: 2 }) } });",
  "node({ view: 'ALL', fields, search: { status: rank('statsu', { OPEN: 1, DONE: 2 }) } });",
  'node({ view: "ALL", fields, search: { first: derive((attributes: { titel: string }) => attributes.titel) } });',
  "node({ fields, view: ['title', 'titel'] });",
  "node({ view: 'ALL', fields, viev: ['title'] });",
  "node({ view: 'ALL', fields, versionAttribute: 'title' });",
  "node({ view: 'ALL', fields: z.object({ version: z.number() }), versionAttribute: 'version' });",
  'node({ view: "ALL", fields, maxEntries: { tagz: 3 } });',
  "part({ fields, view: ['titel'] });",
  "edge({ ...ends, fields: ofEdge, edgeSet: ['rol'] });",
  "edge({ ...ends, fields: ofEdge, edgeSet: { part: 'rol' } });",
  'edge({ ...ends, fields: ofEdge, edgeSet: { part: 5 } });',
  "edge({ ...ends, fields: ofEdge, edgeSets: ['role'] });",
  "edge({ ...ends, inbuond: { gsi0: 'since' } });",
  "edge({ form: 'TICKET', to: 'TEAM' });",
  "edge({ ...ends, fields: ofEdge, inbound: { orders: { gsi0: 'sinc' } } });",
  "edge({ ...ends, fields: ofEdge, inbound: { orders: { gsi0: 'rate' } } });",
  "edge({ ...ends, fields: ofEdge, inbound: { orders: { gsi0: date('sinc') } } });",
  "edge({ ...ends, fields: ofEdge, inbound: { orders: { byAll: ['role', 'sinc'] } } });",
  "edge({ ...ends, fields: ofEdge, inbound: { orders: { gsi0: rank('role', { LEAD: 1 }) } } });",
  "edge({ ...ends, fields: ofEdge, inbound: { orders: { gsi0: 'since' }, project: ['rol'] } });",
  "edge({ ...ends, fields: ofEdge, inbound: { orders: { gsi20: 'since' } } });",
  "edge({ ...ends, fields: ofEdge, inbound: { orders: { gsi0: 'since' }, projects: ['role'] } });",
  "edge({ ...ends, fields: ofEdge, inbound: { total: { hours: sum('hours') } } });",
  "edge({ ...ends, fields: ofEdge, outgoing: { total: { hours: sum('houers') } } });",
  "edge({ ...ends, fields: ofEdge, outgoing: { groupBy: ['rol'] } });",
  "defineGraph({ table: 't', nodes, edges: { IN: edge({ from: 'TICKET', to: 'TEEM' }) } });",
  "defineGraph({ table: 't', nodes, edges: { IN: edge({ ...ends, inbound: { orders: { gsi0: 'since' }, projectSource: ['titel'] } }) } });",
  "defineGraph({ table: 't', nodes, edges: { IN: edge({ ...ends, inbound: { orders: { gsi0: source('points') } } }) } });",
  "defineGraph({ table: 't', nodes, feed: { views: ['TICKETS'] } });",
];

const QUERY_HEAD = `
import { z } from 'zod';
import { createReader, createWriter, date, defineGraph, edge, node, rank, sum } from 'edgeloom';
import type { Store } from 'edgeloom';
const graph = defineGraph({
  table: 'records',
  nodes: {
    TICKET: node({
      fields: z.object({ title: z.string(), status: z.enum(['OPEN', 'DONE']), points: z.number().optional() }),
      view: ['title'],
      search: { points: { type: 'number' }, status: rank('status', { OPEN: 1, DONE: 2 }), code: { attribute: 'title', shards: 'value' } },
    }),
    USER: node({ view: 'ALL', search: { name: { caseInsensitive: true } }, list: true }),
    TEAM: node({ view: 'ALL' }),
  },
  edges: {
    ASSIGNED: edge({
      from: 'TICKET',
      to: 'USER',
      fields: z.object({ role: z.enum(['LEAD', 'MEMBER']), since: z.string(), hours: z.number() }),
      edgeSet: ['role'],
      inbound: { orders: { gsi0: rank('role', { LEAD: 2, MEMBER: 1 }), bySince: date('since') }, project: ['since'], total: { hours: sum('hours') } },
    }),
    OWNED_BY: edge({ from: 'TICKET', to: 'TEAM', edgeSet: false }),
    IN_ORG: edge({ from: 'USER', to: 'TEAM', inbound: { orders: { gsi0: 'since' }, partition: 'org' } }),
  },
});
declare const store: Store;
const reader = createReader(graph, { store });
const writer = createWriter(graph, { store });
`;

const QUERY_MISTAKES = [
  "reader.inbound('USER-1', 'ASIGNED');",
  "reader.inbound('TEAM-1', 'OWNED_BY');",
  "reader.inbound('USER-1', 'ASSIGNED', { order: 'bySinc' });",
  "reader.inbound('USER-1', 'ASSIGNED', { atLeast: 'BOSS' });",
  "reader.inbound('USER-1', 'ASSIGNED', { limt: 10 });",
  "reader.inbound('USER-1', 'ASSIGNED', { where: { rol: 'LEAD' } });",
  "reader.inbound('USER-1', 'ASSIGNED', { where: { sinc: '2026' } });",
  "reader.inbound('USER-1', 'ASSIGNED', { where: { since: { beginWith: '2026' } } });",
  "reader.inbound('USER-1', 'ASSIGNED', { where: { since: { gte: 2026 } } });",
  "reader.inbound('USER-1', 'ASSIGNED', { where: { since: { not: { betwen: ['2026', '2027'] } } } });",
  "reader.search('USER.nam').equals('Ada');",
  "reader.search('TICKET.points').beginsWith('1');",
  "reader.search('TICKET.points').equals('many', {});",
  "reader.search('TICKET.status').equals('CLOSED');",
  "reader.search('TICKET.code').beginsWith('A');",
  "reader.inbound('TEAM-1', 'ASSIGNED');",
  "reader.inbound('TEAM-1', 'IN_ORG');",
  "reader.inbound('TEAM-1', 'IN_ORG', { limit: 5 });",
  "reader.inbound('TEAM-1', 'IN_ORG', { partition: 5 });",
  "reader.inbound('USER-1', 'ASSIGNED', { partition: 'a' });",
  "reader.inDegree('TEAM-1', 'IN_ORG');",
  "reader.inDegree('TEAM-1', 'ASSIGNED');",
  "reader.page('TEAM-1', 'IN_ORG', { with: [] });",
  "reader.page('USER-1', 'ASSIGNED', { with: ['ASIGNED'] });",
  "reader.page('USER-1', 'ASSIGNED', { with: [{ inbound: 'ASSIGNED' }] });",
  "reader.page('USER-1', 'ASSIGNED', { with: [{ edge: 'ASSIGNED', limit: 3 }] });",
  "reader.page('USER-1', 'ASSIGNED', { with: [{ edge: 'OWNED_BY', with: [{ inbound: 'IN_ORG' }] }] });",
  "reader.page('USER-1', 'ASSIGNED', { with: [{ edge: 'OWNED_BY', with: [{ inbound: 'IN_ORG', partition: 'a', order: 'bySinc' }] }] });",
  "reader.page('USER-1', 'ASSIGNED', { with: [{ edge: 'OWNED_BY', with: [{ inbuond: 'IN_ORG' }] }] });",
  "reader.getViews(['TIKET-1']);",
  "reader.getNode('TIKET-1');",
  "reader.getViews(['TICKET-1'], { consistnt: true });",
  "reader.edges('TICKET-1', 'ASIGNED');",
  "reader.edges('USER-1', 'ASSIGNED');",
  "reader.degree('USER-1', 'ASSIGNED');",
  "reader.total('TEAM-1', 'ASSIGNED');",
  "reader.total('USER-1', 'OWNED_BY');",
  "reader.has('TICKET-1', 'ASSIGNED', 'TEAM-1');",
  "reader.nodes('TICKET');",
  "writer.putNode('TICKET-1', { titel: 'Ship', status: 'OPEN' });",
  "writer.putNode('TICKET-1', { title: 'Ship', status: 'CLOSED' });",
  "writer.putEdge('TICKET-1', 'ASSIGNED', 'TEAM-1', { role: 'LEAD', since: 'x', hours: 1 });",
  "writer.updateNode('TICKET-1', { set: { titel: 'x' } });",
  "writer.updateNode('TICKET-1', { add: { title: 1 } });",
  "writer.updateNode('TIKET-1', { set: { title: 'x' } });",
  "writer.updateEdge('TICKET-1', 'ASSIGNED', 'USER-1', { set: { role: 'BOSS' } });",
  "writer.transact((t) => t.putNode('TICKET-1', { titel: 'x' }));",
];

describe.each([...COMPILERS])('the messages of %s', (name, compiler) => {
  it.each([
    ['a model', MODEL_HEAD, MODEL_MISTAKES],
    ['a query or a write', QUERY_HEAD, QUERY_MISTAKES],
  ])(`for a mistake in %s have at most ${MOST_CHARACTERS} characters`, async (what, head, mistakes) => {
    const messages = await messagesOf(compiler, head, mistakes);
    const long = messages.flat().filter(({ text }) => text.length > MOST_CHARACTERS);
    expect(long).toEqual([]);
    const lines = mistakes.flatMap((code, i) => [
      code,
      ...messages[i]!.map(({ at, text }) => `  at ${at}: ${text}`),
      '',
    ]);
    await expect(lines.join('\n')).toMatchFileSnapshot(`messages/${what.split(' ')[1]}-${name}.txt`);
    expect(messages.filter((list) => list.length === 0)).toEqual([]);
  });
});
