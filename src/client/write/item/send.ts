import type { Item } from '../../../core/items/attribute-value.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import { endingOf, livingItem } from '../../../core/model/ends.ts';
import type { BaseChange, ChangeResult, ItemKey, Store } from '../../../core/store-port.ts';
import { EdgeloomError, isRetryableStoreError, messageOf, StoreError } from '../../../foundation/errors.ts';
import { backoffMs, retrying } from '../../../foundation/retry.ts';
import type { Abortable, Runtime } from '../../../foundation/runtime.ts';
import { isRefusal } from '../../../store/classify.ts';
import { itemName } from '../checks/problem.ts';

export interface WriteContext extends Pick<Runtime, 'wait' | 'now'> {
  graph: CompiledModel;
  store: Store;
}

/**
 * Treats an item as absent if it had ended when the `Presence` was created: `dated` in conditions, `living` in items
 * that were read.
 */
export class Presence {
  private readonly nowMs: number;

  constructor(private readonly context: Pick<WriteContext, 'graph' | 'now'>) {
    this.nowMs = context.now();
  }

  dated<Change extends BaseChange>(change: Change): Change {
    const { source, target } = change.key;
    const { expires } = endingOf(this.context.graph, source, target) ?? {};
    if (expires === undefined) return change;
    const over = { attribute: expires, atSeconds: String(this.nowMs / 1000) };
    return { ...change, condition: { ...change.condition, over } };
  }

  living(key: ItemKey, item: Item | undefined): Item | undefined {
    return livingItem(this.context.graph, key, item, this.nowMs);
  }
}

export async function readLiving(context: WriteContext, key: ItemKey): Promise<Item | undefined> {
  const { item } = await context.store.get(key, { consistent: true });
  return new Presence(context).living(key, item);
}

/** Limits the time instead of the attempts: of n concurrent updates of one item, each round lets only one through. */
export const CONTENTION_SECONDS = 10;
/** A competing update takes only two calls, so long pauses don't help. */
const LONGEST_PAUSE_MS = 500;

export class Contention {
  private readonly beganMs = performance.now();

  constructor(
    private readonly context: Pick<WriteContext, 'wait'>,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async wait(attempts: number): Promise<boolean> {
    if (performance.now() - this.beganMs >= CONTENTION_SECONDS * 1000) return false;
    await this.context.wait(Math.min(backoffMs(attempts), Math.random() * LONGEST_PAUSE_MS), this.signal);
    return true;
  }
}

const ATTEMPTS = 8;

/**
 * Throws `outcome-unknown` after a lost answer, which may hide a success. With `idempotent`, the change is a
 * transaction, whose token makes it safe to repeat.
 */
export async function sendChange(
  context: WriteContext,
  asked: BaseChange,
  { idempotent = false, signal }: Abortable & { idempotent?: boolean | undefined } = {},
): Promise<ChangeResult> {
  const { store, wait } = context;
  // Attempts with the same token must be identical, so they share one time.
  const presence = new Presence(context);
  const change = presence.dated(asked);
  const token = idempotent ? globalThis.crypto.randomUUID() : undefined;
  // rule: attempts-share-a-token
  const send = () => (token === undefined ? store.change(change) : changeOnce(store, change, token));
  // rule: lost-answer-is-not-repeated-without-a-token
  const isRepeatable = token === undefined ? isRefusedForNow : isRetryableStoreError;
  const result = await sendRepeatedly(send, isRepeatable, { wait, signal }, (cause) =>
    outcomeUnknownError(change, cause),
  );
  if (!result.applied) {
    const { current: stored, ...rest } = result;
    const current = presence.living(change.key, stored);
    return current === undefined ? rest : { ...rest, current };
  }
  return token === undefined ? result : await withCurrentItem(context, change, result, signal);
}

export async function sendRepeatedly<Result extends { applied: boolean }>(
  send: () => Promise<Result>,
  isRepeatable: (error: unknown) => boolean,
  { wait, signal }: Pick<WriteContext, 'wait'> & Abortable,
  unknown: (cause: unknown) => EdgeloomError,
): Promise<Result> {
  // After a lost answer, a refusal no longer proves that nothing was changed.
  let isUnknown = false;
  const sendOnce = async (): Promise<Result> => {
    signal?.throwIfAborted();
    return send();
  };
  try {
    const result = await retrying(sendOnce, {
      isRetryable: (error, attempt) => {
        isUnknown ||= isLostAnswer(error);
        return attempt < ATTEMPTS && isRepeatable(error);
      },
      wait,
      signal,
    });
    // The call with the lost answer may still be applied once the condition holds again.
    if (!result.applied && isUnknown) throw new Error('A later attempt found a condition failed.');
    return result;
  } catch (error) {
    if (isUnknown && !isTakenToken(error)) throw unknown(error);
    throw error;
  }
}

/** The change is already made, so a failed read must not look like a refusal. */
async function withCurrentItem(
  { store, wait }: Pick<WriteContext, 'store' | 'wait'>,
  { key }: BaseChange,
  result: ChangeResult,
  signal: AbortSignal | undefined,
): Promise<ChangeResult> {
  try {
    const { item } = await retrying(() => store.get(key, { consistent: true }), {
      isRetryable: (error, attempt) => attempt < ATTEMPTS && isRetryableStoreError(error),
      wait,
      signal,
    });
    return { ...result, ...(item && { item }) };
  } catch (error) {
    throw new EdgeloomError(
      'outcome-unknown',
      `${itemName(key.source, key.target)}: the change was made, but the item could not be read after it. ${messageOf(error)}`,
      'Do not make the change again; read the item with consistent: true.',
      { cause: error },
    );
  }
}

/** If other content has taken the token, no attempt with it has changed anything. */
export function isTakenToken(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'IdempotentParameterMismatchException';
}

function isLostAnswer(error: unknown): boolean {
  return error instanceof StoreError && !isRefusal(error);
}

function isRefusedForNow(error: unknown): boolean {
  return isRetryableStoreError(error) && isRefusal(error);
}

async function changeOnce(store: Store, change: BaseChange, token: string): Promise<ChangeResult> {
  const result = await store.changeAll([change], token);
  return result.applied ? result : { applied: false, wcu: result.wcu, ...result.failed[0] };
}

function outcomeUnknownError({ key }: BaseChange, cause: unknown): EdgeloomError {
  return new EdgeloomError(
    'outcome-unknown',
    `${itemName(key.source, key.target)}: the answer was lost, so the change may have been made or not. ${messageOf(cause)}`,
    'Read it with consistent: true before the next change, or ask for idempotent: true (twice the capacity).',
    { cause },
  );
}
