import { describe, expect, it } from 'vitest';
import { SERVICE_PARTITION } from '../../../src/core/items/keys.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import type { ItemKey, Store } from '../../../src/core/store-port.ts';
import { deleteState, readHead, writeHead } from '../../../src/registry/head.ts';
import { registerAll } from '../../../src/registry/transitions.ts';
import { withReplacedCalls } from '../../../src/store/wrapped.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const { table: TABLE } = defineGraph({ table: 'registered', nodes: { USER: node({}) } });

/** A registry of a model with many searches. */
function registryOf(definitions: number) {
  return registerAll(
    Array.from({ length: definitions }, (_, i) => ({
      name: `search:USER.attribute${i}`,
      fingerprint: `fingerprint-${i}`.padEnd(32, 'f'),
    })),
  );
}

function writerOn(store: Store) {
  return { store, stats: { rcu: 0, writes: 0, wcu: 0 } };
}

function memory(): Store {
  return new MemoryStore(TABLE);
}

describe('the head of a registry', () => {
  it('takes one unit to read again, however many definitions it names', async () => {
    const writer = writerOn(memory());
    const registry = registryOf(900);
    expect(await writeHead(writer, registry, undefined)).toBe(true);
    const first = await readHead(writer);
    expect(first?.registry).toEqual({ ...registry, table: undefined });
    expect(writer.stats.rcu).toBeGreaterThan(10);
    writer.stats.rcu = 0;
    expect(await readHead(writer, first)).toEqual(first);
    expect(writer.stats.rcu).toBe(1);
  });

  it('holds a small state itself, and goes from one to the other', async () => {
    const writer = writerOn(memory());
    const [small, large] = [registryOf(5), { ...registryOf(900), version: 2 }];
    await writeHead(writer, small, undefined);
    let head = await readHead(writer);
    expect(head).toMatchObject({ registry: { version: 1 } });
    expect(head?.stateKey).toBeUndefined();
    expect(await writeHead(writer, large, head!.revision)).toBe(true);
    head = await readHead(writer, head);
    expect(head?.registry.projections.size).toBe(900);
    expect(await writeHead(writer, { ...small, version: 3 }, head!.revision)).toBe(true);
    await deleteState(writer, head!.stateKey!);
    expect(await readHead(writer, head)).toMatchObject({ registry: { version: 3 } });
    expect((await writer.store.query({ partition: SERVICE_PARTITION, consistent: true } as never)).items).toHaveLength(
      1,
    );
  });

  it('is read again where another one replaces it between the two reads', async () => {
    const writer = writerOn(memory());
    await writeHead(writer, registryOf(900), undefined);
    const before = await readHead(writer);
    let isReplaced = false;
    const store = withReplacedCalls(writer.store, {
      async get(key: ItemKey, options) {
        if (key.target.startsWith('states/') && !isReplaced) {
          isReplaced = true;
          await writeHead(writer, { ...registryOf(901), version: 2 }, before!.revision);
          await deleteState(writer, before!.stateKey!);
        }
        return await writer.store.get(key, options);
      },
    });
    expect(await readHead({ store, stats: { rcu: 0 } })).toMatchObject({ registry: { version: 2 } });
  });
});
