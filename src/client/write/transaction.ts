import type { Item } from '../../core/items/attribute-value.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { GONE } from '../../core/model/gone.ts';
import { type BaseChange, type ItemKey, TRANSACTION_ITEMS } from '../../core/store-port.ts';
import { describe } from '../../foundation/describe.ts';
import { EdgeloomError, isRetryableStoreError, messageOf } from '../../foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../foundation/options.ts';
import type { CallOptions, CallResult } from '../call/capacity.ts';
import { checkedAll, InvalidBatchError, OperationList } from './batch.ts';
import { itemName } from './checks/problem.ts';
import {
  baseCondition,
  ConditionFailedError,
  conditionFailedError,
  isConditional,
  meetsCondition,
  type WriteConditions,
} from './item/conditions.ts';
import { edgeItem, edgeKey, nodeItem, nodeKey, partItem, partKey } from './item/prepare.ts';
import {
  CONTENTION_SECONDS,
  Contention,
  isTakenToken,
  Presence,
  sendRepeatedly,
  type WriteContext,
} from './item/send.ts';
import { deleteCondition, putChange } from './item/single.ts';
import type { Upsert } from './operations.ts';
import type { AttributeChange } from './update/attribute-change.ts';
import { checkAgainst, withOperandErrors } from './update/operand-error.ts';
import { edgeSubject, nodeSubject, partSubject, type UpdateSubject } from './update/subject.ts';
import { type Prepared, updateInTransaction } from './update/update.ts';

/** Options of `transact`. */
export interface TransactOptions extends CallOptions {
  /**
   * 1 to 36 characters. Within ten minutes, transactions with the same token are made only once, even by several
   * processes.
   */
  idempotencyToken?: string | undefined;
}

/** The result of a transaction. */
export interface TransactionResult extends CallResult {
  items: number;
}

/**
 * Thrown if conditions of a transaction failed; nothing was changed. `code` is `not-found` if every failure has that
 * code, else `condition-failed`.
 */
export class TransactionFailedError extends ConditionFailedError {
  /** Failed operations by their 1-based position. Each error has the current item. */
  readonly failures: readonly { position: number; error: ConditionFailedError }[];

  constructor(failures: readonly { position: number; error: ConditionFailedError }[]) {
    const lines = failures.map(({ position, error }) => `  operation ${position}: ${error.message}`);
    super(
      `${failures.length === 1 ? '1 condition' : `${failures.length} conditions`} of the transaction failed; nothing was changed:\n${lines.join('\n')}`,
      failures[0]?.error.current ?? null,
      failures.every(({ error }) => error.code === 'not-found') ? 'not-found' : 'condition-failed',
      [...new Set(failures.map(({ error }) => error.hint))].join(' '),
    );
    this.name = 'TransactionFailedError';
    this.failures = failures;
  }
}

const TOKEN_CHARACTERS = 36;

export function checkToken(token: unknown): void {
  if (token === undefined) return;
  if (typeof token === 'string' && token.length >= 1 && token.length <= TOKEN_CHARACTERS) return;
  const found = typeof token === 'string' ? `has ${token.length}` : `is ${describe(token)}`;
  throw new EdgeloomError(
    'invalid-argument',
    `The option idempotencyToken of transact should be a text of 1 to ${TOKEN_CHARACTERS} characters, but ${found}.`,
    'Give a UUID, or the first 36 characters of a hash of what makes the request unique.',
  );
}

type UpdateConditions = WriteConditions & Upsert;

const CONDITIONS: OptionNames<WriteConditions> = { ifAbsent: 'boolean', ifPresent: 'boolean', if: true };
export class TransactionBuilder {
  private readonly prepared = new OperationList<Prepared>('transact');
  private readonly graph: CompiledModel;

  constructor(private readonly context: WriteContext) {
    this.graph = context.graph;
  }

  putNode = (id: string, attributes: unknown = {}, options: WriteConditions = {}): void =>
    this.put(() => nodeItem(this.graph, id, attributes), options);

  putEdge = (
    source: string,
    edgeType: string,
    target: string,
    attributes: unknown = {},
    options: WriteConditions = {},
  ): void => this.put(() => edgeItem(this.graph, source, edgeType, target, attributes), options);

  putPart = (id: string, part: string, attributes: unknown = {}, options: WriteConditions = {}): void =>
    this.put(() => partItem(this.graph, id, part, attributes), options);

  updateNode = (id: string, change: AttributeChange, options: UpdateConditions = {}): void =>
    this.update(() => nodeSubject(this.graph, id), change, options);

  updateEdge = (
    source: string,
    edgeType: string,
    target: string,
    change: AttributeChange,
    options: UpdateConditions = {},
  ): void => this.update(() => edgeSubject(this.graph, source, edgeType, target), change, options);

  updatePart = (id: string, part: string, change: AttributeChange, options: UpdateConditions = {}): void =>
    this.update(() => partSubject(this.graph, id, part), change, options);

  deleteNode = (id: string, options: WriteConditions = {}): void => this.delete(() => nodeKey(this.graph, id), options);

  deleteEdge = (source: string, edgeType: string, target: string, options: WriteConditions = {}): void =>
    this.delete(() => edgeKey(this.graph, source, edgeType, target), options);

  deletePart = (id: string, part: string, options: WriteConditions = {}): void =>
    this.delete(() => partKey(this.graph, id, part), options);

  requireNode = (id: string, conditions: WriteConditions = {}): void =>
    this.require(() => nodeKey(this.graph, id), conditions);

  requireEdge = (source: string, edgeType: string, target: string, conditions: WriteConditions = {}): void =>
    this.require(() => edgeKey(this.graph, source, edgeType, target), conditions);

  requirePart = (id: string, part: string, conditions: WriteConditions = {}): void =>
    this.require(() => partKey(this.graph, id, part), conditions);

  private put(make: () => Promise<Item>, options: WriteConditions): void {
    this.prepared.push(async () => this.prepare(putChange(this.graph, await make(), checkedConditions(options))));
  }

  private update(subjectOf: () => UpdateSubject, change: AttributeChange, options: UpdateConditions): void {
    this.prepared.push(async () => this.updateChange(subjectOf(), change, options));
  }

  private delete(keyOf: () => ItemKey, options: WriteConditions): void {
    this.prepared.push(async () => {
      const key = keyOf();
      return this.prepare({
        kind: 'delete',
        key,
        condition: deleteCondition(this.graph, key, checkedConditions(options)),
      });
    });
  }

  private require(keyOf: () => ItemKey, conditions: WriteConditions): void {
    this.prepared.push(async () => this.prepare(conditionCheck(keyOf(), conditions)));
  }

  async run({ idempotencyToken, signal }: TransactOptions): Promise<TransactionResult> {
    const contention = new Contention(this.context, signal);
    for (let attempt = 1; ; attempt++) {
      const operations = await this.checkedOperations();
      if (operations.length === 0) return { items: 0 };
      const isRefused = operations.some((operation) => operation.isRefused);
      const failed = isRefused
        ? await this.lookAtConditions(operations, signal)
        : await this.makeAll(operations, attempt, idempotencyToken, signal);
      if (failed === undefined && !isRefused) return { items: operations.length };
      const failures = (failed ?? []).flatMap(({ operation, current }) => {
        const place = operations.indexOf(operation);
        const isMet = meetsCondition(operation.asked, current);
        // The item has changed since it was read, but the caller's condition still holds.
        if (isMet && operation.isGuarded && !isRefused) return [];
        if (isMet) this.checkOperation(operations, place, current);
        return [{ position: place + 1, error: operation.refusal(current) }];
      });
      if (failures.length > 0) throw new TransactionFailedError(failures);
      if (!(await contention.wait(attempt))) throw tooMuchContentionError(attempt);
    }
  }

  private async makeAll(
    operations: readonly Prepared[],
    attempt: number,
    idempotencyToken: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Failed[] | undefined> {
    const changes = operations.map(({ change }) => change);
    try {
      return await withOperandErrors(
        this.context,
        changes,
        () => this.send(operations, changes, idempotencyToken, signal),
        (place, item) => this.checkOperation(operations, place, item),
      );
    } catch (error) {
      if (!isTakenToken(error) || idempotencyToken === undefined) throw error;
      if (!operations.some((operation) => this.dependsOnMoment(operation))) throw error;
      // An earlier attempt with the token was cancelled, and DynamoDB doesn't say which attempt it remembers.
      if (attempt > 1) throw outcomeUnknownError(idempotencyToken, error);
      // The transaction was made earlier with this token, when the items or the time were different.
      return undefined;
    }
  }

  private checkOperation(operations: readonly Prepared[], place: number, item: Item | undefined): void {
    try {
      checkAgainst(this.context, operations[place]!.change, item);
    } catch (error) {
      if (!(error instanceof EdgeloomError)) throw error;
      throw new InvalidBatchError([{ position: place + 1, error }], operations.length, 'transaction');
    }
  }

  /** Preparing again may give another change if it depends on what was read or on the time. */
  private dependsOnMoment({ change, isGuarded = false }: Prepared): boolean {
    return isGuarded || new Presence(this.context).dated(change) !== change;
  }

  private async lookAtConditions(
    operations: readonly Prepared[],
    signal: AbortSignal | undefined,
  ): Promise<Failed[] | undefined> {
    const conditional = operations.filter(({ asked }) => isConditional(asked));
    const looks = conditional.map(
      ({ change: { key }, asked }): BaseChange => ({ kind: 'look', key, condition: asked }),
    );
    return this.send(conditional, looks, undefined, signal);
  }

  private prepare(change: BaseChange): Prepared {
    const asked = change.condition ?? {};
    return { change, asked, refusal: (current) => conditionFailedError(this.graph, change.key, asked, current) };
  }

  private updateChange(subject: UpdateSubject, change: AttributeChange, options: UpdateConditions): Promise<Prepared> {
    checkOptions('An update of a transaction', options, { ...CONDITIONS, upsert: 'boolean' });
    if (typeof change !== 'function') return updateInTransaction(this.context, subject, change, options);
    throw new EdgeloomError(
      'invalid-argument',
      `${subject.name}: a transaction takes updates of the form { set, add, … }, no functions.`,
      'Read the node first, and put what was read into the condition: { if: { v: 3 } }.',
    );
  }

  private async checkedOperations(): Promise<Prepared[]> {
    const positions = new Map<string, number>();
    const changes = await checkedAll(this.prepared.complete(), 'transaction', ({ change: { key } }, position) => {
      const text = JSON.stringify([key.source, key.target]);
      const first = positions.get(text);
      if (first !== undefined) return namedTwiceError(key, first);
      positions.set(text, position);
      return undefined;
    });
    if (changes.length <= TRANSACTION_ITEMS) return changes;
    throw new EdgeloomError(
      'invalid-argument',
      `The transaction has ${changes.length} operations; DynamoDB takes ${TRANSACTION_ITEMS}.`,
      'Split it, or use batch where not all has to be written at once.',
    );
  }

  private async send(
    operations: readonly Prepared[],
    changes: readonly BaseChange[],
    givenToken: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Failed[] | undefined> {
    const token = givenToken ?? globalThis.crypto.randomUUID();
    const presence = new Presence(this.context);
    const dated = changes.map((change) => presence.dated(change));
    const result = await sendRepeatedly(
      () => this.context.store.changeAll(dated, token),
      isRetryableStoreError,
      { wait: this.context.wait, signal },
      (cause) => outcomeUnknownError(token, cause),
    );
    if (result.applied) return undefined;
    return result.failed.map(({ place, current }) => {
      const operation = operations[place]!;
      return { operation, current: presence.living(operation.change.key, current) };
    });
  }
}

interface Failed {
  operation: Prepared;
  current: Item | undefined;
}

function checkedConditions(conditions: WriteConditions): WriteConditions {
  checkOptions('An operation of a transaction', conditions, CONDITIONS);
  return conditions;
}

function conditionCheck(key: ItemKey, conditions: WriteConditions): BaseChange {
  const condition = baseCondition(key, checkedConditions(conditions));
  const { present = !isConditional(condition), absent = [] } = condition;
  // An item that a mirror has marked as gone counts as missing.
  const isToBeThere = { ...condition, present: true, absent: [...absent, GONE] };
  return { kind: 'look', key, condition: present ? isToBeThere : condition };
}

function namedTwiceError({ source, target }: ItemKey, first: number): EdgeloomError {
  return new EdgeloomError(
    'invalid-argument',
    `Operation ${first} names ${itemName(source, target)}, too.`,
    'A transaction takes one operation per item: put the condition into it.',
  );
}

function tooMuchContentionError(attempts: number): EdgeloomError {
  return new EdgeloomError(
    'too-much-contention',
    `Others changed what the transaction had read, ${attempts} times in ${CONTENTION_SECONDS} s.`,
    'Send it again; use { add } without fields for counters.',
  );
}

function outcomeUnknownError(token: string, cause: unknown): EdgeloomError {
  return new EdgeloomError(
    'outcome-unknown',
    `The answers of the transaction were lost, so it may have been made or not. ${messageOf(cause)}`,
    `Send it again with idempotencyToken: '${token}' within ten minutes: it is made once.`,
    { cause },
  );
}
