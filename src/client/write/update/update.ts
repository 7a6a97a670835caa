import type { Item } from '../../../core/items/attribute-value.ts';
import type { BaseChange, BaseCondition } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import type { CallResult } from '../../call/capacity.ts';
import {
  baseCondition,
  ConditionFailedError,
  conditionFailedError,
  meetsCondition,
  plainAttributes,
} from '../item/conditions.ts';
import { CONTENTION_SECONDS, Contention, readLiving, sendChange, type WriteContext } from '../item/send.ts';
import type { WriteOptions } from '../item/single.ts';
import type { AttributeChange, Change } from './attribute-change.ts';
import { checkAgainst, withOperandErrors } from './operand-error.ts';
import { plainUpdate } from './plain.ts';
import { updateOfSeen } from './seen.ts';
import { canExpire, needsWhole, type UpdateSubject } from './subject.ts';

/** Options of `updateNode`, `updateEdge` and `updatePart`. */
export interface UpdateOptions<Attributes = Record<string, unknown>> extends WriteOptions<Attributes> {
  /**
   * Creates a missing item. Default: false, so updating a missing item throws `not-found` or, if `if` or `ifPresent` is
   * given, `condition-failed`.
   */
  upsert?: boolean | undefined;
  /**
   * Sends a transaction with a token, which is repeated if an answer is lost. Otherwise, a lost answer throws
   * `outcome-unknown`. Costs twice the capacity and a read. Default: false.
   */
  idempotent?: boolean | undefined;
}

/** The result of an update. */
export interface UpdatedItem<Attributes = Record<string, unknown>> extends CallResult {
  /** The attributes after the update. */
  attributes: Attributes;
}

export async function updateBaseItem(
  context: WriteContext,
  subject: UpdateSubject,
  change: Change,
  options: UpdateOptions,
): Promise<UpdatedItem> {
  const condition = withPresence(baseCondition(subject.key, options), options);
  options.signal?.throwIfAborted();
  if (typeof change === 'function' || needsWhole(subject, change)) {
    return updateOfItem(context, subject, change, condition, options, await readLiving(context, subject.key));
  }
  const update = plainUpdate(subject, change, condition);
  const result = await withOperandErrors(context, [update], () => sendChange(context, update, options));
  if (result.applied) return { attributes: plainAttributes(subject.graph, result.item ?? {}) };
  // The condition holds for a missing item, so an ended item or a sum out of bounds caused the refusal. Update as if
  // the item were missing.
  const isOver = result.current === undefined && meetsCondition(condition, undefined);
  if (isOver) return updateOfItem(context, subject, change, condition, options, undefined);
  // The condition holds, so a sum would leave the bounds of the model.
  if (meetsCondition(condition, result.current)) checkAgainst(context, update, result.current);
  throw refusalError(subject, condition, result.current, options);
}

async function updateOfItem(
  context: WriteContext,
  subject: UpdateSubject,
  change: Change,
  condition: BaseCondition,
  options: UpdateOptions,
  item: Item | undefined,
): Promise<UpdatedItem> {
  let seen = item;
  const contention = new Contention(context, options.signal);
  for (let attempt = 1; ; attempt++) {
    if (!meetsCondition(condition, seen)) throw refusalError(subject, condition, seen, options);
    // rule: update-is-conditional-on-what-it-saw
    const { update } = await updateOfSeen(subject, seen, change, condition);
    if (update === undefined) return { attributes: plainAttributes(subject.graph, seen ?? {}) };
    const result = await withOperandErrors(context, [update], () => sendChange(context, update, options));
    if (result.applied) return { attributes: plainAttributes(subject.graph, result.item ?? {}) };
    // rule: update-runs-on-the-item-that-failed-it
    seen = result.current;
    if (!(await contention.wait(attempt))) throw tooMuchContentionError(subject, attempt);
  }
}

function tooMuchContentionError({ name }: UpdateSubject, attempts: number): EdgeloomError {
  return new EdgeloomError(
    'too-much-contention',
    `${name}: others changed what the update had read, ${attempts} times in ${CONTENTION_SECONDS} s.`,
    'Look at fewer attributes, or use { add } without fields for counters.',
  );
}

export interface Prepared {
  change: BaseChange;
  asked: BaseCondition;
  refusal: (current: Item | undefined) => ConditionFailedError;
  /** True if the change also depends on what was read. If only that has changed, the change is prepared again. */
  isGuarded?: boolean;
  /** True if the requested condition already fails for the item that was read. */
  isRefused?: boolean;
}

/** Reads the item first if the result has to be validated, or if the update may replace an ended item. */
export async function updateInTransaction(
  context: WriteContext,
  subject: UpdateSubject,
  change: AttributeChange,
  options: UpdateOptions,
): Promise<Prepared> {
  const { key } = subject;
  const asked = withPresence(baseCondition(key, options), options);
  const refusal = (current: Item | undefined): ConditionFailedError => refusalError(subject, asked, current, options);
  const mayMake = canExpire(subject) && asked.present !== true && Object.keys(asked.equal ?? {}).length === 0;
  if (!needsWhole(subject, change) && !mayMake) return { change: plainUpdate(subject, change, asked), asked, refusal };
  const item = await readLiving(context, key);
  if (!meetsCondition(asked, item)) {
    return { change: { kind: 'look', key, condition: asked }, asked, refusal, isRefused: true };
  }
  const { update, asSeen } = await updateOfSeen(subject, item, change, asked);
  // Even an unchanged item must still be as it was read when the transaction is made.
  return { change: update ?? { kind: 'look', key, condition: asSeen() }, asked, refusal, isGuarded: true };
}

function withPresence(condition: BaseCondition, { upsert = false }: UpdateOptions): BaseCondition {
  if (upsert || condition.present === false) return condition;
  return { ...condition, present: true };
}

function refusalError(
  subject: UpdateSubject,
  condition: BaseCondition,
  current: Item | undefined,
  { upsert = false, ifPresent = false, if: values = {} }: UpdateOptions,
): ConditionFailedError {
  const isAsked = upsert || ifPresent || Object.keys(values).length > 0;
  if (current !== undefined || isAsked) {
    return conditionFailedError(subject.graph, subject.key, condition, current);
  }
  const message = `${subject.name}: it does not exist, so there is nothing to update.`;
  return new ConditionFailedError(message, null, 'not-found', 'Put it first, or give the update upsert: true.');
}
