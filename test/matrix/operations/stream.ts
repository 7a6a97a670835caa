import { deleteEnded, redrive } from '../../../src/admin.ts';
import type { DerivedUpdate, Store } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { redriveRecords } from '../../../src/trust/repair/redrive-records.ts';
import { throughCalls } from '../../support/calls.ts';
import { type Bench, holds } from '../bench.ts';
import { type EdgeFact, storedFacts } from '../facts.ts';
import { BEFORE_ENDS_MS, ENDS_AT } from '../features.ts';
import type { ModelInput } from '../model.ts';
import { type Operation, RAN } from './operation.ts';

/** Operations of the stream's consumer: what it gets, how often, and what becomes of what it does not get. */

async function expectRight(bench: Bench): Promise<void> {
  await bench.expectAnswers();
  await bench.expectStored();
}

class Crash extends Error {}

/** Throws what shows that a worker has crashed, when everything else that it has in flight has ended. */
async function crash(): Promise<never> {
  await new Promise((resolve) => setImmediate(resolve));
  throw new Crash();
}

/** Crashes before a call of a batch, or after it, and gets the batch again each time: at each of the first calls, then at ever fewer. */
async function crashAtEachCall(bench: Bench, isAfter: boolean): Promise<void> {
  const batch = await bench.lose();
  for (let crashAt = 1; ; crashAt = Math.max(crashAt + 1, Math.floor(crashAt * 1.2))) {
    let calls = 0;
    const crashing = throughCalls(bench.rig.store, async (_method, _parameters, run) => {
      calls += 1;
      const isLast = calls >= crashAt;
      if (isLast && !(isAfter && calls === crashAt)) return await crash();
      const answer = await run();
      return isLast ? await crash() : answer;
    });
    try {
      await bench.project(batch, { store: crashing });
      return;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
  }
}

/** A store that refuses every derived item, as DynamoDB refuses one that is too large. Entries and continuations are no such items. */
function refusing<S extends Store>(store: S): S {
  const isRefused = ({ key: { target } }: DerivedUpdate): boolean => /^~(?!more\/|quarantine\/)/.test(target);
  return throughCalls(store, async (method, [first], run) => {
    const updates = method === 'update' || method === 'transact' ? [first as DerivedUpdate].flat() : [];
    if (updates.some(isRefused))
      throw new StoreError('terminal', 'ValidationException', 'Item size has exceeded the maximum allowed size');
    return await run();
  });
}

/** Whether an edge is over, of a type that is counted. */
function isCountedAndOver({ edges, mirrored }: ModelInput, { type, attributes }: EdgeFact, nowMs: number): boolean {
  // The mirror alone deletes what it has made.
  if (mirrored?.includes(type) === true) return false;
  const { expires, degree, outgoing, inbound } = edges[type] ?? {};
  const { total, groupBy } = (inbound ?? {}) as { total?: object; groupBy?: object };
  const isCounted = [outgoing, total, groupBy].some((one) => one !== undefined) || degree === true;
  return isCounted && Number(attributes[String(expires)]) * 1_000 <= nowMs;
}

/** The columns of the consumer. */
export const STREAM_OPERATIONS: readonly Operation[] = [
  {
    name: 'first write',
    covers: [
      'command:project',
      'library:createProjector',
      'library:createReader',
      'reader.getView',
      'reader.getViews',
      'reader.pages',
      'reader.all',
      'reader.degree',
      'reader.total',
    ],
    run: async (bench) => {
      await bench.migrate(bench.model);
      await bench.putAll();
      await bench.consume();
      await expectRight(bench);
      return RAN;
    },
  },
  {
    name: 'change',
    covers: ['reader.search', 'search.all', 'search.latest', 'search.find', 'reader.inbound'],
    run: async (bench) => {
      await bench.begin();
      for (const moment of [1, 2]) {
        await bench.putAll(moment);
        await bench.consume({ size: moment === 1 ? 1 : 100 });
        await expectRight(bench);
      }
      return RAN;
    },
  },
  {
    name: 'delete',
    covers: ['reader.nodes'],
    run: async (bench) => {
      await bench.begin();
      await bench.deleteSome();
      await bench.consume();
      await expectRight(bench);
      // What comes back after its tombstones is whole again.
      await bench.putAll();
      await bench.consume();
      await expectRight(bench);
      return RAN;
    },
  },
  {
    name: 'expiry of base items',
    run: async (bench) => {
      await bench.begin();
      const { ttl } = bench.model.table;
      const [pair] = bench.pairs as [[string, string]];
      const past = Math.floor(bench.rig.nowMs() / 1_000) - 3_600;
      const [, second] = bench.sources as [string, string];
      await bench.putNode(second, { ...bench.attributesOf(second, 1), [ttl]: past });
      await bench.putEdge(...pair, { ...bench.attributesOfEdge(...pair, 1), [ttl]: past });
      await bench.consume();
      await expectRight(bench);
      await bench.rig.expire();
      const { nodes, edges } = await bench.facts();
      const isLeft =
        nodes.has(second) ||
        edges.some(({ source, type, target }) => type === 'MEMBER' && source === pair[0] && target === pair[1]);
      holds(!isLeft, 'the table keeps what has expired');
      await bench.consume();
      await expectRight(bench);
      return RAN;
    },
  },
  {
    name: 'clock',
    covers: ['library:deleteEnded'],
    run: async (bench) => {
      await bench.begin();
      const { store } = bench.rig;
      const sweep = () => deleteEnded(bench.model, { store, serverTime: async () => bench.nowMs! });
      // All that ends is over now, and nothing has been written.
      bench.nowMs = 1_000 * (ENDS_AT + 1);
      const stored = await bench.facts();
      const due = storedFacts(bench.input, stored).edges.filter((edge) =>
        isCountedAndOver(bench.input, edge, bench.nowMs!),
      );
      await expectRight(bench);
      await bench.expectClean();
      holds((await sweep()).deleted === due.length, `a sweep does not delete ${due.length} edges`);
      await bench.consume();
      bench.isSwept = bench.input.mirrored === undefined;
      await expectRight(bench);
      await bench.expectClean();
      // All of it comes again with other times; a moment later nothing is due.
      await bench.putAll(1);
      await bench.consume();
      bench.nowMs = BEFORE_ENDS_MS;
      holds((await sweep()).deleted === 0, 'a sweep deletes what has its time');
      await expectRight(bench);
      return RAN;
    },
  },
  {
    name: 'late duplicate',
    run: async (bench) => {
      await bench.begin();
      await bench.putAll(1);
      await bench.deleteSome();
      await bench.consume();
      const records = [...(await bench.rig.records())];
      await bench.project(records);
      // A worker that was stopped for long applies the oldest records last.
      for (const record of records.reverse()) await bench.project([record]);
      await bench.consume();
      await expectRight(bench);
      return RAN;
    },
  },
  {
    name: 'crash and retry',
    run: async (bench) => {
      await bench.begin();
      await bench.putAll(1);
      await bench.deleteSome();
      await crashAtEachCall(bench, false);
      await bench.putAll(2);
      await crashAtEachCall(bench, true);
      await bench.consume();
      await expectRight(bench);
      return RAN;
    },
  },
  {
    name: 'give-up and redrive',
    covers: ['command:redrive'],
    run: async (bench) => {
      await bench.begin();
      await bench.putAll(1);
      await bench.deleteSome();
      const lost = await bench.lose();
      // What comes later is applied before what was given up.
      await bench.putNode(bench.sources[0]!, bench.attributesOf(bench.sources[0]!, 2));
      await bench.consume();
      const { rig, model } = bench;
      const { left, reasons } = await redriveRecords(lost, {
        ...{ graph: model, store: rig.store, now: () => rig.nowMs(), wait: (ms: number) => rig.wait(ms) },
      });
      holds(left === 0, `the redrive leaves ${reasons.join(' ')}`);
      await bench.consume();
      await expectRight(bench);
      return RAN;
    },
  },
  {
    name: 'quarantine and redrive',
    covers: ['library:redrive', 'entry.of', 'entry.code', 'entry.reason', 'entry.since'],
    except: ({ bad }) => (bad === undefined ? 'Every value of its attributes can be derived.' : undefined),
    run: async (bench) => {
      await bench.begin();
      const { rig, model } = bench;
      const { bad } = bench;
      if (bad === undefined) return { state: 'none', why: 'DynamoDB itself refuses such values of native keys.' };
      await bench.putWith(bad.of, bad.attributes, 1);
      await bench.consume();
      const { quarantined } = await bench.check();
      holds(quarantined > 0, `the check counts ${quarantined} items in quarantine`);
      const redriven = () => redrive(model, { store: rig.store, now: () => rig.nowMs(), wait: rig.wait });
      const first = await redriven();
      holds(
        first.left > 0 && first.repaired === 0,
        `a redrive clears what cannot be derived: ${JSON.stringify(first)}`,
      );
      await bench.putWith(bad.of, {}, 1);
      await bench.lose();
      const second = await redriven();
      holds(second.left === 0 && second.repaired > 0, `a redrive leaves ${JSON.stringify(second)}`);
      await expectRight(bench);
      return RAN;
    },
  },
  {
    name: 'refusal and redrive',
    covers: ['entry.derivedKeys', 'entry.in'],
    run: async (bench) => {
      await bench.begin();
      const { rig, model } = bench;
      await bench.putAll(1);
      await bench.deleteSome();
      await bench.consume({ store: refusing(rig.store) });
      const { quarantined } = await bench.check();
      holds(quarantined > 0, 'the check counts no item in quarantine');
      const result = await redrive(model, { store: rig.store, now: () => rig.nowMs(), wait: rig.wait });
      holds(result.left === 0 && result.repaired > 0, `a redrive leaves ${JSON.stringify(result)}`);
      await bench.consume();
      await expectRight(bench);
      await bench.expectClean();
      return RAN;
    },
  },
];
