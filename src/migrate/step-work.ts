import type { CompiledModel, OfGraph } from '../core/model/compiled.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { CALLS_AT_ONCE } from '../foundation/for-each.ts';
import { type Runtime, runtimeOf } from '../foundation/runtime.ts';
import { noStats } from '../reconcile/apply-context.ts';
import type { Data } from '../registry/data.ts';
import { type Head, readDefinitions, readHead } from '../registry/head.ts';
import { LEASE_MS } from '../registry/reader-lease.ts';
import { projectionsInForce } from '../registry/registry.ts';
import type { DefinitionData } from '../registry/revive.ts';
import { neededFanOuts } from '../registry/standing.ts';
import type { SeenState } from '../registry/transitions.ts';
import { type MissingIndex, TableIndexes } from '../store/table-indexes.ts';
import type { WalkPlace } from '../store/table-walk.ts';
import type { MigrateOptions } from './migrate-types.ts';
import { type StepRun, seenKey, seenKeys } from './steps/step.ts';
import { REPLICA_LAG_MS } from './steps/work-steps.ts';
import { Waits } from './waits.ts';
import type { BuildContext } from './walks/build.ts';
import { buildingWalks } from './walks/building.ts';
import { ChangedStates, type MigratePlace, StoppedRun } from './walks/place.ts';

/** The longest time from reading the registry to sending an index's deletion, which may land `LANDS_WITHIN_MS` later. */
const DECISION_MS = 60_000;

export class StepWork implements StepRun {
  readonly graph: CompiledModel;
  readonly store: MigrateOptions['store'];
  readonly stats = noStats();
  readonly runtime: Runtime;
  readonly waits: Waits;
  isEmpty: boolean | undefined;
  private readonly indexes: TableIndexes;
  private begun: MigratePlace['walk'];
  private phase = '';
  private walkName = '';
  private readonly known = new Map<string, Data>();
  private last: Head | undefined;
  private readonly walkedByOthers: ReadonlySet<string>;

  constructor(private readonly options: OfGraph<MigrateOptions>) {
    this.walkedByOthers = new Set(options.resume?.walked);
    this.graph = options.graph;
    this.store = options.store;
    this.indexes = new TableIndexes(options.store);
    this.runtime = runtimeOf(options);
    this.begun = options.resume?.walk;
    this.waits = new Waits(options);
  }

  async readRegistry(): Promise<{ head: Head | undefined; data: DefinitionData }> {
    const head = await readHead(this, this.last);
    this.last = head;
    const data: DefinitionData =
      head === undefined ? this.known : await readDefinitions(this, head.registry, this.known);
    return { head, data };
  }

  checkTime(): void {
    if (this.isOver()) throw new StoppedRun({ walk: this.begun, waiting: this.options.resume?.waiting });
  }

  /** A run that makes a single walk, which another run has dealt out. */
  get isWalker(): boolean {
    return typeof this.options.walks === 'object';
  }

  buildContext(graph: CompiledModel, states: readonly SeenState[] = []): BuildContext {
    const { store, stats } = this;
    const { segments = 4, concurrency = CALLS_AT_ONCE, pageItems, onProgress, onItems } = this.options;
    return {
      ...runtimeOf({ ...this.options, remainingMs: undefined }),
      graph,
      store,
      segments,
      pageItems,
      concurrency,
      stats,
      acceptsLeftOut: this.options.acceptLeftOut === true,
      checkStates: async () => {
        if (!(await this.areUnchanged(states))) throw new ChangedStates();
      },
      // Only the walk checks the time, between pages, so that a page that has begun is finished.
      isOver: () => this.isOver(),
      neededFanOuts: async () => {
        const { head, data } = await this.readRegistry();
        return neededFanOuts(head?.registry, data);
      },
      ...(onProgress && { onProgress: (items: number) => onProgress(items, this.phase) }),
      ...(onItems && { onVisited: (items) => onItems(items, this.walkName) }),
    };
  }

  async walkOrStop(
    name: string,
    walk: (begunAt: WalkPlace | undefined) => Promise<WalkPlace | undefined>,
  ): Promise<void> {
    [this.phase] = name.split(' ') as [string];
    this.walkName = name;
    const { walks } = this.options;
    if (walks === 'others') {
      if (this.walkedByOthers.has(name)) return;
      throw new StoppedRun({}, name);
    }
    const begunAt = this.begun?.name === name ? this.begun.at : undefined;
    this.begun = undefined;
    if (walks === undefined) {
      const at = await walk(begunAt);
      if (at !== undefined) throw new StoppedRun({ walk: { name, at } });
      return;
    }
    // The registry may require a walk other than the one dealt out.
    if (walks.only !== name || begunAt === undefined) throw new StoppedRun({});
    const at = await walk(begunAt);
    throw new StoppedRun({ walk: { name, at: at ?? { segments: begunAt.segments, open: [] } } });
  }

  async buildAndVerify(context: BuildContext, generations: readonly SeenState[]): Promise<void> {
    const walks = buildingWalks(context, generations).map((one) => ({
      ...one,
      name: `${one.kind} ${seenKeys(generations)}`,
    }));
    const first = walks.findIndex((one) => one.name === this.begun?.name);
    for (const one of walks.slice(Math.max(0, first))) await this.walkOrStop(one.name, one.walk);
  }

  /**
   * Returns the indexes that the table lacks or that DynamoDB is filling. Throws `table-differs` if the table can't get
   * one, unless an action may make room.
   */
  async missingIndexes(): Promise<readonly string[]> {
    if (this.isWalker) return [];
    const { action = [] } = this.options;
    const missing = await this.indexes.missing(this.graph);
    if ([action].flat().length === 0) checkAddable(missing);
    return missing.map(({ name }) => name);
  }

  async addIndexes(indexes: readonly string[]): Promise<void> {
    this.checkMayWait();
    const isMissing = async (index: string): Promise<boolean> => {
      const missing = await this.indexes.missing(this.graph);
      checkAddable(missing);
      return missing.some(({ name }) => name === index);
    };
    for (const index of indexes) {
      for (let attempt = 0; await isMissing(index); attempt++) {
        await this.indexes.add(this.graph, index);
        await this.waits.waitForIndex(index, attempt, this.isOver());
      }
    }
  }

  async dropIndexes(indexes: readonly string[], seen: readonly SeenState[]): Promise<void> {
    // The deciding run deleted the indexes before it dealt out the walk.
    if (this.isWalker) return;
    for (const index of indexes) {
      for (let attempt = 0; ; attempt++) {
        const lookedAtMs = this.runtime.now();
        // rule: index-is-deleted-while-it-is-retired
        if (!(await this.areUnchanged(seen))) throw new ChangedStates();
        // A process that was suspended since `lookedAtMs` has to read the registry again.
        // rule: index-is-deleted-soon-after-the-look
        const mayDrop = (): boolean => this.runtime.now() - lookedAtMs < DECISION_MS;
        if (await this.indexes.drop(index, mayDrop)) break;
        await this.waits.waitForIndex(index, attempt, this.isOver());
      }
    }
  }

  async waitUntilUnused(seen: readonly SeenState[]): Promise<readonly SeenState[]> {
    this.checkMayWait();
    // rule: run-waits-for-a-full-lease
    await this.waits.waitOrStop(LEASE_MS, seen.map(seenKey));
    const still: SeenState[] = [];
    for (const one of seen) if (await this.areUnchanged([one])) still.push(one);
    return still;
  }

  async waitUntilShown(seen: readonly SeenState[]): Promise<void> {
    this.checkMayWait();
    const names = seen.map((one) => `shown ${seenKey(one)}`);
    // rule: ready-is-on-every-replica
    await this.waits.waitOrStop(REPLICA_LAG_MS, names);
  }

  async outlastLateWrites(seen: readonly SeenState[], forMs: number): Promise<void> {
    this.checkMayWait();
    if (this.options.waitsBetweenCalls !== true) this.options.onWait?.(lateWritesMayLand(seen), forMs);
    const names = seen.map((one) => `outlasted ${seenKey(one)}`);
    await this.waits.waitOrStop(forMs, names);
  }

  private checkMayWait(): void {
    if (this.isWalker) throw new StoppedRun({});
  }

  private async areUnchanged(states: readonly SeenState[]): Promise<boolean> {
    if (states.length === 0) return true;
    const { head } = await this.readRegistry();
    const now = new Set(projectionsInForce(head?.registry).map(seenKey));
    return states.every((seen) => now.has(seenKey(seen)));
  }

  private isOver(): boolean {
    return this.runtime.remainingMs() <= 0;
  }
}

export function checkAddable(missing: readonly MissingIndex[]): void {
  for (const { refusal } of missing) if (refusal !== undefined) throw refusal;
}

function lateWritesMayLand(seen: readonly SeenState[]): EdgeloomError {
  return new EdgeloomError(
    'late-writes',
    `A program that read the registry before may still write to ${seen.map(({ name, id }) => `${name}@${id}`).join(', ')}; the deletion is completed once no such write can arrive.`,
    'The model is already in force. You can stop here: the next migration completes the deletion.',
  );
}
