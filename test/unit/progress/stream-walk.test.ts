import { expect, it } from 'vitest';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import { saveAppliedPlace } from '../../../src/stream/progress/applied-places.ts';
import type { Claim } from '../../../src/stream/progress/claims.ts';
import { claimsItem } from '../../../src/stream/progress/claims.ts';
import { LowWatermarkMover } from '../../../src/stream/progress/low-watermark-mover.ts';
import { streamPosition } from '../../../src/stream/progress/stream-position.ts';
import { StreamWalk } from '../../../src/stream/progress/stream-walk.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { MemoryStream } from '../../support/memory-stream.ts';

const graph = defineGraph({ table: 'records', nodes: { USER: node({ view: 'ALL' }) } });
const NOW = 1_800_000_000_000;

async function walked() {
  const store = new MemoryStore(graph.table);
  const source = new MemoryStream(NOW);
  const walk = new StreamWalk({ graph, store, source, now: () => NOW });
  const stream = '2026-01-01T00:00:00.000';
  const claim = (claims: Claim[], id: string) =>
    store.put(
      claimsItem(
        graph.table,
        id,
        claims.map((one) => ({ ...one, stream })),
        NOW - 50_000,
      ),
    );
  return { store, source, walk, claim };
}

it('a look at a thousand shards with a hundred functions costs what is new, and reads 32 of them at once', async () => {
  const { source, walk, claim } = await walked();
  const SHARDS = 1_000;
  for (let shard = 0; shard < SHARDS; shard++) source.add(`s${shard}`, [shard * 10 + 1, shard * 10 + 2]);
  for (let id = 0; id < 100; id++) {
    const own = Array.from({ length: SHARDS / 100 }, (_, i) => (id + i * 100) * 10 + 1);
    await claim(
      own.map((first) => ({ first: `${first}`, last: `${first + 1}`, records: 2 })),
      `f${id}`,
    );
  }
  expect((await walk.look()).upToMs).toBe(NOW);
  expect(source.iterators).toBe(SHARDS);
  expect(source.reads).toBe(3 * SHARDS);
  expect(source.mostAtOnce).toBe(32);
  expect((await walk.look()).upToMs).toBe(NOW);
  // Two empty pages of each, from where the look before has ended.
  expect([source.iterators, source.reads]).toEqual([SHARDS, 5 * SHARDS]);
});

it('the open records of many shards are compared 32 at once, and their marks are saved 32 at once', async () => {
  const { store, source, claim } = await walked();
  const SHARDS = 200;
  for (let shard = 0; shard < SHARDS; shard++) source.add(`s${shard}`, [shard * 10 + 1, shard * 10 + 2]);
  // Of each shard one record is claimed and one is open.
  const firsts = Array.from({ length: SHARDS }, (_, shard) => `${shard * 10 + 1}`);
  await claim(
    firsts.map((first) => ({ first, last: first, records: 1 })),
    'f',
  );
  const counted = () => {
    let [atOnce, most, all] = [0, 0, 0];
    const count = async <T>(run: () => Promise<T>): Promise<T> => {
      all += 1;
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      const result = await run();
      atOnce -= 1;
      return result;
    };
    return { count, seen: () => ({ most, all }) };
  };
  const compared = counted();
  const context = { store, source, now: () => NOW };
  const { shards } = await streamPosition(graph, { ...context, isProjected: () => compared.count(async () => true) });
  expect(shards.every(({ isCertain }) => isCertain)).toBe(true);
  expect(compared.seen()).toEqual({ most: 32, all: SHARDS });

  const saved = counted();
  const counting = new Proxy(store, {
    get: (target, name) =>
      name === 'put' ? (item: Item) => saved.count(() => target.put(item)) : Reflect.get(target, name).bind(target),
  });
  await new LowWatermarkMover({ ...context, graph, store: counting }).advance(0);
  expect(saved.seen()).toEqual({ most: 32, all: SHARDS });

  // A comparison that fails ends the look: those that wait for their turn are not made.
  const failing = counted();
  const refused = streamPosition(graph, {
    ...context,
    isProjected: () =>
      failing.count(async () => {
        throw new Error('no');
      }),
  });
  await expect(refused).rejects.toThrow('no');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(failing.seen().all).toBeLessThan(2 * 32);
});

it('the mark waits until it is known what a closed shard goes on in', async () => {
  const { source, walk, claim } = await walked();
  source.add('parent', [1, 2]);
  await claim([{ first: '1', last: '2', records: 2 }], 'f');
  expect((await walk.look()).upToMs).toBe(NOW);
  source.shards[0]!.isClosed = true;
  const before = await walk.look();
  expect(before.upToMs).toBe(NOW);
  source.add('child', [7], 'parent');
  // The child's record is claimed by nobody.
  expect((await walk.look()).upToMs).toBe(NOW - 100_000);
  await claim([{ first: '7', last: '7', records: 1 }], 'g');
  expect((await walk.look()).upToMs).toBe(NOW);
});

it('a walk that begins with a closed shard whose children are not listed knows no mark', async () => {
  const { source, walk, claim } = await walked();
  source.add('parent', [1]);
  source.shards[0]!.isClosed = true;
  await claim([{ first: '1', last: '1', records: 1 }], 'f');
  expect((await walk.look()).upToMs).toBeUndefined();
  // Nothing follows where the stream has ended.
  source.status = 'DISABLED';
  expect((await walk.look()).upToMs).toBe(NOW);
});

it('goes on from the marks that the table has', async () => {
  const { store, source, walk } = await walked();
  source.add('s', [1, 2, 3]);
  await saveAppliedPlace({ graph, store, source, now: () => NOW }, 's', '2');
  // One of an earlier stream, whose shard has the same name.
  const earlier = { streamArn: source.streamArn.replace('/2026-', '/2025-') };
  source.add('t', [4]);
  await saveAppliedPlace({ graph, store, source: earlier, now: () => NOW }, 't', '4');
  const { shards } = await walk.look();
  expect(shards[0]).toMatchObject({ open: [{ sequenceNumber: '3' }], free: [{ start: 0, end: 1 }], appliedUpTo: '2' });
  expect(shards[0]!.isWhole).toBe(true);
  expect(shards[1]).toMatchObject({ open: [{ sequenceNumber: '4' }], appliedUpTo: undefined });
});

it('gives no mark of a new stream while the one before may have records', async () => {
  const store = new MemoryStore(graph.table);
  let nowMs = NOW;
  const moverOf = (source: MemoryStream): LowWatermarkMover =>
    new LowWatermarkMover({ graph, store, source, now: () => nowMs });
  const before = new MemoryStream(NOW);
  expect(await moverOf(before).advance(0)).toBe(NOW);
  const source = new MemoryStream(NOW);
  Object.assign(source, { streamArn: before.streamArn.replace('2026-01-01', '2026-01-02') });
  nowMs += 60_000;
  for (const mover of [moverOf(source), moverOf(source)]) {
    expect(await mover.advance(0)).toBeUndefined();
    nowMs += 60_000;
  }
  nowMs += 25 * 3_600_000;
  expect(await moverOf(source).advance(0)).toBe(nowMs);
});

it('gives no mark of a stream that is switched off: the table may have another', async () => {
  const store = new MemoryStore(graph.table);
  const source = new MemoryStream(NOW);
  source.add('shard-1', [1]);
  const mover = new LowWatermarkMover({ graph, store, source, now: () => NOW });
  await mover.advance(0);
  source.status = 'DISABLED';
  await expect(mover.advance(0)).rejects.toMatchObject({ code: 'no-stream' });
});
