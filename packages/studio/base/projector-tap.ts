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
import { createProjector } from '../../../src/projecting/apply/projector.ts';
import type { Projector } from '../../../src/projecting/apply/projector-types.ts';
import { ForwardingStore, type StoreCallName } from '../../../src/store/forwarding.ts';
import { walkedItem } from '../../../src/store/table-walk.ts';
import { keepNewest } from './newest.ts';

/** A write of one item, as the process that made it knows it. */
export interface TappedWrite {
  /** When it was sent and when it was answered, in milliseconds since 1970 with their fractions. */
  sentMs: number;
  answeredMs: number;
  /** Units, those of indexes included; of a call of several items the share of this one. */
  wcu: number;
}

/** A batch that was projected in this process. */
export interface TappedBatch {
  beganMs: number;
  endedMs: number;
  records: number;
  /** The keys of the items that it wrote, as `textOfKey` has them, with the last write of each. */
  writes: ReadonlyMap<string, TappedWrite>;
}

/** Records whose batches are kept, and items whose last writes are. */
const MOST_KEPT = 5_000;
const MOST_OF_AN_ITEM = 20;

function nameOfRecord({ stream, sequenceNumber }: RecordPlace): string {
  return `${stream} ${sequenceNumber}`;
}

/** Milliseconds since 1970, finer than a clock's. */
function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Notes what this process writes and projects, and when: a stream tells whole seconds. A studio has one for its own writes; where the
 * projector runs in its process, it is given that, too.
 */
export class ProjectorTap {
  private readonly batches = new Map<string, TappedBatch>();
  private readonly written = new Map<string, TappedWrite[]>();

  /** A store that notes each write. */
  around(table: TableNames, store: Store & ScanSource): Store & ScanSource {
    return new TappedStore(store, table, (key, write) => this.noteWrite(textOfKey(key), write));
  }

  /** A projector that notes each batch, and what it writes. */
  projector(graph: CompiledModel, store: Store & ScanSource): Projector {
    // Batches of several shards run at once, so each has a store that notes its writes.
    return {
      project: async (records, options) => {
        const writes = new Map<string, TappedWrite>();
        const own = new TappedStore(store, graph.table, (key, write) => writes.set(textOfKey(key), write));
        const beganMs = preciseNow();
        const result = await createProjector(graph, { store: own }).project(records, options);
        const batch: TappedBatch = { beganMs, endedMs: preciseNow(), records: records.length, writes };
        for (const record of records) keepNewest(this.batches, nameOfRecord(record), batch, MOST_KEPT);
        return result;
      },
    };
  }

  /** The batch that took a record; undefined: it is not known here. */
  batchOf(record: RecordPlace): TappedBatch | undefined {
    return this.batches.get(nameOfRecord(record));
  }

  /** The last write of a base item by this process that was sent before a moment, in milliseconds since 1970. */
  writeOf(key: ItemKey, beforeMs: number): TappedWrite | undefined {
    return this.written.get(textOfKey(key))?.findLast(({ sentMs }) => sentMs <= beforeMs);
  }

  private noteWrite(key: string, write: TappedWrite): void {
    const writes = [...(this.written.get(key) ?? []), write].slice(-MOST_OF_AN_ITEM);
    keepNewest(this.written, key, writes, MOST_KEPT);
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

/** The keys of the items that a call writes; none of a call that reads. */
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
