import type { Item } from '../../../src/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/items/change-record.ts';
import { watermarkOf } from '../../../src/items/watermark.ts';
import type { CompiledModel } from '../../../src/model/compiled.ts';
import type { TableIdentity } from '../../../src/registry/registry.ts';
import type {
  ItemKey,
  QueryRequest,
  QueryResult,
  ReadOptions,
  ScanPage,
  ScanRequest,
  ScanSource,
  Store,
} from '../../../src/store/port.ts';
import { isBaseSortKey, isContinuationKey } from '../../../src/stream/filter.ts';
import { type ItemChange, MemoryStore } from '../../support/memory-store/memory-store.ts';
import type { Agenda } from '../agenda.ts';
import type { Random } from '../random.ts';

/** Milliseconds that an index may lag behind its table. */
export const INDEX_LAG = 3_000;

/** Milliseconds that a replica, which reads that are eventually consistent ask, may lag behind. */
export const REPLICA_LAG = 3_000;

/** The table: items, a replica and an index that lag behind them, and a stream of records. */
export class EvolvingTable {
  readonly items: MemoryStore;
  /** What the indexes show: each item as it was some time ago. */
  private readonly shown: MemoryStore;
  private readonly shownAt = new Map<string, number>();
  /** What reads that are eventually consistent show. */
  private readonly replica: MemoryStore;
  private readonly replicatedAt = new Map<string, number>();
  /** Base items as they are, by `source target`. */
  readonly base = new Map<string, Item>();
  private sequence = 0;
  /** How often it was restored: each table has an id and a stream of its own. */
  private restored = 0;
  private isUnrecorded = false;

  constructor(
    { table }: CompiledModel,
    private readonly agenda: Agenda,
    private readonly random: Random,
    private readonly onRecord: (record: ChangeRecord) => void,
    private readonly count: (what: string) => void,
    /** How long the replica lags, apart from what else is drawn. */
    private readonly lags: Random,
  ) {
    this.items = new MemoryStore(table, { onChange: (change) => this.changed(change) });
    this.shown = new MemoryStore(table);
    this.replica = new MemoryStore(table);
  }

  /** The table as a process calls it: an index shows it late, and so may a replica. */
  get store(): Store & ScanSource {
    const { items, shown, replica } = this;
    const asked = ({ consistent }: { consistent?: boolean }): MemoryStore => (consistent === true ? items : replica);
    return new Proxy(items, {
      get(target, name) {
        if (name === 'query') {
          return (request: QueryRequest): Promise<QueryResult> =>
            (request.index === undefined ? asked(request) : shown).query(request);
        }
        if (name === 'get') return (key: ItemKey, options: ReadOptions) => asked(options).get(key, options);
        if (name === 'getMany') {
          return (keys: readonly ItemKey[], options: ReadOptions) => asked(options).getMany(keys, options);
        }
        if (name === 'scan') {
          return (request: ScanRequest): Promise<ScanPage> =>
            (request.index === undefined ? items : shown).scan(request);
        }
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  /** Which table it is, and which stream it has. */
  get identity(): TableIdentity {
    return { id: `table-${this.restored}`, streamLabel: `2026-01-0${1 + this.restored}T00:00:00.000` };
  }

  /** Something is written of which no record tells: before there was a stream, or while no consumer has read it. */
  unrecorded(write: () => void): void {
    this.isUnrecorded = true;
    write();
    this.isUnrecorded = false;
  }

  /** It is restored from a backup: another table, with a stream that begins anew. */
  restore(): void {
    this.restored += 1;
    this.sequence = 0;
  }

  private changed({ key, oldImage, newImage }: ItemChange): void {
    const { source, target } = key;
    if (newImage?.['evicted'] !== undefined && oldImage?.['evicted'] === undefined) this.count('evictions');
    if (isContinuationKey(target)) this.count('records of fan-outs');
    const text = `${source} ${target}`;
    if (isBaseSortKey(target)) {
      if (newImage === undefined) this.base.delete(text);
      else this.base.set(text, newImage);
    }
    if (!this.isUnrecorded && (isBaseSortKey(target) || isContinuationKey(target))) {
      this.sequence += 1;
      const sequenceNumber = String(this.sequence);
      this.onRecord({
        ...{ source, target, oldImage, newImage, sequenceNumber },
        position: watermarkOf(this.identity.streamLabel, sequenceNumber),
        createdAtSeconds: Math.floor(this.agenda.now / 1000),
      });
    }
    const { random, lags } = this;
    this.showLater(this.replica, this.replicatedAt, lags.chance(0.7) ? 0 : lags.below(REPLICA_LAG), { key, newImage });
    if (!target.startsWith('~ix/')) return;
    this.showLater(this.shown, this.shownAt, random.chance(0.7) ? 0 : random.below(INDEX_LAG), { key, newImage });
  }

  /** The changes of one item come into a copy in their order. */
  private showLater(
    copy: MemoryStore,
    shownAt: Map<string, number>,
    lag: number,
    { key, newImage }: Pick<ItemChange, 'key' | 'newImage'>,
  ): void {
    const { agenda } = this;
    const text = `${key.source} ${key.target}`;
    const at = Math.max(shownAt.get(text) ?? 0, agenda.now + lag);
    shownAt.set(text, at);
    agenda.in(at - agenda.now, () => {
      void (newImage === undefined ? copy.delete(key) : copy.put(newImage));
      return false;
    });
  }
}
