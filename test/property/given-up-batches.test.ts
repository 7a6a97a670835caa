import { describe, expect, it } from 'vitest';
import type { RawRecord } from '../../src/admin.ts';
import { createLowWatermark } from '../../src/admin.ts';
import { type StreamHandler, streamHandler } from '../../src/deployment/lambda/index.ts';
import {
  type CompiledModel,
  createSession,
  createWriter,
  defineGraph,
  edge,
  node,
  type Session,
} from '../../src/index.ts';
import { streamsClientOf, tableClientOf } from '../simulator/faults/clients.ts';
import { Stage } from '../simulator/faults/stage.ts';
import { runs } from '../support/extent.ts';

/**
 * The low watermark of a stream is a time before which every record is applied, and a session with it shows its own writes until they are.
 * Functions crash, freeze, are throttled, and batches are given up without a word; a shard may be read by several of them at once.
 */

process.env['POWERTOOLS_METRICS_DISABLED'] = 'true';

const graph = defineGraph({
  table: 'records',
  nodes: { A: node({ view: 'ALL', search: { name: { shards: 1 } } }), B: node({ view: 'ALL' }) },
  edges: { AB: edge({ from: 'A', to: 'B', inbound: { orders: { gsi0: 'since' } } }) },
}) as CompiledModel;

const SEEDS = runs({ part: 6, whole: 40 });
const ARN = 'arn:aws:dynamodb:us-east-1:000000000000:table/records/stream/2026-03-01T00:00:00.000';
const SILENT = { child: () => SILENT, debug: none, info: none, warn: none, error: none, trace: none } as never;
function none(): void {}

/** The functions of a table's stream, and which records they have applied. */
class Functions {
  private readonly applied = new Set<RawRecord>();
  /** Those of invocations that are under way: they may be applied. */
  private readonly underWay = new Set<RawRecord>();
  private readonly handlers: StreamHandler[];

  constructor(
    private readonly stage: Stage,
    containers: number,
  ) {
    this.handlers = Array.from({ length: containers }, () =>
      streamHandler(graph, { store: stage.store(), logger: SILENT, now: Date.now, random: () => stage.random.next() }),
    );
  }

  /** Invokes a function of some container with a batch; true where it has applied all of it. */
  async invoke(
    batch: readonly RawRecord[],
    container = this.stage.random.below(this.handlers.length),
  ): Promise<boolean> {
    const context = { awsRequestId: 'request', getRemainingTimeInMillis: () => 60_000 };
    for (const record of batch) this.underWay.add(record);
    const { batchItemFailures } = await this.handlers[container]!({ Records: [...batch] }, context);
    for (const record of batch) this.underWay.delete(record);
    if (batchItemFailures.length > 0) return false;
    for (const record of batch) this.applied.add(record);
    return true;
  }

  has(record: RawRecord): boolean {
    return this.applied.has(record);
  }

  /** The oldest record of those that are not applied, in milliseconds since 1970. */
  oldestLeftMs(): number {
    const left = this.stage.records.filter((record) => !this.applied.has(record) && !this.underWay.has(record));
    return Math.min(...left.map((record) => this.stage.madeAtMs.get(record)!));
  }
}

/** How far apart the clocks of writers, readers and the stream may be, in milliseconds. */
const CLOCKS_MS = 5_000;

function lowWatermarkOf(stage: Stage, skewMs = 0): () => Promise<number | undefined> {
  return createLowWatermark(graph, {
    ...{ store: stage.store(), client: tableClientOf(stage, ARN), streams: streamsClientOf(stage, ARN) },
    now: () => Date.now() + skewMs,
  });
}

/** What is wrong with a mark that is asked for now. */
async function judge(
  lowWatermark: () => Promise<number | undefined>,
  functions: Functions,
  skewMs = 0,
): Promise<string | undefined> {
  const leftMs = functions.oldestLeftMs();
  const mark = await lowWatermark();
  // What is applied meanwhile may be passed by the mark.
  const stillMs = Math.max(leftMs, functions.oldestLeftMs());
  if (mark === undefined || mark <= stillMs + skewMs) return undefined;
  return `the mark is ${mark - stillMs} ms behind a record that is not applied`;
}

async function writeOwn(stage: Stage, session: Session, name: string): Promise<void> {
  const writer = createWriter(graph, { store: stage.store() }).with(session) as never as {
    putNode: (id: string, attributes: object) => Promise<unknown>;
  };
  await writer.putNode('A-own', { name });
}

async function showsOwn(stage: Stage, session: Session, name: string): Promise<boolean> {
  const reader = stage.reader(graph).with(session);
  const { items } = await reader.search('A.name').equals(name);
  return items.some(({ id }) => id === 'A-own');
}

describe('the low watermark', () => {
  it('does not pass a batch that was given up without a word', async () => {
    const stage = new Stage();
    const found = await stage.run(async () => {
      await stage.migrate(graph);
      const functions = new Functions(stage, 1);
      const lowWatermark = lowWatermarkOf(stage);
      const session = createSession({ lowWatermark });
      stage.node('A-0', { name: 'zero' });
      expect(await functions.invoke(stage.loseRecords())).toBe(true);
      await stage.sleep(11_000);
      await writeOwn(stage, session, 'own');
      // Throttled, or crashed, as often as the mapping tries: nobody hears of it.
      const givenUp = stage.loseRecords();
      const problems: string[] = [];
      for (let i = 1; i < 20; i++) {
        stage.node(`A-${i}`, { name: `n${i}` });
        await functions.invoke(stage.loseRecords());
        await stage.sleep(6_000);
        const problem = await judge(lowWatermark, functions);
        if (problem !== undefined) problems.push(problem);
        if (!(await showsOwn(stage, session, 'own'))) problems.push('the session forgets its own write');
      }
      // A redrive of it brings the mark, and the session, on again.
      await functions.invoke(givenUp);
      for (let i = 0; i < 60; i++) {
        await stage.sleep(10_000);
        stage.node('A-1', { name: `again ${i}` });
        await functions.invoke(stage.loseRecords());
        if (!(await showsOwn(stage, session, 'own'))) problems.push('the session forgets its own write at the end');
      }
      return { problems, keys: session.keys() };
    });
    expect(found).toEqual({ problems: [], keys: [] });
  });

  it.each([
    { what: 'one function at a time', lanes: 1, containers: 3, giveUp: 0 },
    { what: 'one function at a time that gives up', lanes: 1, containers: 2, giveUp: 0.15 },
  ])('passes only what is applied, with $what', async ({ lanes, containers, giveUp }) => {
    const failures: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const stage = new Stage(seed);
      const found = await stage.run(() => drawn(stage, { lanes, containers, giveUp }));
      if (found.length > 0) failures.push(`seed ${seed}: ${found[0]}`);
    }
    expect(failures).toEqual([]);
  });

  it('passes only what is applied, with two lanes of a shard', async () => {
    const failures: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const stage = new Stage(seed);
      const found = await stage.run(() => drawn(stage, { lanes: 2, containers: 2, giveUp: 0 }));
      if (found.length > 0) failures.push(`seed ${seed}: ${found[0]}`);
    }
    expect(failures).toEqual([]);
  });
});

interface Circumstances {
  lanes: number;
  containers: number;
  /** Chance that a batch is given up. */
  giveUp: number;
}

/** Writes, lanes that stand still and give up, and a session; gives what was wrong with marks and answers. */
async function drawn(stage: Stage, { lanes, containers, giveUp }: Circumstances): Promise<string[]> {
  const { random } = stage;
  await stage.migrate(graph);
  const functions = new Functions(stage, containers);
  // Processes that look at one stream, of which one moves the mark at a time.
  const skews = [0, 0, random.below(2 * CLOCKS_MS) - CLOCKS_MS];
  const looking = skews.map((skewMs) => ({ lowWatermark: lowWatermarkOf(stage, skewMs) }));
  // Each of them may be told of a mark that another has published, by its clock.
  const mostSkewMs = Math.max(...skews.map(Math.abs));
  const session = createSession({ lowWatermark: looking[0]!.lowWatermark });
  const problems: string[] = [];
  const queues: RawRecord[][] = Array.from({ length: lanes }, () => []);
  let isOver = false;
  const spread = (): void => {
    for (const record of stage.loseRecords()) {
      const source = record.dynamodb?.Keys?.['source']?.S ?? '';
      queues[[...source].reduce((sum, one) => sum + one.codePointAt(0)!, 0) % lanes]!.push(record);
    }
  };
  const deliver = async (queue: RawRecord[], lane: number): Promise<void> => {
    while (!isOver) {
      spread();
      if (queue.length === 0 || random.chance(0.1)) {
        await stage.sleep(random.below(random.chance(0.1) ? 90_000 : 2_000));
        continue;
      }
      const batch = queue.slice(0, 1 + random.below(8));
      const container = lanes > 1 ? lane : undefined;
      if (random.chance(giveUp) || (await functions.invoke(batch, container))) queue.splice(0, batch.length);
      // Its answer is lost, or it comes again for another reason.
      if (random.chance(0.1)) await functions.invoke(batch.slice(random.below(batch.length)), container);
    }
  };
  const produce = async (): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      stage.node(`A-${random.below(8)}`, { name: `n${i}` });
      await stage.sleep(random.below(3_000));
    }
  };
  const others = [produce(), ...queues.map((queue, lane) => deliver(queue, lane))];
  let name = '';
  for (let i = 0; i < 60; i++) {
    if (i % 15 === 0) {
      name = `own ${i}`;
      await writeOwn(stage, session, name);
    }
    await stage.sleep(random.below(10_000));
    const { lowWatermark } = random.oneOf(looking as [(typeof looking)[number]]);
    const problem = await judge(lowWatermark, functions, mostSkewMs);
    if (problem !== undefined) problems.push(problem);
    if (!(await showsOwn(stage, session, name))) problems.push('the session forgets its own write');
  }
  isOver = true;
  await Promise.all(others);
  if (lanes === 1 && giveUp === 0) problems.push(...(await standingStill(stage, functions, looking[0]!.lowWatermark)));
  return problems;
}

/** A mark that never moves passes nothing either: where all is applied at once it comes after. */
async function standingStill(
  stage: Stage,
  functions: Functions,
  lowWatermark: () => Promise<number | undefined>,
): Promise<string[]> {
  const startMs = stage.timeline.nowMs;
  // What was left when the others ended comes first.
  const rest = stage.records.filter((record) => !functions.has(record));
  if (rest.length > 0) await functions.invoke(rest);
  stage.loseRecords();
  for (let i = 0; i < 15; i++) {
    stage.node('A-1', { name: `last ${i}` });
    await functions.invoke(stage.loseRecords());
    await stage.sleep(8_000);
  }
  const mark = await lowWatermark();
  return mark !== undefined && mark >= startMs ? [] : [`two minutes later the mark is ${mark} instead of ${startMs}`];
}
