import type { Item } from '../../core/items/attribute-value.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { BatchWrite, ItemKey, Store } from '../../core/store-port.ts';
import { EdgeloomError, InvalidAttributesError, type Mistake } from '../../foundation/errors.ts';
import { checkOptions } from '../../foundation/options.ts';
import type { CallOptions, CallResult } from '../call/capacity.ts';
import { writableKey } from './checks/key.ts';
import { edgeItem, edgeKey, nodeItem, nodeKey, partItem, partKey } from './item/prepare.ts';
import { checkUnversioned } from './item/single.ts';
import { unfinished } from './unfinished.ts';
import { writeInBatches } from './write-batches.ts';

/** The result of a batch. */
export interface WriteBatchResult extends CallResult {
  /** Number of items written. An item that the batch names several times counts once. */
  items: number;
  calls: number;
}

/** A bad operation, with its 1-based position. */
export interface BadOperation {
  position: number;
  error: EdgeloomError;
}

/**
 * Thrown for a batch, transaction or `putMany` with bad operations; nothing was written. `code` is their common code,
 * or `invalid-batch`.
 */
export class InvalidBatchError extends EdgeloomError {
  readonly problems: readonly BadOperation[];
  /**
   * Problems by path in the operation's attributes. Only a validator of `fields` gives paths; otherwise they are empty.
   */
  readonly issues: readonly (Mistake & { position: number })[];

  constructor(problems: readonly BadOperation[], total: number, what = 'batch') {
    const lines = problems.map(({ position, error }) => `  operation ${position}: ${error.message}`);
    const hints = new Set(problems.map(({ error }) => error.hint));
    const codes = new Set(problems.map(({ error }) => error.code));
    super(
      codes.size === 1 ? problems[0]!.error.code : 'invalid-batch',
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

export class OperationList<T> {
  private readonly listed: (() => Promise<T>)[] = [];
  private isComplete = false;

  constructor(private readonly method: string) {}

  push(prepare: () => Promise<T>): void {
    if (!this.isComplete) {
      this.listed.push(prepare);
      return;
    }
    throw new EdgeloomError(
      'invalid-argument',
      `The function of ${this.method} named an operation after it had ended, so this operation would be lost.`,
      'Make the function async, and await in it whatever names operations: a for loop or Promise.all, since forEach does not wait.',
    );
  }

  complete(): readonly (() => Promise<T>)[] {
    this.isComplete = true;
    return this.listed;
  }
}

export class BatchBuilder {
  private readonly prepared = new OperationList<BatchWrite>('batch');
  constructor(private readonly graph: CompiledModel) {}

  putNode = (id: string, attributes: unknown = {}, options?: object): void =>
    this.put(() => nodeItem(this.graph, id, attributes, 'batch'), options);

  putEdge = (source: string, edgeType: string, target: string, attributes: unknown = {}, options?: object): void =>
    this.put(() => edgeItem(this.graph, source, edgeType, target, attributes), options);

  putPart = (id: string, part: string, attributes: unknown = {}, options?: object): void =>
    this.put(() => partItem(this.graph, id, part, attributes), options);

  deleteNode = (id: string, options?: object): void => this.delete(() => nodeKey(this.graph, id), options);

  deleteEdge = (source: string, edgeType: string, target: string, options?: object): void =>
    this.delete(() => edgeKey(this.graph, source, edgeType, target), options);

  deletePart = (id: string, part: string, options?: object): void =>
    this.delete(() => partKey(this.graph, id, part), options);

  async run(store: Store, { signal }: CallOptions): Promise<WriteBatchResult> {
    signal?.throwIfAborted();
    const writes = await this.checkAll();
    const result = { items: 0, calls: 0 };
    const onWritten = (items: number, calls: number): void => {
      result.items += items;
      result.calls += calls;
    };
    try {
      await writeInBatches(store, writes, { signal, onWritten });
    } catch (error) {
      throw unfinished(error, { what: 'the batch', items: result.items, hint: 'Run the whole batch again.' });
    }
    return result;
  }

  private put(make: () => Promise<Item>, options: object | undefined): void {
    this.prepare(options, async () => ({ put: await make() }));
  }

  private delete(keyOf: () => ItemKey, options: object | undefined): void {
    this.prepare(options, async () => {
      const key = writableKey(this.graph, keyOf());
      checkUnversioned(this.graph, key, 'Delete it with deleteNode, or in a transaction.');
      return { delete: key };
    });
  }

  /** Untyped callers may pass options, such as a condition, that a batch would ignore. */
  private prepare(options: object | undefined, write: () => Promise<BatchWrite>): void {
    this.prepared.push(async () => {
      // `ids.forEach(batch.deleteNode)` passes a number here.
      if (typeof options === 'object') checkOptions('An operation of a batch', options, {});
      return await write();
    });
  }

  private async checkAll(): Promise<BatchWrite[]> {
    const writes = await checkedAll(this.prepared.complete(), 'batch');
    // BatchWriteItem refuses repeated keys and has no order, so only each key's last operation is sent.
    const last = new Map(writes.map((write) => [baseKeyText(this.graph, write), write]));
    return [...last.values()];
  }
}

export async function checkedAll<T>(
  prepared: readonly (() => Promise<T>)[],
  what: string,
  refusal: (value: T, position: number) => EdgeloomError | undefined = () => undefined,
): Promise<T[]> {
  const bad: BadOperation[] = [];
  const values: T[] = [];
  const results = await Promise.allSettled(prepared.map((prepare) => prepare()));
  for (const [i, result] of results.entries()) {
    const position = i + 1;
    const error: unknown = result.status === 'rejected' ? result.reason : refusal(result.value, position);
    if (error !== undefined && !(error instanceof EdgeloomError)) throw error;
    if (error !== undefined) bad.push({ position, error });
    else if (result.status === 'fulfilled') values.push(result.value);
  }
  if (bad.length > 0) throw new InvalidBatchError(bad, prepared.length, what);
  return values;
}

export function baseKeyText(graph: CompiledModel, write: BatchWrite): string {
  if ('delete' in write) return JSON.stringify([{ S: write.delete.source }, { S: write.delete.target }]);
  return JSON.stringify([write.put[graph.table.partitionKey], write.put[graph.table.sortKey]]);
}
