import type { TableDescription, UpdateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { INDEX_NAMES } from '../../../src/core/items/derived-item.ts';
import type { CompiledModel, TableNames } from '../../../src/core/model/compiled.ts';
import type { NativeIndexNeed } from '../../../src/core/model/native-indexes.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { indexDefinition, keySchema } from '../../../src/store/definition/table-definition.ts';
import type { Random } from './random.ts';

interface NativeIndex {
  need: NativeIndexNeed;
  filledAtMs: number;
  /** When DynamoDB has deleted the index. Infinite: nobody has asked for it. */
  goneAtMs: number;
}

/** Milliseconds that DynamoDB takes at most to add or delete an index: one of these. */
const [ADDING_MS, DELETING_MS] = [
  [2_000, 60_000, 600_000],
  [1_000, 30_000, 300_000],
] as const;
/** AWS refuses a call that was signed earlier. */
export const MOST_CALL_AGE_MS = 15 * 60_000;

/** The native indexes of a table, which come and go by UpdateTable: one at a time, and each after a while. */
export class NativeIndexes {
  private readonly known = new Map<string, NativeIndex>();

  constructor(
    private readonly clock: { readonly nowMs: number },
    private readonly random: Random,
    private readonly names: TableNames,
  ) {}

  /** Whether readers can use an index. */
  has(name: string): boolean {
    return this.current().some(({ need, filledAtMs, goneAtMs }) => {
      return need.name === name && filledAtMs <= this.clock.nowMs && goneAtMs === Number.POSITIVE_INFINITY;
    });
  }

  /** The definition of an index that a query names; undefined while the index is deleted, and a query finds nothing or is refused. */
  read(name: string, random: Random): NativeIndexNeed | undefined {
    const found = this.current().find(({ need }) => need.name === name);
    if (found === undefined) throw new StoreError('fatal', 'no-index', `The table has no index ${name}.`);
    if (found.filledAtMs > this.clock.nowMs)
      throw new StoreError('retryable', 'no-index', `The index ${name} is being filled.`);
    if (found.goneAtMs === Number.POSITIVE_INFINITY) return found.need;
    if (random.chance(0.5)) throw new StoreError('fatal', 'no-index', `The index ${name} is being deleted.`);
    return undefined;
  }

  /** DynamoDB's answer to DescribeTable. */
  describe(): TableDescription {
    const { names } = this;
    const { nowMs } = this.clock;
    const { partitionKey, sortKey } = names;
    const derived = INDEX_NAMES.map((index) => indexDefinition({ table: names } as CompiledModel, index));
    const native = this.current().map(({ need, filledAtMs, goneAtMs }) => ({
      IndexName: need.name,
      KeySchema: keySchema(need.partition, need.sort),
      Projection:
        need.attributes === undefined
          ? { ProjectionType: 'ALL' as const }
          : { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...need.attributes] },
      IndexStatus:
        goneAtMs < Number.POSITIVE_INFINITY
          ? ('DELETING' as const)
          : filledAtMs > nowMs
            ? ('CREATING' as const)
            : ('ACTIVE' as const),
    }));
    return {
      TableName: names.name,
      TableStatus: 'ACTIVE',
      KeySchema: keySchema(partitionKey, sortKey),
      // As many as models of schedules name.
      GlobalSecondaryIndexes: [...derived.slice(0, 4), ...native],
    };
  }

  /** Carries out an UpdateTable; nothing while another index is changed. */
  change({ AttributeDefinitions = [], GlobalSecondaryIndexUpdates = [] }: UpdateTableCommandInput): void {
    const { nowMs } = this.clock;
    const isChanging = this.current().some(
      ({ filledAtMs, goneAtMs }) => filledAtMs > nowMs || goneAtMs < Number.POSITIVE_INFINITY,
    );
    if (isChanging) return;
    for (const { Create, Delete } of GlobalSecondaryIndexUpdates) {
      const found = this.known.get(Delete?.IndexName ?? '');
      if (found !== undefined) found.goneAtMs = nowMs + this.random.below(this.random.oneOf(DELETING_MS));
      if (Create === undefined || this.known.has(Create.IndexName!)) continue;
      const [partition = '', sort = ''] = Create.KeySchema!.map(({ AttributeName }) => AttributeName);
      const attribute = partition === this.names.sortKey ? sort : partition;
      const { ProjectionType, NonKeyAttributes = [] } = Create.Projection!;
      const isNumber = AttributeDefinitions.some((one) => one.AttributeName === attribute && one.AttributeType === 'N');
      this.known.set(Create.IndexName!, {
        need: {
          ...{ name: Create.IndexName!, partition, sort, attribute, type: isNumber ? 'N' : 'S' },
          attributes: ProjectionType === 'ALL' ? undefined : NonKeyAttributes,
        },
        filledAtMs: nowMs + this.random.below(this.random.oneOf(ADDING_MS)),
        goneAtMs: Number.POSITIVE_INFINITY,
      });
    }
  }

  private current(): NativeIndex[] {
    for (const [name, { goneAtMs }] of this.known) if (goneAtMs <= this.clock.nowMs) this.known.delete(name);
    return [...this.known.values()];
  }
}
