import { describe, expect, it } from 'vitest';
import type { DerivedUpdate } from '../../src/core/store-port.ts';
import {
  type CompiledModel,
  createSession,
  createWriter,
  defineGraph,
  edge,
  node,
  type Reader,
  type Session,
} from '../../src/index.ts';
import { answerOf, SHOWN_MS, Stage } from '../simulator/faults/stage.ts';
import { runs } from '../support/extent.ts';

/**
 * A session without a low watermark lets go of a key by what it sees, and only where every read that its reader may make from then on
 * shows the write. While the model changes, that is more than what its reader may use at the moment.
 */

interface Options {
  shards: number;
  view?: string[];
}

function modelOf({ shards, view = ['name'] }: Options): CompiledModel {
  return defineGraph({
    table: 'records',
    nodes: { A: node({ view, search: { name: { shards } } } as never), B: node({ view: 'ALL' }) },
    edges: { AB: edge({ from: 'A', to: 'B', edgeSet: ['since'], inbound: { orders: { gsi0: 'since' }, shards } }) },
  } as never) as CompiledModel;
}

const before = modelOf({ shards: 2 });
const NODES = 6;
const SEEDS = runs({ part: 8, whole: 60 });

async function fill(stage: Stage): Promise<void> {
  await stage.migrate(before);
  for (let i = 0; i < NODES; i++) {
    stage.node(`A-${i}`, { name: `n${i}`, status: 'open' });
    stage.put(`A-${i}`, 'AB-B-1', { since: '2020' });
  }
  await stage.consume(before);
  await stage.sleep(SHOWN_MS);
}

/** What a session's reader says of a node and an edge that the session has written; what lacks the write is named. */
async function lacking(session: Session, reader: Reader): Promise<string[]> {
  const own = reader.with(session);
  const found = {
    'a search': await answerOf(async () => (await own.search('A.name').equals('new')).items.map(({ id }) => id)),
    'incoming edges': await answerOf(async () => {
      const { items } = await own.inbound('B-1', 'AB', { between: ['2030', null] } as never);
      return items.map(({ source }) => source);
    }),
    'a view': await answerOf(async () => {
      const [read] = await own.getViews(['A-1'] as never);
      return (read?.attributes as { name?: string } | null)?.name === 'new' ? ['A-1'] : [];
    }),
  };
  return Object.entries(found).flatMap(([what, answer]) => {
    const isRefused = (answer as { refused?: string }).refused === 'projection-not-ready';
    return isRefused || (answer as string[]).includes('A-1') ? [] : [what];
  });
}

async function writeOwn(stage: Stage, session: Session): Promise<void> {
  const writer = createWriter(before, { store: stage.store() }).with(session) as never as {
    putNode: (id: string, attributes: object) => Promise<unknown>;
    putEdge: (source: string, type: string, target: string, attributes: object) => Promise<unknown>;
  };
  await writer.putNode('A-1', { name: 'new', status: 'done' });
  await writer.putEdge('A-1', 'AB', 'B-1', { since: '2031' });
}

describe('a session without a low watermark', () => {
  it('keeps a key until a generation that is only being built shows it too', async () => {
    const stage = new Stage();
    const lacked = await stage.run(async () => {
      await fill(stage);
      // The migration stands still when it has built and verified, right before it makes anything ready.
      let isBuilt = false;
      const slow = stage.heldStore(() => (isBuilt ? { before: 80_000 } : undefined));
      const migrating = stage.migrate(modelOf({ shards: 5 }), {
        store: slow,
        onStep: ({ step }) => {
          if (step === 'backfill') isBuilt = true;
          if (step === 'ready') isBuilt = false;
        },
      });
      while (!isBuilt) await stage.sleep(100);
      const session = createSession();
      const reader = stage.reader(before);
      await writeOwn(stage, session);
      // A consumer brings it into the first generation and stands still before the second.
      const halting = stage.heldStore((method, argument) => {
        const isSecond = method === 'update' && (argument as DerivedUpdate).key.target.startsWith('~ix/@');
        return isSecond ? { before: 900_000 } : undefined;
      });
      const consuming = stage.consume(before, { store: halting });
      const found = new Set<string>();
      for (let i = 0; i < 120; i++) {
        for (const what of await lacking(session, reader)) found.add(what);
        await stage.sleep(5_000);
      }
      await Promise.all([migrating, consuming]);
      return [...found];
    });
    expect(lacked).toEqual([]);
  });

  it('shows its writes while models come and go beside a consumer that stands still now and then', async () => {
    const failures: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const lacked = await drawn(seed);
      if (lacked.length > 0) failures.push(`seed ${seed}: ${lacked.join(', ')}`);
    }
    expect(failures).toEqual([]);
  });

  it.each([
    { what: 'the view of its model', after: modelOf({ shards: 2, view: ['name', 'status'] }) },
    { what: 'all of its model', after: modelOf({ shards: 5, view: ['status'] }) },
  ])('lets go of its keys beside another model that has taken the place of $what', async ({ after }) => {
    const stage = new Stage();
    const left = await stage.run(async () => {
      await fill(stage);
      await stage.migrate(after);
      const session = createSession();
      const reader = stage.reader(before);
      await writeOwn(stage, session);
      await stage.consume(before);
      for (let i = 0; i < 30; i++) {
        expect(await lacking(session, reader)).toEqual([]);
        await stage.sleep(10_000);
      }
      return session.keys();
    });
    expect(left).toEqual([]);
  });
});

describe('a session that writes back what was there, while the consumer is minutes behind', () => {
  const [DELETED, PUT] = ['deletes a node and puts it again', 'puts a node and deletes it again'] as const;

  // The projector reads the node after the record, so nothing shows what was between the two writes.
  it.each([
    { writes: DELETED, knowsMark: false },
    { writes: DELETED, knowsMark: true },
    { writes: PUT, knowsMark: false },
    { writes: PUT, knowsMark: true },
  ])('$writes, knows a low watermark: $knowsMark, sees between the two records what is after them', async (drawn) => {
    const stage = new Stage();
    const id = drawn.writes === DELETED ? 'A-1' : 'A-9';
    const right = drawn.writes === DELETED ? [id] : [];
    const seen = await stage.run(async () => {
      await fill(stage);
      let applied = stage.records.length;
      const lowWatermark = async () => stage.madeAtMs.get(stage.records[applied]!) ?? Date.now();
      const session = createSession(drawn.knowsMark ? { lowWatermark } : {});
      const reader = stage.reader(before).with(session);
      const writer = createWriter(before, { store: stage.store() }).with(session);
      const put = async () => await writer.putNode(id as never, { name: id, status: 'open' } as never);
      if (drawn.writes === DELETED) {
        stage.node(id, { name: id, status: 'open' });
        await stage.consume(before);
        applied = stage.records.length;
      } else await put();
      await writer.deleteNode(id as never);
      if (drawn.writes === DELETED) await put();
      const shown = async (): Promise<unknown> => {
        const { items } = await reader.search('A.name').equals(id);
        return items.map((item) => item.id);
      };
      // Two looks, of which each finds what was projected before, which is as the node wants it.
      for (let look = 0; look < 2; look++) {
        await stage.sleep(70_000);
        expect(await shown()).toEqual(right);
      }
      const answers: unknown[] = [];
      for (; applied < stage.records.length; answers.push(await shown())) {
        await stage.project(before, [stage.records[applied]!]);
        applied += 1;
        await stage.sleep(SHOWN_MS);
      }
      return answers;
    });
    expect(seen).toEqual([right, right]);
  });
});

/** Own writes while a migration and a consumer stand still somewhere; gives which answers lacked the writes. */
async function drawn(seed: number): Promise<string[]> {
  const stage = new Stage(seed);
  return await stage.run(async () => {
    const { random } = stage;
    await fill(stage);
    const session = createSession();
    const reader = stage.reader(before);
    // The migration stands still after one of its steps, and the consumer before one of the items that it writes.
    const last = random.oneOf(['keep', 'backfill', 'ready', 'withdraw']);
    const heldKey = random.oneOf(['~ix/@2/name', '~ix/@2/AB-B-1', '~ix/name', '~ix/AB-B-1', '~view']);
    const [migrationMs, consumerMs] = [60_000 + random.below(120_000), 300_000 + random.below(600_000)];
    const found = new Set<string>();
    let step = '';
    let isOver = false;
    const slow = stage.heldStore(() => (step === last ? { before: migrationMs } : undefined));
    const migrating = stage.migrate(modelOf({ shards: random.oneOf([3, 5]) }), {
      store: slow,
      onStep: (made) => {
        step = made.step;
      },
    });
    void migrating.finally(() => {
      isOver = true;
    });
    while (step !== last) await stage.sleep(100);
    await stage.sleep(random.below(20_000));
    await writeOwn(stage, session);
    const halting = stage.heldStore((method, argument) => {
      const isHeld = method === 'update' && (argument as DerivedUpdate).key.target === heldKey;
      return isHeld ? { before: consumerMs } : undefined;
    });
    const consuming = stage.consume(before, { store: halting });
    while (!isOver || session.keys().length > 0) {
      for (const what of await lacking(session, reader)) found.add(what);
      await stage.sleep(2_000 + random.below(8_000));
    }
    await Promise.all([migrating, consuming]);
    for (const what of await lacking(session, reader)) found.add(what);
    return [...found];
  });
}
