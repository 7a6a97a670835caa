import type { ApplyStats } from '../apply/context.ts';
import { isContinuationOf, isLive, isReverseOf } from '../check/compare.ts';
import { copiedNode } from '../check/copies.ts';
import { NO_SET, type Suspect, type SuspectPart } from '../check/finding.ts';
import { edgeNamedBy } from '../check/observe.ts';
import { StoreError } from '../errors.ts';
import { numberOf } from '../items/attribute-value.ts';
import { REVISION } from '../items/derived-item.ts';
import { baseKeyOfIndexItem, VIEW_KEY } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { ItemKey, Store } from '../store/port.ts';
import type { StreamLabel } from '../stream/stream-label.ts';
import { restartFanOut, settleReverseItem } from './across.ts';
import { type SettleContext, settleDegree, settleIndexItem, settleViewParts } from './settle.ts';

/** Options of a mender. */
export interface MenderOptions {
  graph: CompiledModel;
  /** The table; it retries what may be retried. */
  store: Store;
  stream: StreamLabel;
  /** Clock in milliseconds since 1970. */
  now: () => number;
  wait: (milliseconds: number) => Promise<void>;
  /** Only says what it would do. */
  isPlan?: boolean;
  /** Called with one line for each repair. */
  onRepair?: (action: string) => void;
}

/** No record asks for it: the watermark that is seen stays, and where there is none it is empty. */
const NO_WATERMARK = '';

/**
 * Mends what a check found. It was only nominated: what is written is what the base items want now, read after the
 * derived item and written under its revision, so that no newer projection is ever overwritten.
 */
export class Mender {
  private readonly context: SettleContext;

  constructor(private readonly options: MenderOptions) {
    const { graph, store, stream, now, wait } = options;
    const stats: ApplyStats = { writes: 0, wcu: 0, rcu: 0, stale: 0, contradictions: 0, quarantined: 0 };
    const remainingMs = (): number => Number.POSITIVE_INFINITY;
    this.context = { graph, store, stream, now, wait, remainingMs, random: Math.random, stats };
  }

  /** Mends derived items of a partition; gives the sort keys of those that it wrote. */
  async mend(source: string, suspects: readonly Suspect[]): Promise<ReadonlySet<string>> {
    const written = new Set<string>();
    const write = async (sortKey: string, run: () => Promise<boolean>): Promise<void> => {
      if (await this.attempted(source, sortKey, run)) written.add(sortKey);
    };
    for (const { sortKey, part } of suspects) {
      // Counts first: one that is no number is in the way of the items that it counts.
      if (part.kind === 'degree') await write(sortKey, () => this.mendDegree(source, part.edgeType));
    }
    const ofView = suspects.filter(({ sortKey }) => sortKey === VIEW_KEY);
    if (ofView.length > 0) await write(VIEW_KEY, () => this.mendView(source, ofView));
    for (const sortKey of new Set(suspects.map((suspect) => suspect.sortKey))) {
      if (sortKey === VIEW_KEY || written.has(sortKey)) continue;
      const parts = suspects.filter((suspect) => suspect.sortKey === sortKey).map(({ part }) => part);
      if (parts.some(({ kind }) => kind === 'degree')) continue;
      await write(sortKey, () => this.mendItem({ source, target: sortKey }, parts));
    }
    return written;
  }

  /** Cleans up what holds nothing: buries expired tombstones, and makes one of an item that only lacks the expiry. */
  async tidy(key: ItemKey, noted: 'expired' | 'empty'): Promise<boolean> {
    const { source, target } = key;
    return await this.attempted(source, target, async () => {
      if (noted === 'expired') return this.bury(key);
      return target === VIEW_KEY ? this.mendView(source, []) : this.mendItem(key, []);
    });
  }

  /** Runs one repair, unless it is only planned. One that DynamoDB refuses is said and does not stop the others. */
  private async attempted(source: string, sortKey: string, run: () => Promise<boolean>): Promise<boolean> {
    const { isPlan = false, onRepair } = this.options;
    onRepair?.(`${isPlan ? 'would mend' : 'mend'} ${source} ${sortKey}`);
    if (isPlan) return false;
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'terminal') throw error;
      onRepair?.(`cannot mend ${source} ${sortKey}: ${error.message}`);
      return false;
    }
  }

  private async mendView(source: string, suspects: readonly Suspect[]): Promise<boolean> {
    const targets = new Set<string>();
    const unmark = new Set<string>();
    const drop: string[] = [];
    for (const { part } of suspects) {
      if (part.kind === 'element') targets.add(part.target);
      else if (part.kind === 'copy') {
        // A copy that stands beside no edge goes with any write.
        if (copiedNode(this.options.graph, part.target) !== undefined) targets.add(part.target);
      } else if (part.kind === 'attributes') targets.add(source);
      else if (part.kind === 'mark') unmark.add(part.edgeType);
      else if (part.kind === 'garbage' && part.element !== NO_SET) drop.push(part.element);
    }
    await settleViewParts(this.context, source, [...targets], NO_WATERMARK, { unmark, drop });
    return true;
  }

  private async mendItem(key: ItemKey, parts: readonly SuspectPart[]): Promise<boolean> {
    const { context } = this;
    const { source, target: sortKey } = key;
    if (parts.some(({ kind }) => kind === 'unknown-item')) return await this.deleteUnknown(key);
    if (isReverseOf(context.graph, sortKey)) {
      const base = parts.find(({ kind }) => kind === 'reverse');
      await settleReverseItem(context, key, base?.kind === 'reverse' ? base.base : undefined);
    } else if (isContinuationOf(context.graph, sortKey)) {
      await restartFanOut(context, key);
    } else {
      // An item that is named by a hash and that no edge of the partition has is nobody's: any absent base item says so.
      const target = baseKeyOfIndexItem(source, sortKey) ?? (await edgeNamedBy(context, source, sortKey)) ?? sortKey;
      await settleIndexItem(context, { source, target }, key, NO_WATERMARK);
    }
    return true;
  }

  private async mendDegree(source: string, edgeType: string): Promise<boolean> {
    await settleDegree(this.context, source, edgeType);
    return true;
  }

  private async deleteUnknown(key: ItemKey): Promise<boolean> {
    const { store } = this.context;
    const { item } = await store.get(key, { consistent: true });
    if (item === undefined) return false;
    const { applied } = await store.delete(key, { kind: 'revision', revision: numberOf(item[REVISION]) });
    return applied;
  }

  private async bury(key: ItemKey): Promise<boolean> {
    const { store, graph, now } = this.context;
    const { item } = await store.get(key, { consistent: true });
    if (item === undefined || isLive(key.target, item)) return false;
    const expiry = numberOf(item[graph.table.ttl]);
    if (expiry === undefined || Number(expiry) * 1000 >= now()) return false;
    const { applied } = await store.delete(key, { kind: 'revision', revision: numberOf(item[REVISION]) });
    return applied;
  }
}
