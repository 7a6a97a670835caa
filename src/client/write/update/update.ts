import type { Item } from '../../../core/items/attribute-value.ts';
import type { BaseChange, BaseCondition, ChangeResult } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { backoffMs } from '../../../foundation/retry.ts';
import type { CallResult } from '../../call/capacity.ts';
import {
  baseCondition,
  bothConditions,
  conditionFailedError,
  meetsCondition,
  plainAttributes,
} from '../item/conditions.ts';
import { sendChange, type WriteContext } from '../item/send.ts';
import type { WriteOptions } from '../item/single.ts';
import type { AttributeChange, Change } from './attribute-change.ts';
import { withOperandErrors } from './operand-error.ts';
import { plainUpdate } from './plain.ts';
import { type SeenItem, updateOfSeen } from './seen.ts';
import { needsWhole, type UpdateSubject } from './subject.ts';

/** Options of an update. */
export interface UpdateOptions<Attributes = Record<string, unknown>> extends WriteOptions<Attributes> {
  /** Make an absent item, of the attributes that are set. Default false: an absent item is the error `not-found`. */
  upsert?: boolean | undefined;
  /**
   * Send the update as a transaction with a token of its own: where an answer is lost it is asked for again, instead of
   * the error `outcome-unknown`. Twice the capacity, and a read. Default false.
   */
  idempotent?: boolean | undefined;
}

/** The result of an update. */
export interface UpdatedItem<Attributes = Record<string, unknown>> extends CallResult {
  /** The attributes of the item after the update. */
  attributes: Attributes;
}

/**
 * How long an update whose condition fails, because others change the item, is tried again, in milliseconds. Among n updates of one item
 * at once each round lets one through, so a limit of tries would fail the last ones although all are served in turn.
 */
const CONTENTION_MS = 10_000;
/** The longest pause between two tries, in milliseconds: another update takes two calls. */
const LONGEST_PAUSE_MS = 500;

/** Updates one base item: see `Writer.updateNode`. */
export async function updateBaseItem(
  context: WriteContext,
  subject: UpdateSubject,
  change: Change,
  options: UpdateOptions,
): Promise<UpdatedItem> {
  const condition = withPresence(baseCondition(subject.key, options), options);
  if (typeof change !== 'function' && !needsWhole(subject, change)) {
    const update = plainUpdate(subject, change, condition);
    const result = await withOperandErrors(subject.graph, context.store, [update], () =>
      sendChange(context, update, options),
    );
    if (!result.applied) throw refusalError(subject, condition, result.current, options);
    return { attributes: updatedAttributes(subject, result) };
  }
  return updateAfterRead(context, subject, change, condition, options);
}

/** Reads, works out the next attributes, and writes them if what was looked at is still as it was; else again. */
async function updateAfterRead(
  context: WriteContext,
  subject: UpdateSubject,
  change: Change,
  condition: BaseCondition,
  options: UpdateOptions,
): Promise<UpdatedItem> {
  options.signal?.throwIfAborted();
  const { item } = await context.store.get(subject.key, { consistent: true });
  let seen: SeenItem = item;
  const beganMs = performance.now();
  for (let attempt = 1; ; attempt++) {
    if (!meetsCondition(condition, seen)) throw refusalError(subject, condition, seen, options);
    // rule: update-is-conditional-on-what-it-saw
    const update = await updateOfSeen(subject, seen, change, condition);
    if (update === undefined) return { attributes: plainAttributes(subject.graph, seen ?? {}) };
    const result = await sendChange(context, update, options);
    if (result.applied) return { attributes: updatedAttributes(subject, result) };
    // rule: update-runs-on-the-item-that-failed-it
    seen = result.current;
    if (performance.now() - beganMs >= CONTENTION_MS) throw tooMuchContentionError(subject, attempt);
    await context.wait(Math.min(backoffMs(attempt), Math.random() * LONGEST_PAUSE_MS), options.signal);
  }
}

function tooMuchContentionError({ name }: UpdateSubject, attempts: number): EdgeloomError {
  return new EdgeloomError(
    'too-much-contention',
    `${name}: for ${CONTENTION_MS / 1000} s and ${attempts} times others changed what the update had looked at.`,
    'Look at fewer attributes, or use { add } without fields for counters.',
  );
}

/**
 * The change of a plain update within a transaction: read once where its result has to be validated. Where its condition does not hold
 * by then, it is the condition alone, and `isRefused`.
 */
export async function updateInTransaction(
  context: WriteContext,
  subject: UpdateSubject,
  change: AttributeChange,
  options: UpdateOptions,
): Promise<BaseChange & { isRefused?: boolean }> {
  const condition = withPresence(baseCondition(subject.key, options), options);
  if (!needsWhole(subject, change)) return plainUpdate(subject, change, condition);
  const { item } = await context.store.get(subject.key, { consistent: true });
  if (!meetsCondition(condition, item)) return { kind: 'look', key: subject.key, condition, isRefused: true };
  const update = await updateOfSeen(subject, item, change, condition);
  if (update !== undefined) return update;
  // An item that does not change still has to be as it was when the others are written.
  return { kind: 'look', key: subject.key, condition: bothConditions(condition, { present: true }) };
}

/** An update is of an item that is there, unless it may make one. */
function withPresence(condition: BaseCondition, { upsert = false }: UpdateOptions): BaseCondition {
  if (upsert || condition.present === false) return condition;
  return { ...condition, present: true };
}

function refusalError(
  subject: UpdateSubject,
  condition: BaseCondition,
  current: Item | undefined,
  { upsert = false, ifPresent = false }: UpdateOptions,
): EdgeloomError {
  if (current !== undefined || upsert || ifPresent) {
    return conditionFailedError(subject.graph, subject.key, condition, current);
  }
  return new EdgeloomError(
    'not-found',
    `${subject.name}: it does not exist, so there is nothing to update.`,
    'Put it first, or give the update upsert: true.',
  );
}

function updatedAttributes(
  { graph }: UpdateSubject,
  result: Extract<ChangeResult, { applied: true }>,
): Record<string, unknown> {
  return plainAttributes(graph, result.item ?? {});
}
