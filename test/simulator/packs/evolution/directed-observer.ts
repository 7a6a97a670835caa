import { check } from '../../../../src/admin.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { modelToCheck } from '../../../../src/registry/checked.ts';
import type { StreamRecord, StreamSource } from '../../../../src/stream/source.ts';
import type { ObservedDrift } from '../../../../src/trust/observe/drift.ts';
import { type ObserveResult, observe } from '../../../../src/trust/observe/observe.ts';
import { Observer } from '../../../../src/trust/observe/observer.ts';
import type { ObserverState } from '../../../../src/trust/observe/state.ts';
import type { ItemChange } from '../../../support/memory-store/memory-store.ts';
import { recordOf } from '../../kernel/shown-stream.ts';
import { textOf } from '../../kernel/values.ts';
import type { ModelSpec } from './specs.ts';
import { modelOf, Stage, UNSEARCHED } from './stage.ts';

/** Schedules of an observer under model changes that are written down: what they show needs records that are on their way for long. */

const ARN = 'arn:aws:dynamodb:us-east-1:000000000000:table/records/stream/2026-01-01T00:00:00.000';
const LIMITS = { lateMs: 1_000, skewMs: 100, graceMs: 1_000, listMs: 1_000 };

const SEARCHED: ModelSpec = {
  ...UNSEARCHED,
  searches: { tag: { order: { by: 'attribute', name: 'tag' }, shards: 1, project: [] } },
};
/** Views are of another shape than those of `UNSEARCHED`. */
const SHOWING: ModelSpec = { ...UNSEARCHED, view: ['a', 'status'] };
const COUNTED: ModelSpec = { ...UNSEARCHED, edge: { ...UNSEARCHED.edge, degree: true } };
/** A stage with an observer that has its base. It knows the model that comes, as a process that was deployed first. */
class ObservedStage extends Stage {
  readonly alarms: ObservedDrift[] = [];
  observer: Observer;
  /** Every record that was made before is applied; `unknown`: nobody can tell. Default: all of them. */
  lowWatermarkMs: number | 'unknown' | undefined;
  /** When each derived item changed. */
  private readonly madeMs: number[] = [];

  private constructor(private readonly spec: ModelSpec) {
    super();
    const { derivedChanges } = this.table;
    const add = derivedChanges.push.bind(derivedChanges);
    derivedChanges.push = (...changes) => {
      this.madeMs.push(...changes.map(() => this.nowMs));
      return add(...changes);
    };
    this.observer = this.observerFrom(undefined);
  }

  /** Another process goes on from what the observer saves. */
  restart(): void {
    this.observer = this.observerFrom(this.observer.stateToSave());
  }

  private observerFrom(state: ObserverState | undefined): Observer {
    const graph = modelOf(this.spec);
    return new Observer(
      {
        ...{ model: modelToCheck(graph, this.table), store: this.table },
        ...{ source: this.source(), table: graph.table, now: () => this.nowMs, limits: LIMITS },
        lowWatermark: async () => (this.lowWatermarkMs === 'unknown' ? undefined : (this.lowWatermarkMs ?? this.nowMs)),
        onDrift: (drift) => void this.alarms.push(drift),
      },
      state,
    );
  }

  static async of(spec: ModelSpec, before = UNSEARCHED): Promise<ObservedStage> {
    const stage = await ObservedStage.withoutBase(spec, before);
    await stage.observe(5);
    await stage.checkWholeTable();
    await stage.observe(20);
    return stage;
  }

  /** The same before the observer has read anything. */
  static async withoutBase(spec: ModelSpec, before = UNSEARCHED): Promise<ObservedStage> {
    const stage = new ObservedStage(spec);
    await stage.migrate(before);
    await stage.project(before, await stage.write('A-1', 'A-1', { a: '1', tag: 'p', status: 'old' }));
    await stage.project(before, await stage.write('A-1', 'AB-B-1', { r: '1' }));
    await stage.project(before, await stage.write('A-2', 'A-2', { a: '1' }));
    return stage;
  }

  /** The observer's process checks the whole table, as the base of the proof. */
  async checkWholeTable(): Promise<void> {
    const left: ItemKey[] = [];
    const beganMs = this.nowMs;
    await check(modelOf(UNSEARCHED), {
      ...{ store: this.table, mode: 'report', graceMs: 0, segments: 1, now: () => this.nowMs },
      wait: async (milliseconds) => {
        this.nowMs += milliseconds;
      },
      onFinding: ({ source, target }) => void left.push({ source, target }),
    });
    await this.observer.endWholeCheck(beganMs, left);
  }

  /** Somebody writes an item of a search's second generation for a node that does not exist. */
  async plant(): Promise<void> {
    const key = { source: { S: 'A-9' }, target: { S: '~ix/@2/tag' } };
    await this.table.put({ ...key, r: { N: '1' }, value: { S: 'planted' } });
  }

  /** Says in which way the observer is wrong about the planted item, which readers use from now on. */
  async claimAboutPlanted(): Promise<string[]> {
    const isListed = (): boolean => this.observer.drift.some(({ suspect }) => suspect.source === 'A-9');
    const wrong = new Set<string>();
    const readyMs = this.nowMs;
    const isVerified = (): boolean => (this.observer.verifiedThroughMs ?? 0) > readyMs + 10_000;
    for (let turns = 0; turns < 600 && !isVerified(); turns++) {
      await this.observe(1);
      if (this.observer.needsWholeCheck) await this.checkWholeTable();
      if (this.observer.verifiedThroughMs !== undefined && !isListed()) wrong.add('the planted item is claimed right');
    }
    return [...wrong, ...(isVerified() ? [] : ['the time stands'])];
  }

  /** Observes until something is so, for five minutes at most; gives the time that it took, in milliseconds. */
  async msUntil(isSo: () => boolean): Promise<number> {
    const fromMs = this.nowMs;
    while (!isSo() && this.nowMs < fromMs + 300_000) await this.observe(1);
    return this.nowMs - fromMs;
  }

  /** The number of the observer's turns, and the time between them. */
  async observe(turns: number): Promise<void> {
    for (let i = 0; i < turns; i++) {
      await this.observer.runTurn();
      this.nowMs += 500;
    }
  }

  /** Migrates, and does something once all that is built is verified, before it is ready. */
  async migrateWith(spec: ModelSpec, beforeReady: () => Promise<void>): Promise<void> {
    let isVerified = false;
    await this.migrate(spec, {
      onStep: ({ step }) => {
        isVerified ||= step === 'backfill';
      },
      wait: async (milliseconds) => {
        this.nowMs += milliseconds;
        if (isVerified) await beforeReady();
        isVerified = false;
      },
    });
  }

  /** The fault of the claimed time, if an item has been wrong since an earlier moment. */
  claimAbout(source: string, place: string, text: string, sinceMs: number): string[] {
    const { verifiedThroughMs = 0, drift } = this.observer;
    const item = [...this.table.items()].find(
      ({ source: of, target }) =>
        textOf(of) === source && /^~ix\/@\d+\//.test(textOf(target)) && textOf(target).endsWith(place),
    );
    const isRight = textOf(item?.['gsi0sk']).startsWith(`${text}\u0000`);
    if (isRight) return ['the item is right, so that nothing is shown'];
    const isListed = drift.some(({ suspect }) => suspect.source === source && suspect.sortKey.endsWith(place));
    return verifiedThroughMs < sinceMs || isListed ? [] : [`${source} ${place} is wrong, and claimed right`];
  }

  /** The stream, base and derived items in a shard each. */
  source(): StreamSource {
    const shards = ['base', 'derived'] as const;
    const recordsOf = (shard: string): StreamRecord[] =>
      shard === 'base' ? this.baseRecords() : this.derivedRecords();
    return {
      streamArn: ARN,
      describe: async () => ({ status: 'ENABLED', shards: shards.map((shardId) => ({ shardId })) }),
      isClosed: async () => false,
      iterator: async (shard, after) => `${shard} ${Number(after ?? 0)}`,
      latest: async (shard) => `${shard} ${recordsOf(shard).length}`,
      read: async (iterator) => {
        const [shard = '', place] = iterator.split(' ');
        const records = recordsOf(shard);
        return { records: records.slice(Number(place)), next: `${shard} ${records.length}` };
      },
    };
  }

  private baseRecords(): StreamRecord[] {
    return this.table.records.map((record) => {
      const { source, target, sequenceNumber, createdAtSeconds } = record;
      return toRecord({ ...record, key: { source, target } }, sequenceNumber, createdAtSeconds!);
    });
  }

  private derivedRecords(): StreamRecord[] {
    return this.table.derivedChanges.map((change, i) =>
      toRecord(change, String(i + 1), Math.floor(this.madeMs[i]! / 1_000)),
    );
  }
}

function toRecord({ key, oldImage, newImage }: ItemChange, sequenceNumber: string, seconds: number): StreamRecord {
  return { ...recordOf({ key, before: oldImage, after: newImage }, sequenceNumber, seconds), eventSourceARN: ARN };
}

/** The schedules, by what happens in them; each gives what the observer says wrongly. */
export const OBSERVED: Readonly<Record<string, () => Promise<string[]>>> = {
  'a search becomes ready while a record of it is on its way, and nobody knows the low watermark': async () => {
    const stage = await ObservedStage.of(SEARCHED);
    stage.lowWatermarkMs = 'unknown';
    let writtenMs = 0;
    await stage.migrateWith(SEARCHED, async () => {
      writtenMs = stage.nowMs;
      await stage.write('A-1', 'A-1', { a: '1', tag: 'q', status: 'old' });
      await stage.observe(40);
    });
    await stage.observe(3);
    return stage.claimAbout('A-1', '/tag', 'q', writtenMs);
  },

  'a build stands still before it has reached what was written last': async () => {
    const stage = await ObservedStage.of(SEARCHED);
    await stage.project(UNSEARCHED, await stage.write('A-1', 'A-1', { a: '1', tag: 'q', status: 'old' }));
    // Kept, and noted since when.
    await stage.migrate(SEARCHED, { mostSteps: 2 });
    const keptMs = stage.nowMs;
    await stage.observe(100);
    const { verifiedThroughMs = 0, drift } = stage.observer;
    return [
      ...(verifiedThroughMs > keptMs ? [] : ['a build holds the time']),
      ...drift.map(
        ({ suspect }) => `${suspect.source} ${suspect.sortKey} is listed, and the build has still to reach it`,
      ),
    ];
  },

  'somebody damages what is built': async () => {
    const stage = await ObservedStage.of(SEARCHED);
    const wrong: string[] = [];
    await stage.migrateWith(SEARCHED, async () => {
      const damagedMs = stage.nowMs;
      const built = [...stage.table.items()].find(({ target }) => textOf(target).endsWith('/tag'))!;
      await stage.table.put({ ...built, r: { N: '9' }, value: { S: 'damaged' } });
      await stage.observe(100);
      if (stage.alarms.length > 0) wrong.push('the observer calls drift a part that readers do not use');
      if ((stage.observer.verifiedThroughMs ?? 0) < damagedMs) wrong.push('what is not ready holds the time');
    });
    await stage.observe(3);
    if (stage.observer.verifiedThroughMs !== undefined)
      wrong.push('the time goes on before a check has judged what is ready');
    await stage.checkWholeTable();
    await stage.observe(400);
    const isTold = stage.alarms.some(({ suspect }) => suspect.sortKey.endsWith('/tag'));
    return isTold ? wrong : [...wrong, 'the damage is not told of, although it is ready'];
  },

  'a count is damaged again soon after its repair': async () => {
    const wrong: string[] = [];
    for (const pauseMs of [0, 500, 1_000, 1_500, 4_000]) {
      const stage = await ObservedStage.of(COUNTED, COUNTED);
      const count = [...stage.table.items()].find(({ target }) => textOf(target).startsWith('~degree/'))!;
      let revision = 100;
      const put = (number: string) => stage.table.put({ ...count, count: { N: number }, r: { N: String(revision++) } });
      const isTold = (number: string) => stage.alarms.some(({ stored }) => stored === `a count of ${number}`);
      await put('7');
      const firstMs = await stage.msUntil(() => isTold('7'));
      await put('1');
      await stage.observe(pauseMs / 500);
      const againMs = stage.nowMs;
      await put('9');
      const secondMs = await stage.msUntil(() => isTold('9'));
      if (secondMs > 2 * firstMs)
        wrong.push(`told after ${secondMs} ms, alone after ${firstMs} ms: pause of ${pauseMs} ms`);
      await stage.msUntil(() => (stage.observer.verifiedThroughMs ?? 0) > againMs);
      if (stage.nowMs > againMs + 2 * firstMs + 10_000) wrong.push(`the time stands after a pause of ${pauseMs} ms`);
      await put('1');
      const goneMs = await stage.msUntil(() => stage.observer.drift.length === 0);
      if (goneMs > firstMs) wrong.push(`listed for ${goneMs} ms after the repair`);
    }
    return wrong;
  },

  'the check that is the base meets a search while it is built, and another process of the observer goes on when it is ready':
    async () => {
      const stage = await ObservedStage.withoutBase(SEARCHED);
      let isHeld = true;
      await stage.migrateWith(SEARCHED, async () => {
        await stage.plant();
        await stage.observe(40);
        await stage.checkWholeTable();
        await stage.observe(40);
        isHeld = stage.observer.verifiedThroughMs === undefined;
      });
      stage.restart();
      return [...(isHeld ? ['what is built holds the time'] : []), ...(await stage.claimAboutPlanted())];
    },

  'runs that check by themselves meet a search while it is built': async () => {
    const stage = await ObservedStage.withoutBase(SEARCHED);
    let saved: ObserverState | undefined;
    const run = (): Promise<ObserveResult> =>
      observe({
        ...{ graph: modelOf(SEARCHED), store: stage.table, source: stage.source(), limits: LIMITS },
        ...{ untilVerified: true, now: () => stage.nowMs, lowWatermark: async () => stage.nowMs },
        memory: {
          open: async () => saved,
          save: async (state) => {
            saved = structuredClone(state);
            return true;
          },
          close: async () => undefined,
        },
        wait: async (milliseconds) => {
          stage.nowMs += milliseconds;
          // It has read a record of each shard, so that another run goes on behind those of before.
          if (saved === undefined)
            await stage.project(UNSEARCHED, await stage.write('A-3', 'A-3', { a: String(stage.nowMs) }));
        },
      });
    await stage.migrateWith(SEARCHED, async () => {
      await stage.plant();
      stage.nowMs += 10_000;
      await run();
    });
    const { drift } = await run();
    return drift.map(({ suspect }) => suspect.source).includes('A-9') ? [] : ['the planted item is claimed right'];
  },

  'a stalled consumer writes a view of the shape before, after all views are made anew': async () => {
    const wrong: string[] = [];
    for (const isReady of [false, true]) {
      const stage = await ObservedStage.of(SHOWING);
      const viewOf = () =>
        [...stage.table.items()].find(({ source, target }) => textOf(source) === 'A-1' && textOf(target) === '~view')!;
      const old = viewOf();
      const overwrite = () => stage.table.put({ ...old, r: { N: '9' } });
      await stage.migrate(SHOWING, {
        onStep: async ({ step }) => void (step === 'reconcile-views' && !isReady && (await overwrite())),
      });
      await stage.observe(3);
      await stage.checkWholeTable();
      if (isReady) await overwrite();
      const writtenMs = stage.nowMs;
      await stage.observe(200);
      const [drift] = [...stage.alarms, ...stage.observer.drift];
      if (drift !== undefined) wrong.push(`a part of a view that no reader uses is called drift`);
      if ((stage.observer.verifiedThroughMs ?? 0) < writtenMs) wrong.push('a view that no reader uses holds the time');
      // The next consumer makes it whole. Somebody damages it then.
      await stage.project(SHOWING, await stage.write('A-1', 'A-1', { a: '2', tag: 'p', status: 'new' }));
      await stage.table.put({ ...viewOf(), attributes: { M: {} }, r: { N: '99' } });
      await stage.observe(200);
      if (stage.alarms.length === 0) wrong.push('the damage of a view that was made whole is not told of');
    }
    return wrong;
  },

  'an unknown derived item is damage, and is deleted': async () => {
    const stage = await ObservedStage.of(UNSEARCHED);
    const key = { source: 'A-1', target: '~unheard-of' };
    await stage.table.put({ source: { S: key.source }, target: { S: key.target }, r: { N: '1' } });
    await stage.msUntil(() => stage.observer.drift.length > 0);
    await stage.table.delete(key);
    const goneMs = await stage.msUntil(() => stage.observer.drift.length === 0);
    return stage.alarms.length === 1 && goneMs < 30_000
      ? []
      : [`listed for ${goneMs} ms, told ${stage.alarms.length} times`];
  },

  'an observer that repairs finds an item that the registry does not know': async () => {
    const stage = await ObservedStage.of(SEARCHED);
    const state = stage.observer.stateToSave();
    const unknown = { source: { S: 'A-9' }, target: { S: '~ix/@9007/tag' }, r: { N: '1' }, value: { S: 'planted' } };
    const other = { ...unknown, target: { S: '~in/@9007/AB-A-8' } };
    for (const item of [unknown, other]) await stage.table.put(item);
    const { drift } = await observe({
      ...{ graph: modelOf(SEARCHED), store: stage.table, source: stage.source(), limits: LIMITS },
      ...{
        repairs: true,
        checks: false,
        untilAtRest: true,
        now: () => stage.nowMs,
        lowWatermark: async () => stage.nowMs,
      },
      memory: { open: async () => state, save: async () => true, close: async () => undefined },
      wait: async (milliseconds) => {
        stage.nowMs += milliseconds;
      },
    });
    const left = [...stage.table.items()].filter(({ value }) => textOf(value) === 'planted');
    return [
      ...(left.length === 2 ? [] : ['it takes an item that the registry does not know']),
      ...(drift.length === 2 ? [] : [`it lists ${drift.length} of 2 items that the registry does not know`]),
    ];
  },
};
