import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../../src/client/read/reader.ts';
import { type CursorBinding, decodeCursor, encodeCursor } from '../../../src/client/read/request/cursor.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../../src/core/model/schema.ts';
import { derivedOf } from '../../../src/core/plan/derive.ts';
import type { Store } from '../../../src/core/store-port.ts';
import { withoutRegistry } from '../../../src/registry/reader-lease.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { codePoints } from '../../support/texts.ts';

const binding: CursorBinding = {
  query: ['inbound', 'FOLLOWS-USER-1', 'gsi0', undefined, undefined, false],
  meaning: 'a1',
};
const refused = expect.objectContaining({ code: 'invalid-cursor', hint: expect.stringContaining('start again') });
const text = codePoints(1);

describe('a cursor', () => {
  it('gives back the key of any text, with and without a secret', () => {
    fc.assert(
      fc.property(text, fc.option(fc.string({ minLength: 1 }), { nil: undefined }), (key, secret) => {
        const cursor = encodeCursor(key, binding, secret);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(decodeCursor(cursor, binding, secret)).toBe(key);
      }),
    );
  });

  it('is refused after any change of a single character', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.constantFrom(...'Az09-_=+/ '), (key, place, replacement) => {
        const cursor = encodeCursor(key, binding);
        const at = place % cursor.length;
        fc.pre(cursor[at] !== replacement);
        const altered = cursor.slice(0, at) + replacement + cursor.slice(at + 1);
        expect(() => decodeCursor(altered, binding)).toThrow(refused);
      }),
    );
  });

  it.each([
    ['cut short', (cursor: string) => cursor.slice(0, -1)],
    ['padded', (cursor: string) => `${cursor}=`],
    ['with a space', (cursor: string) => `${cursor} `],
    ['empty', () => ''],
    ['without a key', (cursor: string) => cursor.slice(0, 33)],
    ['of another version', (cursor: string) => `Aw${cursor.slice(2)}`],
    ['no text', () => undefined as unknown as string],
  ])('is refused when %s', (_, alter) => {
    expect(() => decodeCursor(alter(encodeCursor('500-LEAD\u0000GOAL-1', binding)), binding)).toThrow(refused);
  });

  it('is refused by another query, and outdated where its order means something else', () => {
    const cursor = encodeCursor('500-LEAD\u0000GOAL-1', binding);
    expect(() => decodeCursor(cursor, { ...binding, query: ['inbound', 'FOLLOWS-USER-2'] })).toThrow(refused);
    expect(() => decodeCursor(cursor, { ...binding, meaning: 'b2' })).toThrow(
      expect.objectContaining({ code: 'cursor-outdated' }),
    );
  });

  it('is refused when unsigned, or signed with another secret, where a secret is set', () => {
    expect(() => decodeCursor(encodeCursor('key', binding), binding, 'secret')).toThrow(refused);
    expect(() => decodeCursor(encodeCursor('key', binding, 'other'), binding, 'secret')).toThrow(refused);
    expect(() => decodeCursor(encodeCursor('key', binding, 'secret'), binding)).toThrow(refused);
    const bytes = new TextEncoder().encode('secret');
    expect(decodeCursor(encodeCursor('key', binding, bytes), binding, 'secret')).toBe('key');
  });
});

describe('a cursor of one table', () => {
  function readerOf(table: string) {
    const graph = defineGraph({
      table,
      nodes: { USER: node({ view: 'ALL', search: { name: 'name' }, list: true }), TICKET: node({ view: 'ALL' }) },
      edges: { ASSIGNED: edge({ from: 'TICKET', to: 'USER', inbound: { orders: { gsi0: 'since' } } }) },
    });
    const store = new MemoryStore(graph.table, {});
    return { graph, store, reader: createReader(graph, { store: store as Store, leases: withoutRegistry(graph) }) };
  }

  it.each([
    ['inbound', (reader, cursor) => reader.inbound('USER-1', 'ASSIGNED', { limit: 1, cursor })],
    ['search', (reader, cursor) => reader.search('USER.name').find({}, { limit: 1, cursor })],
    ['nodes', (reader, cursor) => reader.nodes('USER', { limit: 1, cursor })],
    ['edges', (reader, cursor) => reader.edges('TICKET-1', 'ASSIGNED', { limit: 1, cursor })],
    ['collection', (reader, cursor) => reader.getCollection('TICKET-1', { limit: 1, cursor })],
  ] as [string, (reader: ReturnType<typeof readerOf>['reader'], cursor?: string) => Promise<{ cursor?: string }>][])(
    'is refused in another one, by %s',
    async (_, read) => {
      const { graph, store, reader } = readerOf('first');
      const put = async (source: string, target: string, attributes: Item = {}): Promise<void> => {
        const item: Item = { source: { S: source }, target: { S: target }, ...attributes };
        await store.put(item);
        const { indexItems } = derivedOf(graph, source, target, item, undefined);
        for (const [key, fields] of indexItems)
          await store.put({ source: { S: source }, target: { S: key }, r: { N: '1' }, ...(fields as Item) });
      };
      for (const i of ['1', '2']) {
        await put(`USER-${i}`, `USER-${i}`, { name: { S: 'Ann' } });
        await put(`TICKET-${i}`, 'ASSIGNED-USER-1', { since: { S: 'now' } });
        await put('TICKET-1', `ASSIGNED-USER-${i}`, { since: { S: 'now' } });
      }
      const { cursor } = await read(reader);
      expect(cursor).toBeDefined();
      await expect(read(reader, cursor)).resolves.toBeDefined();
      await expect(read(readerOf('second').reader, cursor)).rejects.toThrow(refused);
    },
  );
});
