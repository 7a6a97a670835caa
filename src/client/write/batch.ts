import type { CompiledModel } from '../../core/model/compiled.ts';
import type { BatchWrite, Store } from '../../core/store-port.ts';
import { EdgeloomError, InvalidAttributesError, type Mistake } from '../../foundation/errors.ts';
import { checkOptions } from '../../foundation/options.ts';
import type { CallOptions, CallResult } from '../call/capacity.ts';
import { writableKey } from './checks/key.ts';
import { edgeItem, edgeKey, nodeItem, nodeKey, partItem, partKey } from './item/prepare.ts';
import { checkUnversioned } from './item/single.ts';
import { BATCH_ITEMS, unfinished } from './unfinished.ts';

/** The result of a batch. */
export interface WriteBatchResult extends CallResult {
  /** Items put and deleted; an item that the batch names several times counts once. */
  items: number;
  /** DynamoDB calls made. */
  calls: number;
}

/** A bad operation of a batch: which one, counted from 1, and why. */
export interface BadOperation {
  position: number;
  error: EdgeloomError;
}

/** The code of problems that have several codes. */
const MIXED = 'invalid-batch';

/**
 * A batch, a transaction or a `putMany` with bad operations; nothing of it was written. `problems` lists every bad one. Its `code` is
 * that of its problems, the same that the operation has alone; `invalid-batch` if they differ.
 */
export class InvalidBatchError extends EdgeloomError {
  readonly problems: readonly BadOperation[];
  /** Every reason with its path in the attributes of its operation; an empty path where none is at fault alone. */
  readonly issues: readonly (Mistake & { position: number })[];

  constructor(problems: readonly BadOperation[], total: number, what = 'batch') {
    const lines = problems.map(({ position, error }) => `  operation ${position}: ${error.message}`);
    const hints = new Set(problems.map(({ error }) => error.hint));
    const codes = new Set(problems.map(({ error }) => error.code));
    super(
      codes.size === 1 ? problems[0]!.error.code : MIXED,
      `${problems.length} of the ${total} operations of the ${what} cannot be written; nothing was:\n${lines.join('\n')}`,
      [...hints].join(' ').trim(),
    );
    this.name = 'InvalidBatchError';
    this.problems = problems;
    this.issues = problems.flatMap(({ position, error }) => {
      const issues = error instanceof InvalidAttributesError ? error.issues : [{ path: '', message: error.message }];
      return issues.map((issue) => ({ position, ...issue }));
    });
  }
}

/** Collects the operations of a batch; nothing is checked or sent before the batch runs. */
export class BatchBuilder {
  private readonly prepared: (() => Promise<BatchWrite>)[] = [];
  constructor(private readonly graph: CompiledModel) {}

  putNode = (id: string, attributes: unknown = {}, options?: object): void => {
    this.prepare(options, async () => ({ put: await nodeItem(this.graph, id, attributes, 'batch') }));
  };

  putEdge = (source: string, edgeType: string, target: string, attributes: unknown = {}, options?: object): void => {
    this.prepare(options, async () => ({ put: await edgeItem(this.graph, source, edgeType, target, attributes) }));
  };

  putPart = (id: string, part: string, attributes: unknown = {}, options?: object): void => {
    this.prepare(options, async () => ({ put: await partItem(this.graph, id, part, attributes) }));
  };

  deletePart = (id: string, part: string, options?: object): void => {
    this.prepare(options, async () => ({ delete: writableKey(this.graph, partKey(this.graph, id, part)) }));
  };

  deleteEdge = (source: string, edgeType: string, target: string, options?: object): void => {
    this.prepare(options, async () => ({
      delete: writableKey(this.graph, edgeKey(this.graph, source, edgeType, target)),
    }));
  };

  deleteNode = (id: string, options?: object): void => {
    this.prepare(options, async () => {
      const key = writableKey(this.graph, nodeKey(this.graph, id));
      checkUnversioned(this.graph, key, 'Delete it with deleteNode, or in a transaction.');
      return { delete: key };
    });
  };

  /** Checks all operations, then writes them. Throws an `InvalidBatchError`, or the store's error. */
  async run(store: Store, { signal }: CallOptions): Promise<WriteBatchResult> {
    signal?.throwIfAborted();
    const writes = await this.checkAll();
    let calls = 0;
    for (let items = 0; items < writes.length; items += BATCH_ITEMS) {
      const chunk = writes.slice(items, items + BATCH_ITEMS);
      try {
        calls += (await store.writeMany(chunk, { signal })).calls;
      } catch (error) {
        throw unfinished(error, { what: 'the batch', items, hint: 'Run the whole batch again.' });
      }
    }
    return { items: writes.length, calls };
  }

  /** Code without types may give options, such as a condition, as it does to a writer: they would be ignored. */
  private prepare(options: object | undefined, write: () => Promise<BatchWrite>): void {
    this.prepared.push(async () => {
      // `ids.forEach(batch.deleteNode)` gives a number in this place.
      if (typeof options === 'object') checkOptions('An operation of a batch', options, {});
      return await write();
    });
  }

  private async checkAll(): Promise<BatchWrite[]> {
    const bad: BadOperation[] = [];
    // BatchWriteItem refuses a key that is named twice, and orders nothing: the last word on each key is what is sent.
    const last = new Map<string, BatchWrite>();
    const results = await Promise.allSettled(this.prepared.map((prepare) => prepare()));
    for (const [i, result] of results.entries()) {
      if (result.status === 'fulfilled') last.set(baseKeyText(this.graph, result.value), result.value);
      else if (result.reason instanceof EdgeloomError) bad.push({ position: i + 1, error: result.reason });
      else throw result.reason;
    }
    if (bad.length > 0) throw new InvalidBatchError(bad, this.prepared.length);
    return [...last.values()];
  }
}

/** The key that a write is of, as one text. */
export function baseKeyText(graph: CompiledModel, write: BatchWrite): string {
  if ('delete' in write) return JSON.stringify([{ S: write.delete.source }, { S: write.delete.target }]);
  return JSON.stringify([write.put[graph.table.partitionKey], write.put[graph.table.sortKey]]);
}
