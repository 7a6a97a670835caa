import { createReader, EdgeloomError, type Reader } from '../../../../src/index.ts';
import { registryLeases } from '../../../../src/registry/reader-lease.ts';
import type { Random } from '../../kernel/random.ts';
import { MOST_INDEX_LAG_MS, MOST_READ_LAG_MS } from '../../kernel/table.ts';
import { type Calls, storeOf } from '../../kernel/table-store.ts';
import { type Asked, type Question, Questions } from './questions.ts';
import type { ModelSpec } from './specs.ts';
import type { World } from './world.ts';

const REFUSALS = ['projection-not-ready', 'cursor-outdated', 'registry-gone', 'ThrottlingException'];
/** How long what is applied may take to show, in milliseconds. */
export const MOST_LAG_MS = MOST_INDEX_LAG_MS + MOST_READ_LAG_MS + 500;
/** A reader may go on for a lease with what it has read before. */
const LEASE_MS = 31_000;

/** A process that reads by a model of its own. Its answers are judged by the oracle. */
export class ReadingProcess {
  readonly calls: Calls = { get: 0, getMany: 0, query: 0, write: 0 };
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  private readonly spec: ModelSpec;
  private readonly random: Random;
  private readonly questions: Questions;
  private readonly epoch: number;

  constructor(
    private readonly world: World,
    readonly version: number,
    isCalm = false,
  ) {
    const { timeline, table } = world;
    this.epoch = world.epoch;
    this.spec = world.specs[version]!;
    const process = world.readingProcess(isCalm);
    const { random } = process;
    this.random = random;
    this.ended = process.crashed;
    const store = storeOf(table, process, this.calls);
    const graph = world.graphs[version]!;
    const leases = registryLeases(graph, store, world.clocksOf(random));
    const reader = createReader(graph, { store, leases, concurrency: random.oneOf([1, 4, 32]) }) as Reader;
    this.questions = new Questions(this.spec, reader, world, {
      limit: () => (random.chance(0.65) ? 100 : 1 + random.below(3)),
      pause: async () => {
        if (random.chance(0.1)) await timeline.sleep(random.below(random.chance(0.2) ? 90_000 : 3_000));
      },
    });
  }

  /** Asks a question. Default: one of those that the model answers. Gives why it was refused, if it was. */
  async ask(question: Question = this.one()): Promise<string | undefined> {
    const { world, version } = this;
    const { timeline, history } = world;
    const startMs = timeline.nowMs;
    // It may share a look at the registry that has stood still since before that.
    const sinceMs = (world.brought.get(version) ?? Number.POSITIVE_INFINITY) + LEASE_MS + world.longestReaderStallMs;
    const wasReady = sinceMs < startMs;
    // Without a registry it asks every index.
    const { registeredAtMs = Number.POSITIVE_INFINITY } = world;
    const isRegistered = registeredAtMs + LEASE_MS + world.longestReaderStallMs < startMs;
    const lacksIndexes = !isRegistered && world.lacksIndexes(version);
    try {
      const { question: text, judge, isNative = false } = await question(this.questions);
      if (!this.counts) return undefined;
      const shownMs = history.shownUpTo(startMs, MOST_LAG_MS);
      // No projector is asked: an index shows what the table had a moment ago.
      const fromMs = isNative ? Math.max(shownMs, startMs - MOST_LAG_MS) : shownMs;
      const problems = judge({ fromMs, toMs: timeline.nowMs });
      if (isNative) world.count('native lists that were read');
      world.log(`model ${version}: ${text} ${problems.join('; ')}`);
      world.count('right answers');
      if (text.startsWith('total ')) world.count('totals that were read');
      if (problems.length > 0)
        world.fail('wrong', `a reader of model ${version} asks "${text}": ${problems.join('; ')}`);
      return undefined;
    } catch (error) {
      return this.refused(error, wasReady, lacksIndexes);
    }
  }

  /** Asks every question that the model answers, all at once; gives why some were refused. */
  async askAll(): Promise<string[]> {
    const refused = await Promise.all(this.questions.all().map((question) => this.ask(question)));
    return refused.filter((code) => code !== undefined);
  }

  /** Whether its answers count: not after an accident that it has lived through. */
  private get counts(): boolean {
    return !this.world.isLenient && this.world.epoch === this.epoch;
  }

  private refused(error: unknown, wasReady: boolean, lacksIndexes: boolean): string {
    const { world, version } = this;
    const code = error instanceof EdgeloomError ? error.code : '';
    world.log(`model ${version}: ${code}`);
    if (!REFUSALS.includes(code) && !(lacksIndexes && code === 'no-index')) {
      if (this.counts) world.fail('threw', `a read of model ${version} fails: ${(error as Error).stack}`);
      return code;
    }
    world.count(code === 'projection-not-ready' ? 'answers that say not ready' : `refused: ${code}`);
    if (code === 'projection-not-ready' && wasReady && !world.tookAway && this.counts)
      world.fail('wrong', `a reader of model ${version} hears that something is not ready, although it was once`);
    return code;
  }

  private one(): Question {
    return this.random.chance(0.05) ? (questions) => this.askAcross(questions) : this.questions.one(this.random);
  }

  /** A list of which another model's reader reads all but the first page. */
  private async askAcross(questions: Questions): Promise<Asked> {
    const { world, random, spec } = this;
    const other = new ReadingProcess(world, random.below(world.specs.length));
    const name = random.oneOf(['name', 'gsi0', 'byStatus', 'bySince']);
    const isKnown = ({ searches, edge }: ModelSpec): boolean =>
      searches[name] === undefined ? edge.orders[name] !== undefined : searches[name].shards !== 'value';
    const isSearch = (of: ModelSpec): boolean => of.searches[name] !== undefined;
    if (!isKnown(spec) || !isKnown(other.spec) || isSearch(spec) !== isSearch(other.spec))
      return await questions.views();
    const mayRefuse = (error: unknown): boolean => {
      const code = error instanceof EdgeloomError ? error.code : '';
      return REFUSALS.includes(code) || code === 'invalid-cursor' || code === 'no-index';
    };
    const target = `B-${1 + random.below(3)}`;
    const asked = await questions.across(name, target, 1 + random.below(3), other.questions, mayRefuse);
    world.count('lists that two models have read');
    return asked;
  }
}
