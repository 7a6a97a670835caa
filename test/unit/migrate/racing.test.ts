import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { node } from '../../../src/core/model/schema.ts';
import type { ScanRequest } from '../../../src/core/store-port.ts';
import { LATEST_WRITE_MS } from '../../../src/foundation/late-writes.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { readHead } from '../../../src/registry/head.ts';
import { withReplacedCalls } from '../../../src/store/wrapped.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

function model(withEmail: boolean) {
  return defineGraph({
    table: 'records',
    nodes: {
      USER: node({
        view: 'ALL',
        search: { name: { shards: 1 }, ...(withEmail && { email: { shards: 1, project: ['name'] } }) },
      }),
    },
    edges: {},
  });
}

const [before, after] = [model(false), model(true)];

/** A registered table of some users, of whom nothing is projected that only the later model has. */
async function usersTable(): Promise<StreamedStore> {
  const store = new StreamedStore(before);
  await migrate(before, { store });
  for (let i = 0; i < 12; i++) {
    const id = `USER-${i}`;
    await store.put({ source: { S: id }, target: { S: id }, name: { S: 'Ada' }, email: { S: `${id}@example.com` } });
  }
  expect((await createProjector(before, { store }).project(store.records)).error).toBeUndefined();
  return store;
}

/** The index items of the search that the later model adds, live ones and tombstones. */
async function emailItems(store: StreamedStore): Promise<string[]> {
  const { items } = await store.scan({ segment: 0, segments: 1, consistent: true } as never);
  return items
    .map((item) => Object.values(item['target']!)[0] as string)
    .filter((key) => /^~ix\/(@\d+\/)?email/.test(key));
}

async function generations(store: StreamedStore): Promise<string[] | undefined> {
  const head = await readHead({ store, stats: { rcu: 0 } });
  return head?.registry.projections.get('search:USER.email')?.generations.map(({ state }) => state);
}

/** A promise, and the function that resolves it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Waits for everything that is under way, without time. */
async function settled(): Promise<void> {
  for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a migration that another one takes back while it builds', () => {
  it('leaves no item of the generation: a late page lands before the walk that deletes, and none comes after it', async () => {
    const store = await usersTable();
    const held = gate();
    const reached = gate();
    const over = gate();
    let writes = 0;
    let pages = 0;
    // The first run is held in the middle of a page: it has read the registry, and its writes are to come.
    const slow = Object.assign(
      withReplacedCalls(store, {
        async update(update) {
          if (update.key.target.endsWith('/email')) {
            writes += 1;
            if (writes === 2) {
              reached.open();
              await held.opened;
            }
            // A later page would come after all that the other run does.
            if (pages > 1) await over.opened;
          }
          return await store.update(update);
        },
      }),
      {
        scan: async (request: ScanRequest) => {
          pages += 1;
          return await store.scan(request);
        },
      },
    );
    const first = migrate(after, {
      ...{ store: slow, segments: 1, pageItems: 8, concurrency: 1, mostSteps: 20, wait: async () => undefined },
    }).catch((error: unknown) => error);
    await reached.opened;
    const waits: number[] = [];
    const { done } = await migrate(before, {
      ...{ store, action: { kind: 'drop', name: 'search:USER.email' } },
      wait: async (milliseconds) => {
        waits.push(milliseconds);
        if (milliseconds < LATEST_WRITE_MS) return;
        // By now the page has been written, or nothing of it ever will be.
        held.open();
        await settled();
      },
    });
    held.open();
    over.open();
    expect(done).toBe(true);
    expect(waits.some((milliseconds) => milliseconds >= LATEST_WRITE_MS)).toBe(true);
    // The other run looks again, finds that nobody wants what it builds, and begins anew under another id.
    await first;
    const items = await emailItems(store);
    expect(await generations(store)).toEqual(['ready']);
    // One for each user: none of the generation that was taken back.
    expect([items.length, new Set(items).size]).toEqual([12, 1]);
  });

  it('says what it waits for, and that it may be stopped', async () => {
    const store = await usersTable();
    await migrate(after, { store, wait: async () => undefined });
    expect(await emailItems(store)).toHaveLength(12);
    const reasons: [string, number][] = [];
    await migrate(before, {
      ...{ store, action: { kind: 'drop', name: 'search:USER.email' } as const, wait: async () => undefined },
      onWait: ({ code }, milliseconds) => reasons.push([code, milliseconds]),
    });
    expect(reasons).toEqual([['late-writes', LATEST_WRITE_MS]]);
    expect(await emailItems(store)).toEqual([]);
  });
});
