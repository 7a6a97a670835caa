import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { RecordPlace } from '../../../src/core/items/change-record.ts';
import { textOfKey } from '../../../src/core/items/keys.ts';
import type { CompiledModel, TableNames } from '../../../src/core/model/compiled.ts';
import type {
  BaseChange,
  BatchWrite,
  DerivedUpdate,
  ItemKey,
  ScanPage,
  ScanRequest,
  ScanSource,
  Store,
  UpdateOutcome,
} from '../../../src/core/store-port.ts';
import { appliedCount, createProjector } from '../../../src/projecting/apply/projector.ts';
import type { Projector } from '../../../src/projecting/apply/projector-types.ts';
import { ForwardingStore, type StoreCallName } from '../../../src/store/forwarding.ts';
import { walkedItem } from '../../../src/store/table-walk.ts';

export interface TappedWrite {
  /** Milliseconds since 1970, with fractions. */
  sentMs: number;
  answeredMs: number;
  /** Includes indexes. For a call with several items, this item's share. */
  wcu: number;
}

export interface TappedBatch {
  beganMs: number;
  endedMs: number;
  records: number;
  /** The last write of each item, by `textOfKey`. */
  writes: ReadonlyMap<string, TappedWrite>;
}

const MOST_KEPT = 5_000;
const MOST_OF_AN_ITEM = 20;

function nameOfRecord({ stream, sequenceNumber }: RecordPlace): string {
  return `${stream} ${sequenceNumber}`;
}

function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

function keepNewest<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  const [oldest] = map.keys();
  if (map.size > MOST_KEPT) map.delete(oldest!);
}

/** Records this process's writes and batches with exact times, because the stream only has whole seconds. */
export class ProjectorTap {
  private readonly batches = new Map<string, TappedBatch>();
  private readonly written = new Map<string, TappedWrite[]>();

  around(table: TableNames, store: Store & ScanSource): Store & ScanSource {
    return new TappedStore(store, table, (key, write) => this.noteWrite(textOfKey(key), write));
  }

  projector(graph: CompiledModel, store: Store & ScanSource): Projector {
    // Batches of different shards overlap, so each has its own store.
    return {
      project: async (records, options) => {
        const writes = new Map<string, TappedWrite>();
        const own = new TappedStore(store, graph.table, (key, write) => writes.set(textOfKey(key), write));
        const beganMs = preciseNow();
        const result = await createProjector(graph, { store: own }).project(records, options);
        const batch: TappedBatch = { beganMs, endedMs: preciseNow(), records: records.length, writes };
        for (const record of records.slice(0, appliedCount(records, result)))
          keepNewest(this.batches, nameOfRecord(record), batch);
        return result;
      },
    };
  }

  batchOf(record: RecordPlace): TappedBatch | undefined {
    return this.batches.get(nameOfRecord(record));
  }

  writeOf(key: ItemKey, beforeMs: number): TappedWrite | undefined {
    return this.written.get(textOfKey(key))?.findLast(({ sentMs }) => sentMs <= beforeMs);
  }

  private noteWrite(key: string, write: TappedWrite): void {
    const writes = [...(this.written.get(key) ?? []), write].slice(-MOST_OF_AN_ITEM);
    keepNewest(this.written, key, writes);
  }
}

class TappedStore extends ForwardingStore<Store & ScanSource> implements ScanSource {
  constructor(
    inner: Store & ScanSource,
    private readonly table: TableNames,
    private readonly note: (key: ItemKey, write: TappedWrite) => void,
  ) {
    super(inner);
  }

  scan(request: ScanRequest): Promise<ScanPage> {
    return this.inner.scan(request);
  }

  protected override pass<Name extends StoreCallName>(
    name: Name,
    ...args: Parameters<Store[Name]>
  ): ReturnType<Store[Name]> {
    const keys = keysOf(this.table, name, args[0]);
    const made = super.pass(name, ...args);
    return keys.length === 0 ? made : (this.noted(made, keys) as ReturnType<Store[Name]>);
  }

  private async noted(made: Promise<unknown>, keys: readonly ItemKey[]): Promise<unknown> {
    const sentMs = preciseNow();
    const result = (await made) as { applied?: boolean; wcu: number } | readonly UpdateOutcome[];
    const answeredMs = preciseNow();
    const outcomes = 'wcu' in result ? keys.map(() => ({ ...result, wcu: result.wcu / keys.length })) : result;
    for (const [i, { applied, ...outcome }] of outcomes.entries()) {
      if (applied !== false && 'wcu' in outcome) this.note(keys[i]!, { sentMs, answeredMs, wcu: outcome.wcu });
    }
    return result;
  }
}

function keysOf(table: TableNames, name: StoreCallName, input: unknown): ItemKey[] {
  const ofItem = (item: Item): ItemKey => walkedItem({ table }, item);
  switch (name) {
    case 'put':
      return [ofItem(input as Item)];
    case 'delete':
      return [input as ItemKey];
    case 'update':
    case 'change':
      return [(input as DerivedUpdate | BaseChange).key];
    case 'updateMany':
    case 'transact':
    case 'changeAll':
      return (input as readonly (DerivedUpdate | BaseChange)[]).map(({ key }) => key);
    case 'writeMany':
      return (input as readonly BatchWrite[]).map((write) => ('put' in write ? ofItem(write.put) : write.delete));
    default:
      return [];
  }
}
