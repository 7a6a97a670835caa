import { Database } from 'node-sqlite3-wasm';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { createSources, type Sources } from '../../src/sources/create-sources.ts';
import { mappedEdge, mappedNode } from '../../src/sources/items.ts';
import { defineSource, type SourceItem } from '../../src/sources/source.ts';
import { howTo } from '../support/how-to.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** A relational database as a source, as docs/how-to/adopting.md has it: SQLite, by an outbox and by polling. */

const SCHEMA = `
  CREATE TABLE orders (id TEXT PRIMARY KEY, customer TEXT, status TEXT, changed INTEGER);
  CREATE TABLE outbox (n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT);
  CREATE TRIGGER put AFTER INSERT ON orders BEGIN INSERT INTO outbox (id) VALUES (new.id); END;
  CREATE TRIGGER change AFTER UPDATE ON orders BEGIN INSERT INTO outbox (id) VALUES (old.id), (new.id); END;
  CREATE TRIGGER remove AFTER DELETE ON orders BEGIN INSERT INTO outbox (id) VALUES (old.id); END;
`;

async function shop() {
  const ours = await testTable(
    defineGraph({
      table: uniqueTableName(),
      nodes: { ORDER: node({ view: 'ALL' }), CUSTOMER: node({ view: 'ALL' }) },
      edges: { OF: edge({ from: 'ORDER', to: 'CUSTOMER', inbound: { orders: { gsi0: 'status' }, project: 'ALL' } }) },
      mirrored: ['ORDER', 'OF'],
    }),
  );
  const db = new Database();
  db.exec(SCHEMA);
  const sources = createSources(ours.graph, {
    sources: [
      defineSource('orders', {
        read: (id) => db.prepare('SELECT * FROM orders WHERE id = ?').get(id) as SourceItem | null,
        keys: (after = '') =>
          (db.prepare('SELECT id FROM orders WHERE id > ? ORDER BY id').all(after) as { id: string }[]).map(
            ({ id }) => id,
          ),
        map: ({ id, customer, status }) => [
          mappedNode(`ORDER-${id}`, { status }),
          mappedEdge(`ORDER-${id}`, 'OF', `CUSTOMER-${customer}`, { status }),
        ],
      }),
    ],
    store: ours.store,
    wait: async () => undefined,
  });
  const reader = createReader(ours.graph, { store: ours.store });
  const ordersOf = async (customer: string): Promise<string[]> => {
    while ((await ours.projectAll()).records > 0);
    const { items } = await reader.inbound(`CUSTOMER-${customer}`, 'OF');
    return items.map(({ source, attributes }) => `${source} ${(attributes as SourceItem)['status']}`);
  };
  const put = (id: string, customer: string, status: string, changed = 0) =>
    db.prepare('INSERT OR REPLACE INTO orders VALUES (?, ?, ?, ?)').run([id, customer, status, changed]);
  return { db, sources, ordersOf, put };
}

/** Works off the outbox as the page prints it. */
const [, OUTBOX] = /an outbox, a database trigger.*?```ts\n(.*?)```/ms.exec(howTo(['adopting']))!;
const runOutbox: (db: Database, touch: Sources['touch']) => Promise<void> = new Function(
  ...['db', 'touch', `return (async () => { ${OUTBOX} })();`],
) as never;

describe('a relational database as a source', () => {
  it('is followed by an outbox, whatever order and however often its notes are worked off', async () => {
    const { db, sources, ordersOf, put } = await shop();
    const workOff = () => runOutbox(db, sources.touch);
    put('1', 'ada', 'open');
    put('2', 'ada', 'open');
    await workOff();
    expect(await ordersOf('ada')).toEqual(['ORDER-1 open', 'ORDER-2 open']);
    db.exec("UPDATE orders SET status = 'sent' WHERE id = '1'");
    db.exec("UPDATE orders SET customer = 'bob' WHERE id = '2'");
    put('3', 'ada', 'open');
    db.exec("DELETE FROM orders WHERE id = '3'");
    await sources.touch('orders', ['2', '2', '1']);
    await workOff();
    await workOff();
    expect(await ordersOf('ada')).toEqual(['ORDER-1 sent']);
    expect(await ordersOf('bob')).toEqual(['ORDER-2 open']);
    expect(await sources.sync('orders', { dryRun: true })).toMatchObject({ items: 2, made: 4, differences: [] });
  });

  it('is followed by an outbox in which a note with a lower number is committed later, and by an empty one', async () => {
    const { db, sources, ordersOf, put } = await shop();
    await runOutbox(db, sources.touch);
    put('1', 'ada', 'open');
    await runOutbox(db, async (...touched) => {
      await sources.touch(...touched);
      db.exec("UPDATE orders SET status = 'sent' WHERE id = '1'");
      db.exec('UPDATE outbox SET n = n - 10 WHERE n > 1');
    });
    await runOutbox(db, sources.touch);
    expect(await ordersOf('ada')).toEqual(['ORDER-1 sent']);
    expect(db.prepare('SELECT n FROM outbox').all()).toEqual([]);
  });

  it('is followed by polling, and a sync finds deletions', async () => {
    const { db, sources, ordersOf, put } = await shop();
    let polled = 0;
    const poll = async (now: number): Promise<void> => {
      const rows = db.prepare('SELECT id FROM orders WHERE changed >= ?').all(polled - 5) as { id: string }[];
      await sources.touch(
        'orders',
        rows.map(({ id }) => id),
      );
      polled = now;
    };
    put('1', 'ada', 'open', 10);
    put('2', 'ada', 'open', 12);
    await poll(15);
    put('1', 'ada', 'sent', 14);
    await poll(30);
    expect(await ordersOf('ada')).toEqual(['ORDER-2 open', 'ORDER-1 sent']);
    db.exec("DELETE FROM orders WHERE id = '2'");
    await poll(45);
    const { differences } = await sources.sync('orders', { dryRun: true });
    expect(differences.map(({ kind, key }) => [kind, key])).toEqual([
      ['stray', '2'],
      ['stray', '2'],
    ]);
    await sources.sync('orders');
    expect(await ordersOf('ada')).toEqual(['ORDER-1 sent']);
  });
});
