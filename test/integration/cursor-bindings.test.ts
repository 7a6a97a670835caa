import { beforeAll, describe, expect, it } from 'vitest';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, number, rank, source } from '../../src/core/model/schema.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** A cursor of one question is refused by every other question, of whatever kind of list: a page of another question would skip rows. */

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    TASK: node({
      list: true,
      view: 'ALL',
      search: {
        code: { native: true, project: ['size'] },
        size: { native: true, type: 'number' },
        title: { shards: 1, caseInsensitive: true, project: ['size'] },
        note: { shards: 'value' },
        tags: { multiValue: true, shards: 2 },
        place: { path: ['state', 'city'], partition: 'country', shards: 1 },
        due: { type: 'date', shards: 1 },
      },
    }),
    USER: node({ view: 'ALL' }),
  },
  edges: {
    LOAN: edge({
      from: 'TASK',
      to: 'USER',
      inbound: { native: true, orders: { byDay: 'day', byFine: number('fine') }, project: ['size'] },
    }),
    WORK: edge({
      from: 'TASK',
      to: 'USER',
      edgeSet: ['role', 'day'],
      inbound: {
        orders: { byRole: rank('role', { LEAD: 2, HELPER: 1 }), byDate: date('day'), bySize: [source('kind'), 'day'] },
        project: ['size'],
      },
    }),
    HELP: edge({ from: 'TASK', to: 'USER', inbound: { orders: { byDay: 'day' }, partition: 'team' } }),
  },
});

/** Without types, so that one table names all questions. */
interface AnyReader {
  [method: string]: (...args: unknown[]) => Promise<{ items: unknown[]; cursor?: string }>;
}
type Ask = (
  reader: AnyReader,
  page: { limit?: number; cursor?: string },
) => Promise<{ items: unknown[]; cursor?: string }>;

const searched =
  (name: string, predicate: object, options: object = {}): Ask =>
  async (reader, page) =>
    await (reader.search!(name) as unknown as AnyReader).find!(predicate, { ...options, ...page });
const listed =
  (method: 'inbound' | 'page', type: string, options: object = {}, target = 'USER-1'): Ask =>
  (reader, page) =>
    reader[method]!(target, type, { ...options, ...page });

/** Questions of every kind; two with one name ask the same in other words. */
const QUESTIONS: readonly [name: string, ask: Ask][] = [
  ...(['a', 'b'] as const).flatMap((value): [string, Ask][] => [
    [`code ${value}`, searched('TASK.code', { equals: value })],
    [`code ${value} in reverse`, searched('TASK.code', { equals: value }, { reverse: true })],
    [`code ${value} of size 1`, searched('TASK.code', { equals: value }, { where: { size: 1 } })],
    [`code ${value} of size 1`, searched('TASK.code', { equals: value }, { where: { size: { equals: 1n } } })],
    [`code ${value} with what is over`, searched('TASK.code', { equals: value }, { includeExpired: true })],
    [`note ${value}`, searched('TASK.note', { equals: value })],
    [`note ${value}`, searched('TASK.note', { equals: value }, { reverse: false, maxRcu: 7 })],
    [`long note ${value}`, searched('TASK.note', { equals: value.repeat(3_000) })],
    [`title ${value}`, searched('TASK.title', { equals: value })],
    [`title from ${value}`, searched('TASK.title', { beginsWith: value })],
    [`title between ${value} and x`, searched('TASK.title', { between: [value, 'x'] })],
    [`title between null and ${value}`, searched('TASK.title', { between: [null, value] })],
    [`title between null and ${value}`, searched('TASK.title', { between: [undefined, value] })],
    [`tags ${value}`, searched('TASK.tags', { equals: value })],
    [`place ${value}`, searched('TASK.place', { path: [value] }, { partition: 'US' })],
    [`place ${value} of another country`, searched('TASK.place', { path: [value] }, { partition: 'CH' })],
    [
      `place ${value}, beginning with c`,
      searched('TASK.place', { path: [value], beginsWith: 'c' }, { partition: 'US' }),
    ],
    [`days of team ${value}`, listed('inbound', 'HELP', { partition: value })],
    [`loans of ${value}`, listed('inbound', 'LOAN', {}, `USER-${value}`)],
  ]),
  ...(['1', '2'] as const).flatMap((value): [string, Ask][] => [
    [`size ${value}`, searched('TASK.size', { equals: Number(value) })],
    [`size ${value}`, searched('TASK.size', { equals: BigInt(value) })],
    [`due from 2026-01-0${value}`, searched('TASK.due', { between: [`2026-01-0${value}`, null] })],
    [`loans at 2026-01-0${value}`, listed('inbound', 'LOAN', { equals: `2026-01-0${value}` })],
    [`loans at least 2026-01-0${value}`, listed('inbound', 'LOAN', { atLeast: `2026-01-0${value}` })],
    [`loans from 2026-01-0${value}`, listed('inbound', 'LOAN', { beginsWith: `2026-01-0${value}` })],
    [`loans by fine from ${value}`, listed('inbound', 'LOAN', { order: 'byFine', atLeast: Number(value) })],
    [`work by size ${value}`, listed('inbound', 'WORK', { order: 'bySize', path: [`k${value}`] })],
    [`page of loans at 2026-01-0${value}`, listed('page', 'LOAN', { equals: `2026-01-0${value}` })],
  ]),
  ['loans', listed('inbound', 'LOAN')],
  ['loans', listed('inbound', 'LOAN', { order: 'byDay', capacity: true })],
  ['loans in reverse', listed('inbound', 'LOAN', { reverse: true })],
  ['loans by fine', listed('inbound', 'LOAN', { order: 'byFine' })],
  ['work', listed('inbound', 'WORK')],
  ['work of leads', listed('inbound', 'WORK', { equals: 'LEAD' })],
  ['work of helpers and above', listed('inbound', 'WORK', { atLeast: 'HELPER' })],
  ['work by date', listed('inbound', 'WORK', { order: 'byDate' })],
  ['page of work', listed('page', 'WORK')],
  ['page of work alone', listed('page', 'WORK', { with: [] })],
  ['page of work with work', listed('page', 'WORK', { with: ['WORK'] })],
  ['page of work with leads', listed('page', 'WORK', { with: ['WORK:LEAD'] })],
  ['page of work with what is false', listed('page', 'WORK', { with: [{ type: 'WORK', label: false }] })],
  ['all tasks', (reader, page) => reader.nodes!('TASK', page)],
  ['all tasks in reverse', (reader, page) => reader.nodes!('TASK', { ...page, reverse: true })],
  ['edges', (reader, page) => reader.edges!('TASK-1', undefined, page)],
  ['edges with what is over', (reader, page) => reader.edges!('TASK-1', undefined, { ...page, includeExpired: true })],
  ['loans of a task', (reader, page) => reader.edges!('TASK-1', 'LOAN', page)],
  ['loans of another task', (reader, page) => reader.edges!('TASK-2', 'LOAN', page)],
  ['a collection', (reader, page) => reader.getCollection!('TASK-1', page)],
  ['a collection of loans', (reader, page) => reader.getCollection!('TASK-1', { ...page, types: ['LOAN'] })],
  [
    'a collection of loans and work',
    (reader, page) => reader.getCollection!('TASK-1', { ...page, types: ['LOAN', 'WORK'] }),
  ],
  [
    'a collection of loans and work',
    (reader, page) => reader.getCollection!('TASK-1', { ...page, types: ['WORK', 'LOAN'] }),
  ],
];

describe('a cursor', () => {
  let reader: AnyReader;

  beforeAll(async () => {
    const table = await openTable(graph);
    const { writer } = table;
    for (const user of ['USER-1', 'USER-a', 'USER-b'] as const) await writer.putNode(user, {});
    let id = 0;
    // Two nodes with each value, so that each question has a second page.
    for (const text of ['a', 'a', 'b', 'b']) {
      for (const note of [text, text.repeat(3_000)]) {
        for (const size of [1, 1, 2, 2]) {
          id += 1;
          const task = `TASK-${id}` as const;
          const place = { state: text, city: 'c', country: id % 4 < 2 ? 'US' : 'CH' };
          const day = `2026-01-0${size}`;
          await writer.putNode(task, {
            code: text,
            size,
            title: text,
            note,
            tags: [text],
            due: day,
            kind: `k${size}`,
            ...place,
          });
          for (const user of ['USER-1', 'USER-a', 'USER-b'] as const)
            await writer.putEdge(task, 'LOAN', user, { day, fine: size, size });
          const role = id % 2 === 0 ? 'LEAD' : 'HELPER';
          for (const user of ['USER-1', 'USER-a'] as const)
            await writer.putEdge(task, 'WORK', user, { day, role, size });
          await writer.putEdge(task, 'HELP', 'USER-1', { day, team: text });
        }
      }
    }
    await table.projectAll();
    reader = table.reader as unknown as AnyReader;
  });

  it('goes on in its own question alone, in whatever words that is asked', async () => {
    const cursors = new Map<string, string>();
    for (const [name, ask] of QUESTIONS) {
      const { cursor } = await ask(reader, { limit: 1 });
      expect(cursor, name).toBeDefined();
      cursors.set(name, cursor!);
    }
    for (const [name, ask] of QUESTIONS) {
      for (const [other, cursor] of cursors) {
        const answer = ask(reader, { limit: 2, cursor });
        if (other === name) await expect(answer, name).resolves.toBeDefined();
        else await expect(answer, `${other}, in ${name}`).rejects.toMatchObject({ code: 'invalid-cursor' });
      }
    }
  });
});
