import type { ApplyStats } from '../apply/context.ts';
import { StoreError } from '../errors.ts';
import { numberOf } from '../items/attribute-value.ts';
import { unchanged } from '../items/derived-item.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { ItemKey, Store } from '../store/port.ts';
import type { StreamLabel } from '../stream/stream-label.ts';
import { itemKindOf } from './kinds.ts';
import { mendForm } from './parts/form.ts';
import type { ItemKind, Suspect } from './parts/kind.ts';
import { deleteAlien } from './parts/unknown-item.ts';
import type { SettleContext } from './settle/context.ts';

/** Options of a mender. */
export interface MenderOptions {
  graph: CompiledModel;
  /** The table; it retries what may be retried. */
  store: Store;
  stream: StreamLabel;
  /** DynamoDB's time, in milliseconds since 1970: the fence of what is mended. Default: the clock's. */
  fenceMs?: (() => number) | undefined;
  /** Clock in milliseconds since 1970. */
  now: () => number;
  wait: (milliseconds: number) => Promise<void>;
  /** A number from 0 to below 1. Default: `Math.random`. */
  random?: (() => number) | undefined;
  /** Only says what it would do. */
  isPlan?: boolean;
  /** Called with one line for each repair. */
  onRepair?: (action: string) => void;
}

/**
 * Mends what a check found. It was only nominated: what is written is what the base items want now, read after the
 * derived item and written under its revision, so that no newer projection is ever overwritten.
 */
export class Mender {
  private readonly context: SettleContext;

  constructor(private readonly options: MenderOptions) {
    const { graph, store, stream, now, wait, random = Math.random, fenceMs = now } = options;
    const stats: ApplyStats = { writes: 0, wcu: 0, rcu: 0, stale: 0, contradictions: 0, quarantined: 0 };
    const remainingMs = (): number => Number.POSITIVE_INFINITY;
    this.context = { graph, store, stream, fenceMs, now, wait, remainingMs, random, stats };
  }

  /** Mends derived items of a partition; gives the sort keys of those that it wrote. */
  async mend(source: string, suspects: readonly Suspect[]): Promise<ReadonlySet<string>> {
    const written = new Set<string>();
    const items = [...new Set(suspects.map(({ sortKey }) => sortKey))].map((target) => ({
      kind: itemKindOf(this.options.graph, target),
      key: { source, target },
      parts: suspects.filter(({ sortKey }) => sortKey === target).map(({ part }) => part),
    }));
    items.sort((left, right) => left.kind.mendOrder - right.kind.mendOrder);
    for (const { kind, key, parts } of items) {
      const isMended = await this.attempted(key, async () => {
        if (parts.some(({ kind }) => kind === 'retired' || kind === 'misplaced')) {
          return await deleteAlien(this.context, key);
        }
        if (parts.some((part) => part.kind === 'form')) await mendForm(this.context, kind, key);
        return await kind.mend(this.context, key, parts);
      });
      if (isMended) written.add(key.target);
    }
    return written;
  }

  /** Cleans up what holds nothing: buries expired tombstones, and makes one of an item that only lacks the expiry. */
  async tidy(key: ItemKey, noted: 'expired' | 'empty'): Promise<boolean> {
    const kind = itemKindOf(this.options.graph, key.target);
    return await this.attempted(key, () =>
      noted === 'expired' ? this.bury(kind, key) : kind.mend(this.context, key, []),
    );
  }

  /** Runs one repair, unless it is only planned. One that DynamoDB refuses is said and does not stop the others. */
  private async attempted({ source, target }: ItemKey, run: () => Promise<boolean>): Promise<boolean> {
    const { isPlan = false, onRepair } = this.options;
    onRepair?.(`${isPlan ? 'would mend' : 'mend'} ${source} ${target}`);
    if (isPlan) return false;
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'terminal') throw error;
      onRepair?.(`cannot mend ${source} ${target}: ${error.message}`);
      return false;
    }
  }

  private async bury(kind: ItemKind, key: ItemKey): Promise<boolean> {
    const { store, graph, now } = this.context;
    const { item } = await store.get(key, { consistent: true });
    if (item === undefined || kind.isLive(item)) return false;
    const expiry = numberOf(item[graph.table.ttl]);
    if (expiry === undefined || Number(expiry) * 1000 >= now()) return false;
    // rule: tombstone-is-buried-under-the-revision-seen
    const { applied } = await store.delete(key, unchanged(item, graph.table.ttl));
    return applied;
  }
}
