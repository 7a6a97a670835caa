import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DeleteItemCommand, type DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { InvalidBatchError } from '../../src/client/write/batch.ts';
import { importFile } from '../../src/client/write/import.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { ExactNumber, toPlainItem } from '../../src/core/items/plain.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import { testTable } from '../support/table.ts';
import { goals, writerTable } from '../support/writer.ts';

describe('single operations', () => {
  it('makes exactly one PutItem or DeleteItem each, and says what it cost', async () => {
    const { writer, commands, get } = await writerTable();
    const asked = { capacity: true };
    const capacity = { rcu: 0, wcu: 1 };
    expect(await writer.putNode('GOAL-G1', { title: 'Run' }, asked)).toEqual({ capacity });
    expect(await writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD' })).toEqual({});
    expect(commands).toEqual(['PutItemCommand', 'PutItemCommand']);
    expect(await get('GOAL-G1', 'GOALMEMBERSHIP-USER-U1')).toMatchObject({ memberRole: { S: 'LEAD' } });
    commands.length = 0;
    expect(await writer.deleteEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', asked)).toEqual({ capacity });
    await writer.deleteNode('GOAL-G1');
    await writer.deleteNode('GOAL-G1');
    expect(commands).toEqual(['DeleteItemCommand', 'DeleteItemCommand', 'DeleteItemCommand']);
    expect(await get('GOAL-G1', 'GOAL-G1')).toBeUndefined();
  });

  it('does not cascade when a node is deleted', async () => {
    const { writer, get } = await writerTable();
    await writer.putEdge('USER-U1', 'FOLLOWS', 'USER-U2');
    await writer.deleteNode('USER-U1');
    expect(await get('USER-U1', 'FOLLOWS-USER-U2')).toBeDefined();
  });

  it('gives values back as they were written', async () => {
    const { writer, get } = await writerTable();
    const attributes = {
      empty: '',
      text: 'Grüße 👋🏽\u0000',
      number: 0.1,
      digits: new ExactNumber('12345678901234567890123456789012345678'),
      bytes: new Uint8Array([0, 1, 255]),
      texts: new Set(['a', '']),
      numbers: new Set([1, 2.5]),
      list: [true, null, [], {}],
      constructor: 'not a function',
      map: JSON.parse('{"__proto__": {"x": "y"}, "constructor": 1}') as unknown,
    };
    await writer.putNode('USER-U1', attributes);
    const stored = toPlainItem((await get('USER-U1', 'USER-U1'))!);
    expect(stored).toEqual({ ...attributes, source: 'USER-U1', target: 'USER-U1' });
    expect(Object.entries(stored['map'] as object).sort()).toEqual(Object.entries(attributes.map as object).sort());
  });

  it.each([
    'USER-a-b--c',
    'USER-#',
    'USER-a/b#c~d|e%f',
    'USER-👍🏽 ok',
    'USER-constructor',
    'USER-__proto__',
    'USER-~view',
    'USER- ',
  ])('gives the id %s back, as a node and as the end of an edge', async (id) => {
    const { openWriter, store, projectAll } = await writerTable();
    await openWriter.putNode(id, { name: id });
    await openWriter.putEdge(id, 'FOLLOWS', id, { since: '2020' });
    expect(await projectAll()).toMatchObject({ quarantined: 0 });
    const { item } = await store.get({ source: id, target: '~view' }, { consistent: true });
    expect(item).toMatchObject({ attributes: { M: { name: { S: id } } } });
    expect(await openWriter.deleteNodeWithEdges(id)).toMatchObject({ nodes: 1, edges: 1 });
  });

  it('imports a gzip file, and refuses a line whose binary data is not base64', async () => {
    const { get, graph, store } = await writerTable();
    const folder = await mkdtemp(join(tmpdir(), 'edgeloom-import-'));
    try {
      const file = join(folder, 'items.jsonl');
      const line = (id: string, photo: string) =>
        `${JSON.stringify({ source: { S: id }, target: { S: id }, photo: { B: photo } })}\n`;
      await writeFile(file, gzipSync(line('USER-U1', 'AQI=') + line('USER-U2', '')));
      expect(await importFile(graph, { store, file, format: 'dynamodb' })).toMatchObject({ items: 2, skipped: 0 });
      expect(await get('USER-U1', 'USER-U1')).toMatchObject({ photo: { B: new Uint8Array([1, 2]) } });
      await writeFile(file, ['***', 'A_-8', 'AQI'].map((photo, i) => line(`USER-X${i}`, photo)).join(''));
      const refused = importFile(graph, { store, file, format: 'dynamodb' });
      await expect(refused).rejects.toThrow('3 lines are bad; nothing was written.');
      await expect(refused).rejects.toThrow('line 2: attribute photo should be base64 with padding, but is "A_-8"');
      await writeFile(file, Buffer.from(`${line('USER-X4', 'AQI=')}{"name":"Zo\xe9"}\n`, 'latin1'));
      await expect(importFile(graph, { store, file, format: 'dynamodb' })).rejects.toMatchObject({
        message: expect.stringContaining('line 2: is not UTF-8'),
        hint: expect.stringContaining('Save the file as UTF-8.'),
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('makes no call where an operation is refused', async () => {
    const { openWriter: writer, commands } = await writerTable();
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const SIZE = 'bytes, most of them in attribute "text"; DynamoDB allows 409600 (400 KB)';
    const refusals: [Promise<unknown>, string, string][] = [
      [writer.putNode('USER-U1', { text: 'x'.repeat(401 * 1024) }), 'item-too-large', SIZE],
      [writer.putNode('USER-U1', { addresses: ['a', 'b', 'c', 'd'] }), 'too-many-entries', 'has 4 entries'],
      [writer.putNode('USER-U1', circular), 'invalid-attribute', 'attribute self.self'],
      [writer.putNode('USER-U1', { target: 'x' }), 'invalid-attribute', 'attribute target has the name of a key'],
      [writer.putNode('GOAL-G1', { title: 5 }), 'invalid-attribute', 'attribute title'],
      [writer.putNode('STORE-S1'), 'unknown-type', '"STORE"'],
      [writer.putNode('~view'), 'invalid-key', '"~view" begins with ~'],
      [writer.putEdge('GOAL-G1', 'KNOWS', 'USER-U1'), 'unknown-type', '"KNOWS"'],
      [writer.putEdge('USER-U1', 'FOLLOWS', 'GOAL-G1'), 'invalid-edge', 'enters USER, not GOAL'],
      [writer.putEdge('USER-U1', 'FOLLOWS-USER', 'USER-U2'), 'unknown-type', '"FOLLOWS-USER"'],
      [writer.deleteEdge('USER-U1', 'FOLLOWS', ''), 'invalid-key', 'The target of edge "USER-U1" FOLLOWS'],
      [writer.deleteNode('~view'), 'invalid-key', '"~view" begins with ~'],
      [writer.deleteNodeWithEdges('USER'), 'invalid-id', '"USER"'],
    ];
    for (const [call, code, part] of refusals) {
      const error = (await call.catch((reason: unknown) => reason)) as EdgeloomError;
      expect(error).toBeInstanceOf(EdgeloomError);
      expect(error.code).toBe(code);
      expect(error.message).toContain(part);
    }
    expect(commands).toEqual([]);
  });
});

describe('batch', () => {
  it('writes 25 items a call; of a key that repeats the last operation wins', async () => {
    const { writer, commands, get } = await writerTable();
    await writer.putNode('USER-gone');
    commands.length = 0;
    const result = await writer.batch(
      (batch) => {
        for (let i = 0; i < 58; i++) batch.putEdge('USER-U1', 'FOLLOWS', `USER-${i}`, { since: String(i) });
        batch.putEdge('USER-U1', 'FOLLOWS', 'USER-7', { since: 'again' });
        batch.putEdge('USER-U1', 'FOLLOWS', 'USER-8');
        batch.deleteEdge('USER-U1', 'FOLLOWS', 'USER-8');
        batch.putNode('GOAL-G1', { title: 'Run' });
        batch.deleteNode('USER-gone');
      },
      { capacity: true },
    );
    expect(result).toMatchObject({ items: 60, calls: 3 });
    expect(result.capacity!.wcu).toBeGreaterThanOrEqual(59);
    expect(commands).toEqual(['BatchWriteItemCommand', 'BatchWriteItemCommand', 'BatchWriteItemCommand']);
    expect(await get('USER-U1', 'FOLLOWS-USER-7')).toMatchObject({ since: { S: 'again' } });
    expect(await get('USER-U1', 'FOLLOWS-USER-8')).toBeUndefined();
    expect(await get('USER-U1', 'FOLLOWS-USER-57')).toMatchObject({ since: { S: '57' } });
    expect(await get('GOAL-G1', 'GOAL-G1')).toMatchObject({ status: { S: 'OPEN' } });
    expect(await get('USER-gone', 'USER-gone')).toBeUndefined();
  });

  it('writes nothing and lists every bad operation where one is bad', async () => {
    const { openWriter: writer, commands } = await writerTable();
    const failure = writer.batch(async (batch) => {
      batch.putNode('USER-U1', { name: 'Ada' });
      batch.putNode('GOAL-G1', { title: 5 });
      batch.deleteNode('USER-U2');
      await Promise.resolve();
      batch.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'BOSS' });
    });
    await expect(failure).rejects.toThrow(InvalidBatchError);
    const error = (await failure.catch((reason: unknown) => reason)) as InvalidBatchError;
    expect(error.code).toBe('invalid-attribute');
    expect(error.problems.map(({ position }) => position)).toEqual([2, 4]);
    expect(error.message).toContain('2 of the 4 operations');
    expect(error.message).toContain('operation 2: Node "GOAL-G1": attribute title');
    expect(error.message).toContain('operation 4: Edge "GOAL-G1" "GOALMEMBERSHIP-USER-U1": attribute memberRole');
    expect(commands).toEqual([]);
  });

  it('makes no call for an empty batch', async () => {
    const { writer, commands } = await writerTable();
    expect(await writer.batch(() => undefined)).toEqual({ items: 0, calls: 0 });
    expect(commands).toEqual([]);
  });
});

it('projects items written with the bare SDK just as those of the writer', async () => {
  const written = await writerTable();
  const { writer } = written;
  await writer.putNode('GOAL-G1', { title: 'Run', status: 'OPEN' });
  await writer.putNode('USER-U1', { name: 'Ada', age: 36, tags: new Set(['a', 'b']) });
  await writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'CONTRIBUTOR', date: '2020-07-01' });
  await writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U2', { memberRole: 'LEAD' });
  await written.projectAll();
  await writer.putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD', date: '2020-07-02' });
  await writer.deleteEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U2');
  await writer.deleteNode('USER-U1');
  await written.projectAll();

  const bare = await testTable(goals());
  const TableName = bare.graph.table.name;
  const put = (Item: Item) =>
    bare.client.send(new PutItemCommand({ TableName, Item: Item as PutItemCommand['input']['Item'] }));
  const remove = (source: string, target: string) =>
    bare.client.send(new DeleteItemCommand({ TableName, Key: { source: { S: source }, target: { S: target } } }));
  const goal = { S: 'GOAL-G1' };
  const ada = { S: 'USER-U1' };
  await put({ source: goal, target: goal, title: { S: 'Run' }, status: { S: 'OPEN' } });
  await put({ source: ada, target: ada, name: { S: 'Ada' }, age: { N: '36' }, tags: { SS: ['a', 'b'] } });
  const membership = { source: goal, target: { S: 'GOALMEMBERSHIP-USER-U1' } };
  await put({ ...membership, memberRole: { S: 'CONTRIBUTOR' }, date: { S: '2020-07-01' } });
  await put({ source: goal, target: { S: 'GOALMEMBERSHIP-USER-U2' }, memberRole: { S: 'LEAD' } });
  await bare.projectAll();
  await put({ ...membership, memberRole: { S: 'LEAD' }, date: { S: '2020-07-02' } });
  await remove('GOAL-G1', 'GOALMEMBERSHIP-USER-U2');
  await remove('USER-U1', 'USER-U1');
  await bare.projectAll();

  const items = await allItems(bare);
  expect(items).toEqual(await allItems(written));
  expect(items.map(({ target }) => target)).toContainEqual({ S: '~view' });
  expect(items.some(({ tombstone }) => tombstone)).toBe(true);
});

/** Every item of a table by key, without what depends on the stream and the clock. */
async function allItems({ client, graph }: { client: DynamoDBClient; graph: CompiledModel }) {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: graph.table.name, ConsistentRead: true }));
  const keyText = ({ source, target }: Record<string, unknown>) => JSON.stringify([source, target]);
  return Items.map(
    ({ w, expiresAt, ...item }) => ({ ...item, tombstone: expiresAt !== undefined }) as Record<string, unknown>,
  ).sort((left, right) => keyText(left).localeCompare(keyText(right)));
}
