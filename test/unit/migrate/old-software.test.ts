import { describe, expect, it } from 'vitest';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { node } from '../../../src/core/model/schema.ts';
import type { ScanRequest } from '../../../src/core/store-port.ts';
import { decideMigration, walkShare } from '../../../src/migrate/divided/divided.ts';
import { migrate } from '../../../src/migrate/migrate.ts';
import type { MigrateOptions, MigrateResult } from '../../../src/migrate/migrate-types.ts';
import type { MigratePlace } from '../../../src/migrate/walks/place.ts';
import { parseMigratePlace } from '../../../src/migrate/walks/place-schema.ts';
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import { readHead } from '../../../src/registry/head.ts';
import { LEASE_MS } from '../../../src/registry/reader-lease.ts';
import { withReplacedCalls } from '../../../src/store/wrapped.ts';
import { StreamedStore } from '../../support/streamed-store.ts';

function model(withEmail: boolean) {
  return defineGraph({
    table: 'records',
    nodes: {
      USER: node({
        view: 'ALL',
        search: { name: { shards: 2 }, ...(withEmail && { email: { shards: 1, project: ['name'] } }) },
      }),
    },
    edges: {},
  });
}

const [before, after] = [model(false), model(true)];

/**
 * A registered table of a few users, and a migration beside which a consumer projects a new user after each walk over the table,
 * as long as `writesLeft` says.
 */
async function beside(consumer: 'old' | 'registered', writesLeft: number) {
  const store = new StreamedStore(before);
  await migrate(before, { store });
  let users = 0;
  let given = 0;
  let writes = writesLeft;
  const put = async (): Promise<void> => {
    const id = `USER-${users++}`;
    await store.put({ source: { S: id }, target: { S: id }, name: { S: 'Ada' }, email: { S: `${id}@example.com` } });
  };
  // Software from before the registry maintains its own model.
  const fixed = consumer === 'old' ? { model: { current: async (): Promise<CompiledModel> => before } } : {};
  const projector = createProjector(before, { store, ...fixed });
  const project = async (): Promise<void> => {
    const records = store.records.slice(given);
    given = store.records.length;
    expect((await projector.project(records)).error).toBeUndefined();
  };
  for (let i = 0; i < 5; i++) await put();
  await project();
  const waits: number[] = [];
  const walking = Object.assign(withReplacedCalls(store, {}), {
    scan: async (request: ScanRequest) => {
      const page = await store.scan(request);
      if (page.lastKey === undefined && request.consistent === true && writes > 0) {
        writes -= 1;
        await put();
        await project();
      }
      return page;
    },
  });
  const reasons: string[] = [];
  const run = (options: Partial<MigrateOptions> = {}): Promise<MigrateResult> =>
    migrate(after, {
      ...{ store: walking, segments: 1 },
      wait: async (milliseconds) => {
        if (milliseconds >= LEASE_MS) waits.push(milliseconds);
      },
      onWait: ({ message }) => reasons.push(message),
      ...options,
    });
  const stateOf = async (name: string) => {
    const head = await readHead({ store, stats: { rcu: 0 } });
    return head?.registry.projections.get(name)?.generations.map(({ state }) => state);
  };
  return { run, walking, waits, reasons, stateOf };
}

describe('a migration beside software from before the registry', () => {
  it('waits for what that has in hand, and verifies once more', async () => {
    const { run, waits, reasons, stateOf } = await beside('old', 1);
    expect((await run()).done).toBe(true);
    expect(waits).toEqual([LEASE_MS]);
    expect(reasons).toEqual([expect.stringMatching(/USER-5 ~\S+ was written by its model [0-9a-f]{8}/)]);
    expect(await stateOf('search:USER.email')).toEqual(['ready']);
  });

  it('stops where that goes on writing, with what to do, and readers are given nothing', async () => {
    const { run, waits, stateOf } = await beside('old', Number.POSITIVE_INFINITY);
    await expect(run()).rejects.toMatchObject({ code: 'old-software', hint: expect.stringContaining('Deploy') });
    expect(waits).toHaveLength(3);
    expect(await stateOf('search:USER.email')).toEqual(['kept']);
  });

  it('takes no consumer for old that reads the registry, whatever its own model is', async () => {
    const { run, waits, stateOf } = await beside('registered', Number.POSITIVE_INFINITY);
    expect((await run()).done).toBe(true);
    expect(waits).toEqual([]);
    expect(await stateOf('search:USER.email')).toEqual(['ready']);
  });

  it('says so to its caller where that waits, also from call to call', async () => {
    const { run, waits, stateOf } = await beside('old', Number.POSITIVE_INFINITY);
    let resume: MigratePlace | undefined;
    let nowMs = Date.now();
    const call = async (): Promise<number> => {
      const { place, waitSeconds } = await run({
        waitsBetweenCalls: true,
        now: () => nowMs,
        ...(resume && { resume }),
      });
      resume = parseMigratePlace(JSON.parse(JSON.stringify(place)));
      nowMs += waitSeconds! * 1000;
      return waitSeconds!;
    };
    for (let round = 0; round < 3; round++) expect(await call()).toBe(35);
    await expect(call()).rejects.toMatchObject({ code: 'old-software' });
    expect(waits).toEqual([]);
    expect(await stateOf('search:USER.email')).toEqual(['kept']);
  });

  it.each([
    ['once', 1],
    ['all the time', Number.POSITIVE_INFINITY],
  ])('is found by workers that walk shares, where it writes %s: each round walks again', async (_, writesLeft) => {
    const { walking, stateOf } = await beside('old', writesLeft);
    let nowMs = Date.now();
    const options = { graph: after, store: walking, now: () => nowMs };
    const walks: string[] = [];
    const bring = async (): Promise<void> => {
      for (;;) {
        const { done, shares, waitSeconds } = await decideMigration(options, { shares: 2, segmentsOfShare: 1 });
        if (done) return;
        if (shares.length > 0) walks.push(shares[0]!.plan);
        for (const share of shares) await walkShare(options, share);
        nowMs += waitSeconds * 1000;
      }
    };
    if (writesLeft === 1) {
      await bring();
      // Two walks found it; three more, and one over the index, found nothing.
      expect(walks.length).toBeGreaterThan(4);
      expect(await stateOf('search:USER.email')).toEqual(['ready']);
    } else {
      for (let execution = 0; execution < 2; execution++) {
        // The name is the error type of the function, which the state machine does not try again.
        await expect(bring()).rejects.toMatchObject({ name: 'OldSoftware', code: 'old-software' });
        expect(await stateOf('search:USER.email')).toEqual(['kept']);
      }
    }
  });
});
