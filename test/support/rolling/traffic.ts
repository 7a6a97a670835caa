import { createWriter } from '../../../src/client/write/writer.ts';
import { numberOf } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { ItemKey, Store } from '../../../src/core/store-port.ts';
import { currentMoment, type Moment } from '../../../src/foundation/clocks.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import { createReader } from '../../../src/index.ts';
import { LEASE_MS, registryLeases } from '../../../src/registry/reader-lease.ts';
import type { Random } from '../../simulator/kernel/random.ts';
import { keysOf, toItem } from '../../simulator/kernel/values.ts';
import { History } from '../../simulator/packs/evolution/history.ts';
import { edgeAttributes, nodeAttributes } from '../../simulator/packs/evolution/producers.ts';
import { Questions } from '../../simulator/packs/evolution/questions.ts';
import { earlierModel, laterModel, type Side, SPECS } from './models.ts';

/** Producers and readers of two models on a table of an engine, whose answers the oracle of model changes judges. */

const PEOPLE = [1, 2, 3, 4, 5, 6, 7].map((number) => `A-${number}`);
const GROUPS = [1, 2, 3].map((number) => `B-${number}`);
const NODES = [...PEOPLE, ...GROUPS].map((id): ItemKey => ({ source: id, target: id }));
const EDGES = PEOPLE.flatMap((source) => GROUPS.map((id): ItemKey => ({ source, target: `AB-${id}` })));

/** All that was written, and how far it is projected. */
export class Writes {
  readonly history = new History();
  private readonly numbers = new Map<string, number>();
  private open: { name: string; number: number; atMs: number }[] = [];

  /** Notes a write that is about to be sent; gives the attributes that the base item has to have. */
  begin(key: ItemKey, attributes: Readonly<Record<string, unknown>> | undefined) {
    const name = keysOf(key);
    const number = (this.numbers.get(name) ?? 0) + 1;
    this.numbers.set(name, number);
    const atMs = performance.now();
    this.open.push({ name, number, atMs });
    const numbered = attributes && { ...attributes, change: number };
    this.history.note(key, numbered && toItem(numbered), atMs);
    return numbered;
  }

  /** Notes that records were projected; a replay says nothing new. */
  projected(records: readonly ChangeRecord[]): void {
    for (const record of records) {
      const number = numberOfChange(record);
      this.open = this.open.filter((write) => write.name !== keysOf(record) || write.number > number);
    }
    const nowMs = performance.now();
    this.history.mark(Math.min(nowMs, ...this.open.map(({ atMs }) => atMs)), nowMs);
  }
}

/** The number of the write that a record tells of: a removal is one more than what it removes. */
function numberOfChange({ oldImage, newImage }: ChangeRecord): number {
  const numberIn = (image: ChangeRecord['newImage']): number => Number(numberOf(image?.['change']));
  return newImage === undefined ? numberIn(oldImage) + 1 : numberIn(newImage);
}

/** Producers, one of each model. Two writes of one item may come in any order, so none begins before the one before it has ended. */
export class Producers {
  private readonly busy = new Set<string>();

  constructor(
    private readonly store: Store,
    private readonly writes: Writes,
    private readonly random: Random,
  ) {}

  /** Puts all nodes and half of the edges. */
  async putAll(): Promise<void> {
    for (const key of [...NODES, ...EDGES]) {
      if (key.source === key.target || this.random.chance(0.5)) await this.put(laterModel, key);
    }
  }

  /** A producer of each model writes so often, until `isOver` returns true. */
  async run(perSecond: number, isOver: () => boolean): Promise<void> {
    const one = async (model: CompiledModel): Promise<void> => {
      while (!isOver()) {
        await this.writeOnce(model);
        await sleep(1000 / perSecond);
      }
    };
    await Promise.all([one(earlierModel), one(laterModel)]);
  }

  private async writeOnce(model: CompiledModel): Promise<void> {
    const key = this.random.pick(this.random.chance(0.7) ? EDGES : NODES);
    const name = keysOf(key);
    if (this.busy.has(name)) return;
    this.busy.add(name);
    try {
      const isThere = this.writes.history.statesOf(key, performance.now(), performance.now())[0] !== undefined;
      if (isThere && key.source !== key.target && this.random.chance(0.2)) await this.delete(model, key);
      else await this.put(model, key);
    } finally {
      this.busy.delete(name);
    }
  }

  private async put(model: CompiledModel, key: ItemKey): Promise<void> {
    const { source, target } = key;
    const isNode = source === target;
    const attributes = this.writes.begin(
      key,
      isNode ? nodeAttributes(source, this.random) : edgeAttributes(this.random),
    );
    const writer = createWriter(model, { store: this.store });
    if (isNode) await writer.putNode(source, attributes!);
    else await writer.putEdge(source, 'AB', groupOf(target), attributes!);
  }

  private async delete(model: CompiledModel, key: ItemKey): Promise<void> {
    this.writes.begin(key, undefined);
    await createWriter(model, { store: this.store }).deleteEdge(key.source, 'AB', groupOf(key.target));
  }
}

function groupOf(target: string): string {
  return target.slice('AB-'.length);
}

/** Answers of one phase. */
interface Answers {
  right: number;
  /** Answered with `projection-not-ready`. */
  notReady: number;
}

/** What readers heard, by phase and model. */
export class Heard {
  private readonly phases = new Map<string, Record<Side, Answers>>();
  /** Answers that were wrong. */
  readonly wrong: string[] = [];
  private phase = '';

  /** Begins a phase: what is answered from now on belongs to it. */
  begin(phase: string): void {
    this.phase = phase;
    this.phases.set(phase, { old: { right: 0, notReady: 0 }, new: { right: 0, notReady: 0 } });
  }

  /** The answers of a phase. */
  of(phase: string): Record<Side, Answers> {
    return this.phases.get(phase)!;
  }

  count(side: Side, what: keyof Answers): void {
    this.of(this.phase)[side][what] += 1;
  }

  fail(side: Side, text: string): void {
    this.wrong.push(`${this.phase}, ${side} model: ${text}`);
  }
}

/** Leases are that many times as short as they are, for readers and for the migration alike. */
const LEASE_SPEED = 6;
const READERS = 2;
const PAUSE_MS = 5;

/** Waits as a migration does, for leases that are as short as those of the readers. */
export async function waitForShortLeases(milliseconds: number): Promise<void> {
  // No write is late in one process that waits for its consumers.
  await sleep(Math.ceil(Math.min(milliseconds, LEASE_MS) / LEASE_SPEED));
}

function fasterMoment(): Moment {
  const { steadyMs, wallMs } = currentMoment();
  return { steadyMs: steadyMs * LEASE_SPEED, wallMs: wallMs * LEASE_SPEED };
}

/** Asks readers of one model all the time, until it is over; every answer is judged. */
export async function askUntil(
  side: Side,
  { store, history, heard, random }: { store: Store; history: History; heard: Heard; random: Random },
  isOver: () => boolean,
): Promise<void> {
  const graph = { old: earlierModel, new: laterModel }[side];
  const reader = createReader(graph, { store, leases: registryLeases(graph, store, fasterMoment) });
  const paging = { limit: () => (random.chance(0.5) ? 100 : random.between(1, 3)), pause: async () => undefined };
  const questions = new Questions(SPECS[side], reader as never, { history, mayEvict: false, gaveUp: false }, paging);
  const ask = async (): Promise<void> => {
    const startMs = performance.now();
    try {
      const { question, judge } = await questions.one(random)(questions);
      const problems = judge({ fromMs: history.shownUpTo(startMs, 0), toMs: performance.now() });
      if (problems.length === 0) heard.count(side, 'right');
      else heard.fail(side, `${question}: ${problems.join('; ')}`);
    } catch (error) {
      if (!(error instanceof EdgeloomError) || error.code !== 'projection-not-ready') throw error;
      heard.count(side, 'notReady');
    }
  };
  const readers = Array.from({ length: READERS }, async () => {
    while (!isOver()) {
      await ask();
      await sleep(PAUSE_MS);
    }
  });
  await Promise.all(readers);
}
