import type { Item } from '../../core/items/attribute-value.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { GONE } from '../../core/model/gone.ts';
import { type BaseChange, type ChangeAllResult, type ItemKey, TRANSACTION_ITEMS } from '../../core/store-port.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions, type OptionNames } from '../../foundation/options.ts';
import { retrying } from '../../foundation/retry.ts';
import type { CallOptions, CallResult } from '../call/capacity.ts';
import { type BadOperation, InvalidBatchError } from './batch.ts';
import { itemName } from './checks/problem.ts';
import {
  baseCondition,
  ConditionFailedError,
  conditionFailedError,
  isConditional,
  type WriteConditions,
} from './item/conditions.ts';
import { edgeItem, edgeKey, nodeItem, nodeKey, partItem, partKey } from './item/prepare.ts';
import { isLostAnswer, mayRepeat, messageOf, type WriteContext } from './item/send.ts';
import { deleteCondition, putChange } from './item/single.ts';
import type { AttributeChange } from './update/attribute-change.ts';
import { withOperandErrors } from './update/operand-error.ts';
import { edgeSubject, nodeSubject, partSubject, type UpdateSubject } from './update/subject.ts';
import { updateInTransaction } from './update/update.ts';

/** Options of a transaction. */
export interface TransactOptions extends CallOptions {
  /**
   * Up to 36 characters: the same transaction with the same token is made once within ten minutes,
   * also by another process. Default: a random one, so that the attempts of this call are safe.
   */
  idempotencyToken?: string | undefined;
}

/** The result of a transaction. */
export interface TransactionResult extends CallResult {
  /** Items put, updated, deleted and looked at. */
  items: number;
}

/** A transaction of which conditions failed; nothing was changed. `failures` has each of them. */
export class TransactionFailedError extends ConditionFailedError {
  /** Which operations, counted from 1, and why; each with the item as it is. */
  readonly failures: readonly { position: number; error: ConditionFailedError }[];

  constructor(failures: readonly { position: number; error: ConditionFailedError }[]) {
    const lines = failures.map(({ position, error }) => `  operation ${position}: ${error.message}`);
    super(
      `${failures.length === 1 ? '1 condition' : `${failures.length} conditions`} of the transaction failed; nothing was changed:\n${lines.join('\n')}`,
      failures[0]?.error.current ?? null,
    );
    this.name = 'TransactionFailedError';
    this.failures = failures;
  }
}

/** Options of an update within a transaction. */
interface UpdateConditions extends WriteConditions {
  upsert?: boolean | undefined;
}

const CONDITIONS: OptionNames<WriteConditions> = { ifAbsent: 'boolean', ifPresent: 'boolean', if: true };
/** An operation as a change. `isRefused`: what was read for it shows that its condition does not hold. */
type Prepared = BaseChange & { isRefused?: boolean };

const ATTEMPTS = 8;

/** Collects the operations of a transaction; nothing is checked or sent before it runs. */
export class TransactionBuilder {
  private readonly prepared: (() => Promise<Prepared>)[] = [];

  constructor(
    private readonly graph: CompiledModel,
    private readonly context: WriteContext,
  ) {}

  putNode = (id: string, attributes: unknown = {}, options: WriteConditions = {}): void => {
    this.prepared.push(async () =>
      putChange(this.graph, nodeKey(this.graph, id), await nodeItem(this.graph, id, attributes), checked(options)),
    );
  };

  putEdge = (
    source: string,
    edgeType: string,
    target: string,
    attributes: unknown = {},
    options: WriteConditions = {},
  ): void => {
    this.prepared.push(async () => {
      const item = await edgeItem(this.graph, source, edgeType, target, attributes);
      return putChange(this.graph, edgeKey(this.graph, source, edgeType, target), item, checked(options));
    });
  };

  putPart = (id: string, part: string, attributes: unknown = {}, options: WriteConditions = {}): void => {
    this.prepared.push(async () =>
      putChange(
        this.graph,
        partKey(this.graph, id, part),
        await partItem(this.graph, id, part, attributes),
        checked(options),
      ),
    );
  };

  updatePart = (id: string, part: string, change: AttributeChange, options: UpdateConditions = {}): void => {
    this.prepared.push(async () => this.updateChange(partSubject(this.graph, id, part), change, options));
  };

  deletePart = (id: string, part: string, options: WriteConditions = {}): void => {
    this.prepared.push(async () => deleteChange(this.graph, partKey(this.graph, id, part), options));
  };

  requirePart = (id: string, part: string, conditions: WriteConditions = {}): void => {
    this.prepared.push(async () => conditionCheck(partKey(this.graph, id, part), conditions));
  };

  updateNode = (id: string, change: AttributeChange, options: UpdateConditions = {}): void => {
    this.prepared.push(async () => this.updateChange(nodeSubject(this.graph, id), change, options));
  };

  updateEdge = (
    source: string,
    edgeType: string,
    target: string,
    change: AttributeChange,
    options: UpdateConditions = {},
  ): void => {
    this.prepared.push(async () =>
      this.updateChange(edgeSubject(this.graph, source, edgeType, target), change, options),
    );
  };

  deleteNode = (id: string, options: WriteConditions = {}): void => {
    this.prepared.push(async () => deleteChange(this.graph, nodeKey(this.graph, id), options));
  };

  deleteEdge = (source: string, edgeType: string, target: string, options: WriteConditions = {}): void => {
    this.prepared.push(async () => deleteChange(this.graph, edgeKey(this.graph, source, edgeType, target), options));
  };

  requireNode = (id: string, conditions: WriteConditions = {}): void => {
    this.prepared.push(async () => conditionCheck(nodeKey(this.graph, id), conditions));
  };

  requireEdge = (source: string, edgeType: string, target: string, conditions: WriteConditions = {}): void => {
    this.prepared.push(async () => conditionCheck(edgeKey(this.graph, source, edgeType, target), conditions));
  };

  /** Checks all operations, then makes them all or none. */
  async run({
    idempotencyToken: token = globalThis.crypto.randomUUID(),
    signal,
  }: TransactOptions): Promise<TransactionResult> {
    let changes = await this.checkedChanges();
    if (changes.length === 0) return { items: 0 };
    for (let attempt = 1; changes.some(({ isRefused }) => isRefused); attempt++) {
      await this.lookAtConditions(changes, signal);
      // They hold by now: all is prepared once more.
      if (attempt >= ATTEMPTS) throw tooMuchContentionError(attempt);
      changes = await this.checkedChanges();
    }
    const result = await withOperandErrors(this.graph, this.context.store, changes, () =>
      this.sendWithRetries(changes, token, signal),
    );
    if (result.applied) return { items: changes.length };
    throw this.failedError(changes, result.failed);
  }

  /** Lets the table decide about all conditions at once, and changes nothing. Throws where one does not hold. */
  private async lookAtConditions(changes: readonly Prepared[], signal: AbortSignal | undefined): Promise<void> {
    const conditional = changes.filter(({ condition = {} }) => isConditional(condition));
    const looks = conditional.map(({ key, condition }): BaseChange => ({ kind: 'look', key, condition: condition! }));
    const result = await this.sendWithRetries(looks, globalThis.crypto.randomUUID(), signal);
    if (result.applied) return;
    const failed = result.failed.map(({ place, ...rest }) => ({
      ...rest,
      place: changes.indexOf(conditional[place]!),
    }));
    throw this.failedError(changes, failed);
  }

  private failedError(
    changes: readonly BaseChange[],
    failed: Extract<ChangeAllResult, { applied: false }>['failed'],
  ): TransactionFailedError {
    const failures = failed.map(({ place, current }) => ({
      position: place + 1,
      error: failureOf(this.graph, changes[place]!, current),
    }));
    return new TransactionFailedError(failures);
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

  private async checkedChanges(): Promise<Prepared[]> {
    const bad: BadOperation[] = [];
    const changes: Prepared[] = [];
    const results = await Promise.allSettled(this.prepared.map((prepare) => prepare()));
    const positions = new Map<string, number>();
    for (const [i, result] of results.entries()) {
      if (result.status === 'rejected') {
        if (!(result.reason instanceof EdgeloomError)) throw result.reason;
        bad.push({ position: i + 1, error: result.reason });
        continue;
      }
      changes.push(result.value);
      const error = namedTwiceError(result.value.key, positions, i + 1);
      if (error !== undefined) bad.push({ position: i + 1, error });
    }
    if (bad.length > 0) throw new InvalidBatchError(bad, this.prepared.length, 'transaction');
    if (changes.length <= TRANSACTION_ITEMS) return changes;
    throw new EdgeloomError(
      'invalid-argument',
      `The transaction has ${changes.length} operations; DynamoDB takes ${TRANSACTION_ITEMS}.`,
      'Split it, or use batch where not all has to be written at once.',
    );
  }

  private async sendWithRetries(
    changes: readonly BaseChange[],
    token: string,
    signal: AbortSignal | undefined,
  ): Promise<ChangeAllResult> {
    // Once an answer was lost, no later refusal says that nothing was changed.
    let isUnknown = false;
    const send = async (): Promise<ChangeAllResult> => {
      signal?.throwIfAborted();
      return this.context.store.changeAll(changes, token);
    };
    try {
      const result = await retrying(send, {
        isRetryable: (error, attempt) => {
          isUnknown ||= isLostAnswer(error);
          return attempt < ATTEMPTS && mayRepeat(error);
        },
        wait: this.context.wait,
        signal,
      });
      // The lost one may still be made, when the conditions hold again.
      if (!result.applied && isUnknown) throw new Error('A later attempt found a condition failed.');
      return result;
    } catch (error) {
      if (isUnknown) throw outcomeUnknownError(token, error);
      throw error;
    }
  }
}

/** Conditions whose names are known: a misspelt one would be no condition. */
function checked(conditions: WriteConditions): WriteConditions {
  checkOptions('An operation of a transaction', conditions, CONDITIONS);
  return conditions;
}

function deleteChange(graph: CompiledModel, key: ItemKey, options: WriteConditions): BaseChange {
  return { kind: 'delete', key, condition: deleteCondition(graph, key, checked(options)) };
}

function conditionCheck(key: ItemKey, conditions: WriteConditions): BaseChange {
  const condition = baseCondition(key, checked(conditions));
  const { present = !isConditional(condition), absent = [] } = condition;
  // An item that a mirror has marked as gone is not there.
  const isToBeThere = { ...condition, present: true, absent: [...absent, GONE] };
  return { kind: 'look', key, condition: present ? isToBeThere : condition };
}

function failureOf(graph: CompiledModel, change: BaseChange, current: Item | undefined): ConditionFailedError {
  return conditionFailedError(graph, change.key, change.condition ?? {}, current);
}

function namedTwiceError(key: ItemKey, positions: Map<string, number>, position: number): EdgeloomError | undefined {
  const text = JSON.stringify([key.source, key.target]);
  const first = positions.get(text);
  if (first === undefined) {
    positions.set(text, position);
    return undefined;
  }
  return new EdgeloomError(
    'invalid-argument',
    `${itemName(key.source, key.target)} is named by operation ${first} too.`,
    'A transaction takes one operation an item: put the condition into it.',
  );
}

function tooMuchContentionError(attempts: number): EdgeloomError {
  return new EdgeloomError(
    'too-much-contention',
    `${attempts} times a condition of the transaction did not hold when its item was read, and held a moment later.`,
    'Send it again.',
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
