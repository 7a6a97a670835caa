import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import type { Agenda } from '../../kernel/agenda.ts';
import type { Random } from '../../kernel/random.ts';
import type { ShownRecord, ShownShard } from '../../kernel/shown-stream.ts';
import { contentOf } from '../../kernel/stored-parts.ts';
import { keysOf, textOf } from '../../kernel/values.ts';
import type { WholeStream } from '../../kernel/whole-stream.ts';
import type { WrittenTable } from './table.ts';
import { evictedOf, expectedIndexItem, expectedView, type Features, nameOfPart } from './truth.ts';

/** How the consumer of a schedule is: probabilities for each record, and times in milliseconds. */
export interface ConsumerNature {
  /** Between two of its calls, and between two polls. */
  stepMs: number;
  /** It dies in the midst of a record, and goes on from an earlier one. */
  crashes: number;
  /** A second process does the same work, much later. */
  twins: number;
  /** It reports a record as applied that it has not applied. */
  lies: number;
  /** It gives a record up, which a redrive applies later. */
  givesUp: number;
  /** It stands still for this time now and then. */
  restsMs: number;
}

type Steps = Generator<void, void, void>;

/**
 * The consumer of a schedule: it reconciles what a record touches with the base items, under the revision that it has read. It is right by
 * its protocol, and knows no code of the library.
 */
export class PlainConsumer {
  private readonly places = new Map<string, number>();
  /** Revisions never begin anew, whoever has deleted the item meanwhile. */
  private readonly revisions = new Map<string, number>();
  /** Records that were given up and are not redriven yet. */
  private readonly givenUp = new Set<ShownRecord>();
  /** The names of parts that nothing is on its way to put right, because somebody has broken them. */
  readonly broken = new Set<string>();
  private readonly idle = new Set<ShownShard>();
  isStopped = false;
  isCalm = false;

  constructor(
    private readonly table: WrittenTable,
    private readonly streams: WholeStream,
    private readonly clock: Agenda,
    private readonly dice: Random,
    private readonly features: Features,
    private readonly nature: ConsumerNature,
  ) {}

  /** Looks for work, in new shards too. Called whenever there may be some. */
  follow(): void {
    const idle = [...this.idle];
    this.idle.clear();
    for (const shard of idle) this.poll(shard);
    for (const shard of this.streams.shards) {
      if (this.places.has(shard.id)) continue;
      this.places.set(shard.id, 0);
      this.poll(shard);
    }
  }

  /** The least stamp of what is shown and not applied; a time in milliseconds. */
  lowWatermarkMs(): number {
    const { now } = this.clock;
    let least = now;
    for (const shard of this.streams.shards) {
      const shown = this.streams.shown(shard);
      for (const entry of shard.records.slice(this.places.get(shard.id) ?? 0, shown)) {
        if (isBase(entry)) least = Math.min(least, stampOf(entry));
      }
    }
    for (const entry of this.givenUp) least = Math.min(least, stampOf(entry));
    return least;
  }

  /** Whether everything is applied. */
  get isDone(): boolean {
    return this.givenUp.size === 0 && this.streams.shards.every((shard) => this.isShardDone(shard));
  }

  private isShardDone({ id, records }: ShownShard): boolean {
    return !records.slice(this.places.get(id) ?? 0).some(isBase);
  }

  private delay(): number {
    const { stepMs, restsMs } = this.nature;
    if (this.isCalm) return 1;
    return this.dice.chance(0.02) ? this.dice.below(restsMs + 1) : this.dice.below(stepMs);
  }

  private poll(shard: ShownShard): void {
    this.clock.in(this.delay(), () => {
      const parent = this.streams.shards.find(({ id }) => id === shard.parent);
      const isWaiting = parent !== undefined && !this.isShardDone(parent);
      const place = shard.records.findIndex((entry, at) => at >= this.places.get(shard.id)! && isBase(entry));
      if (this.isStopped || isWaiting || place < 0) this.idle.add(shard);
      else this.apply(shard, place);
    });
  }

  private apply(shard: ShownShard, place: number): void {
    const { dice, nature, clock } = this;
    const entry = shard.records[place]!;
    const done = (): void => {
      this.places.set(shard.id, Math.max(place + 1, this.places.get(shard.id)!));
      this.poll(shard);
      // Its children may begin.
      this.follow();
    };
    if (!this.isCalm && dice.chance(nature.lies)) {
      for (const name of this.partsOf(entry.key)) this.broken.add(name);
      done();
      return;
    }
    if (!this.isCalm && dice.chance(nature.givesUp)) {
      this.givenUp.add(entry);
      clock.in(dice.below(300_000), () => this.run(this.steps(entry), () => this.givenUp.delete(entry)));
      done();
      return;
    }
    if (dice.chance(nature.twins)) clock.in(dice.below(nature.restsMs + 1), () => this.run(this.steps(entry)));
    this.run(this.steps(entry), done, dice.chance(nature.crashes) ? () => this.poll(shard) : undefined);
  }

  /** Does the work step by step; with `onCrash` it may end in its midst. */
  private run(steps: Steps, onEnd: () => void = () => undefined, onCrash?: () => void): void {
    const step = (): void => {
      if (onCrash !== undefined && this.dice.chance(0.3)) onCrash();
      else if (steps.next().done === true) onEnd();
      else this.clock.in(this.delay(), step);
    };
    step();
  }

  private *steps({ key }: ShownRecord): Steps {
    const { source, target } = key;
    if (source === target && source.startsWith('USER')) {
      yield* this.reconcileView(source);
      if (!this.features.copies) return;
      yield;
      const children = this.table
        .itemsOf(source)
        .filter((item) => this.table.keyOf(item).target.startsWith('~rev/LIKES-'));
      for (const item of children) {
        if (contentOf(item)['child'] === undefined) continue;
        yield* this.reconcileView(this.table.keyOf(item).target.slice('~rev/LIKES-'.length));
      }
    } else if (source === target) {
      yield* this.reconcileView(source);
      yield;
      const edges = this.table.itemsOf(source).map((item) => this.table.keyOf(item).target);
      for (const edge of edges) if (edge.startsWith('SELLS-')) yield* this.reconcileIndexItem(source, edge);
    } else if (target.startsWith('LIKES-')) {
      if (this.features.copies) yield* this.reconcileReverse(source, target);
      yield* this.reconcileView(source);
      yield* this.reconcileIndexItem(source, target);
    } else yield* this.reconcileIndexItem(source, target);
  }

  private *reconcileReverse(source: string, edge: string): Steps {
    const key = { source: edge.slice('LIKES-'.length), target: `~rev/LIKES-${source}` };
    yield* this.underRevision([key], () => {
      const isThere = this.table.current({ source, target: edge }) !== undefined;
      return () => this.write(key, isThere ? { child: { S: source } } : {});
    });
  }

  *reconcileView(source: string, isEvicted?: boolean): Steps {
    const key = { source, target: '~view' };
    yield* this.underRevision([key], () => {
      const { attributes, elements, copies } = expectedView(this.table, this.features, source);
      const evicted = isEvicted ?? evictedOf(this.table.current(key));
      const listed = evicted ? [] : [...elements.values()];
      const shown = evicted ? [] : [...copies].map(([edge, copy]): [string, Item[string]] => [edge, { M: copy }]);
      const content: Item = {
        ...(attributes && { attributes: { M: attributes } }),
        ...(listed.length > 0 && { edgeSet: { SS: listed } }),
        ...(shown.length > 0 && { copies: { M: Object.fromEntries(shown) } }),
        ...(evicted && { evicted: { SS: ['LIKES'] } }),
      };
      return () => this.write(key, content);
    });
  }

  private *reconcileIndexItem(source: string, edge: string): Steps {
    const key = { source, target: `~ix/${edge}` };
    const count = { source, target: '~degree/LIKES' };
    const isCounted = this.features.counts && edge.startsWith('LIKES-');
    yield* this.underRevision(isCounted ? [key, count] : [key], () => {
      const content = expectedIndexItem(this.table, this.features, source, edge) ?? {};
      return () => {
        const moved = Number('counted' in content) - Number(textOf(this.table.current(key)?.['counted']) !== '');
        this.write(key, content);
        if (isCounted && moved !== 0) this.write(count, { count: { N: String(this.countOf(count) + moved) } });
      };
    });
  }

  private countOf(key: ItemKey): number {
    const count = this.table.current(key)?.['count'];
    return count !== undefined && 'N' in count ? Number(count.N) : 0;
  }

  /** Reads revisions, then base items, then writes if the revisions are the same; else it begins again. */
  private *underRevision(keys: readonly ItemKey[], read: () => () => void): Steps {
    for (;;) {
      const seen = keys.map((key) => this.revisionOf(key));
      yield;
      const write = read();
      yield;
      if (!keys.every((key, i) => this.revisionOf(key) === seen[i])) continue;
      write();
      return;
    }
  }

  private revisionOf(key: ItemKey): number {
    return this.revisions.get(keysOf(key)) ?? 0;
  }

  /** Writes an item under its next revision. Without content it leaves a tombstone. */
  write({ source, target }: ItemKey, content: Item): void {
    const name = keysOf({ source, target });
    const revision = this.revisionOf({ source, target }) + 1;
    this.revisions.set(name, revision);
    const isTombstone = Object.keys(content).length === 0;
    this.table.write(
      { source, target },
      {
        ...{ source: { S: source }, target: { S: target }, r: { N: String(revision) } },
        ...(isTombstone && { expiresAt: { N: String(Math.floor(this.clock.now / 1_000) + 172_800) } }),
        ...content,
      },
    );
  }

  /** Somebody else writes an item, or deletes it: whoever holds its revision has to fail. */
  foreign(key: ItemKey, item: Item | undefined): void {
    this.revisions.set(keysOf(key), this.revisionOf(key) + 1);
    if (item === undefined) this.table.write(key, undefined);
    else this.table.write(key, { ...item, r: { N: String(this.revisionOf(key)) } });
  }

  /** Evicts an edge type from a view, or brings it back. */
  evict(source: string, isEvicted: boolean): void {
    this.run(this.reconcileView(source, isEvicted));
  }

  /** The parts that a base item decides about. */
  private partsOf({ source, target }: ItemKey): string[] {
    const view = { source, target: '~view' };
    if (source === target) {
      const names = [nameOfPart(view, 'attributes')];
      for (const shop of this.table.sources().filter((one) => one.startsWith('SHOP'))) {
        names.push(nameOfPart({ source: shop, target: '~view' }, 'copy', `LIKES-${source}`));
      }
      for (const item of this.table.itemsOf(source)) {
        const { target: edge } = this.table.keyOf(item);
        if (edge.startsWith('SELLS-')) names.push(nameOfPart({ source, target: `~ix/${edge}` }, 'fields'));
      }
      return names;
    }
    const item = nameOfPart({ source, target: `~ix/${target}` }, 'fields');
    if (target.startsWith('SELLS-')) return [item];
    const reverse = { source: target.slice('LIKES-'.length), target: `~rev/LIKES-${source}` };
    return [item, nameOfPart(reverse, 'fields'), nameOfPart(view, 'element', target), nameOfPart(view, 'copy', target)];
  }
}

/** Tells whether a record is one of a base item. */
function isBase({ key }: ShownRecord): boolean {
  return !key.target.startsWith('~');
}

/** The time that a record says it was made, in milliseconds. */
function stampOf({ record }: ShownRecord): number {
  return Number(record.dynamodb!.ApproximateCreationDateTime) * 1_000;
}
