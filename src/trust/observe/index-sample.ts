import { entryIn } from '../../client/feed/known-items.ts';
import { type Item, sameItem } from '../../core/items/attribute-value.ts';
import { type ChangeRecord, isOlder, type RecordPlace } from '../../core/items/change-record.ts';
import { revisionOf, shownInIndex } from '../../core/items/derived-item.ts';
import { isDerivedKey, textOfKey } from '../../core/items/keys.ts';
import { fnv1a } from '../../core/items/shard.ts';
import type { CompiledModel, IndexName } from '../../core/model/compiled.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { StoreError } from '../../foundation/errors.ts';
import type { Runtime } from '../../foundation/runtime.ts';
import { type PlaceInIndex, shownAt } from '../../store/index-entry.ts';
import type { SampledIndexes } from './state.ts';

/**
 * Samples the indexes. DynamoDB maintains their content, so the observer only queries an index for a few changed items
 * and counts the differences. They aren't drift and never hold back the verified time.
 */

const INDEX_SHARE = 0.001;

export interface IndexQuestion {
  readonly key: ItemKey;
  readonly record: RecordPlace;
  /** The item's revision in the record. If the stored one differs, something has written the item since. */
  readonly revision: string | undefined;
  /** The places where the indexes have to show the item. */
  readonly holds: readonly PlaceInIndex[];
  /** The places that the item has left, where the indexes must no longer show it. */
  readonly left: readonly PlaceInIndex[];
  dueMs: number;
  wrongLooks: number;
}

/** The answer to a question: the stored item, and what the indexes show at each place of `holds` and `left`. */
export interface IndexAnswer {
  stored: Item | undefined;
  holds: readonly (Item | undefined)[];
  left: readonly (Item | undefined)[];
}

export interface IndexDifference extends ItemKey {
  index: IndexName;
  /**
   * `missing`: the index lacks the item. `stale`: it shows other attributes. `left-over`: it shows the item at a
   * place that the item has left.
   */
  kind: 'missing' | 'stale' | 'left-over';
}

/** Milliseconds before the first look, and after each look that finds a difference. */
const WAITS_MS = [60_000, 60_000, 300_000, 900_000] as const;
const [MOST_OPEN, MOST_A_TURN, MOST_NAMES] = [1_000, 10, 10];
/** The counts restart at 0 after this time, because old differences need no action. */
const COUNTED_MS = 7 * 24 * 3_600_000;

/** The open questions, kept only in memory, and the counts of the answers. */
export class IndexSample {
  private readonly open = new Map<string, IndexQuestion>();
  sampled: SampledIndexes | undefined;

  /** @param share the share of derived items' records to sample, from 0 to 1. */
  constructor(
    private readonly graph: Pick<CompiledModel, 'indexes'>,
    private readonly share: number = INDEX_SHARE,
  ) {}

  resume(saved: SampledIndexes | undefined, nowMs: number): void {
    if (this.share === 0 || this.graph.indexes.length === 0) return;
    const isCurrent = saved !== undefined && nowMs - saved.sinceMs < COUNTED_MS;
    this.sampled = isCurrent ? saved : { asked: 0, wrong: 0, wrongItems: [], sinceMs: nowMs };
  }

  /** Ends the open question about the record's item, and may open a new one. */
  receive(change: ChangeRecord, nowMs: number): void {
    const known = this.open.size === 0 ? undefined : this.open.get(textOfKey(change));
    // A record that is read again must not end the question.
    if (known !== undefined && !isOlder(known.record, change)) return;
    if (known !== undefined) this.open.delete(textOfKey(change));
    if (!isDerivedKey(change.target) || this.open.size >= MOST_OPEN) return;
    if (!isInShare(change.sequenceNumber, this.share)) return;
    const { source, target, stream, sequenceNumber, oldImage, newImage } = change;
    const holds = this.placesOf(newImage);
    const left = this.placesOf(oldImage).filter((place) => !holds.some((other) => isSamePlace(place, other)));
    if (holds.length + left.length === 0) return;
    const question = {
      key: { source, target },
      record: { stream, sequenceNumber },
      revision: revisionOf(newImage),
      holds,
      left,
    };
    this.open.set(textOfKey(change), { ...question, dueMs: nowMs + WAITS_MS[0], wrongLooks: 0 });
  }

  private placesOf(image: Item | undefined): PlaceInIndex[] {
    return this.graph.indexes.flatMap((index) => {
      const entry = entryIn(index, image);
      return entry === undefined ? [] : [{ index, ...entry }];
    });
  }

  due(nowMs: number): IndexQuestion[] {
    const due: IndexQuestion[] = [];
    for (const question of this.open.values()) {
      if (question.dueMs <= nowMs) due.push(question);
      if (due.length === MOST_A_TURN) break;
    }
    return due;
  }

  /** Returns the difference once it has outlasted all waits. */
  take(question: IndexQuestion, answer: IndexAnswer, nowMs: number): IndexDifference | undefined {
    const { key, revision } = question;
    const difference = differenceOf(question, answer);
    // The item was written again. Its new record is still on its way, or another process has read it.
    const isTouched = revisionOf(answer.stored) !== revision;
    const nextMs = WAITS_MS[question.wrongLooks + 1];
    if (!isTouched && difference !== undefined && nextMs !== undefined) {
      question.wrongLooks += 1;
      question.dueMs = nowMs + nextMs;
      return undefined;
    }
    this.open.delete(textOfKey(key));
    if (isTouched) return undefined;
    this.count(difference, nowMs);
    return difference;
  }

  /** The counts show the reason until a question gets an answer. */
  putOff(question: IndexQuestion, reason: string, nowMs: number): void {
    question.dueMs = nowMs + WAITS_MS[0];
    if (this.sampled !== undefined) this.sampled = { ...this.sampled, failure: reason };
  }

  private count(difference: IndexDifference | undefined, nowMs: number): void {
    this.resume(this.sampled, nowMs);
    if (this.sampled === undefined) return;
    const { asked, wrong, wrongItems, sinceMs } = this.sampled;
    const name = difference && `${difference.source} ${difference.target}`;
    this.sampled = {
      asked: asked + 1,
      wrong: wrong + (difference === undefined ? 0 : 1),
      wrongItems: name === undefined ? wrongItems : [...new Set([name, ...wrongItems])].slice(0, MOST_NAMES),
      sinceMs,
    };
  }
}

export interface AskContext extends Pick<Runtime, 'now'> {
  graph: Pick<CompiledModel, 'table'>;
  store: Pick<Store, 'get' | 'query'>;
  sample: IndexSample;
  onIndexDifference?: ((difference: IndexDifference) => void) | undefined;
}

export async function askIndexes(context: AskContext): Promise<void> {
  const { sample, now } = context;
  await Promise.all(sample.due(now()).map((question) => askAndReport(context, question)));
}

async function askAndReport(context: AskContext, question: IndexQuestion): Promise<void> {
  const { sample, now, onIndexDifference } = context;
  let answer: IndexAnswer;
  try {
    answer = await answerTo(context, question);
  } catch (error) {
    // A throttled or unfinished index doesn't affect what the observer verifies.
    if (!(error instanceof StoreError)) throw error;
    sample.putOff(question, error.message, now());
    return;
  }
  const difference = sample.take(question, answer, now());
  if (difference !== undefined) onIndexDifference?.(difference);
}

/** Reads the item last: if it still has its record's revision, it didn't change while the indexes were queried. */
async function answerTo({ graph, store }: AskContext, { key, holds, left }: IndexQuestion): Promise<IndexAnswer> {
  const shown = async (places: readonly PlaceInIndex[]) =>
    await Promise.all(places.map((place) => shownAt({ graph, store }, place, key)));
  const [held, still] = await Promise.all([shown(holds), shown(left)]);
  const { item } = await store.get(key, { consistent: true });
  return { stored: item, holds: held, left: still };
}

/** Spreads the hashes of strings that differ only in the last character. Source: Knuth, The Art of Computer Programming 3, 6.4. */
const GOLDEN_RATIO = 0x9e3779b1;

/**
 * Tells whether a string belongs to a share of all strings. The answer never changes, so a replay judges the same
 * records.
 *
 * @param share from 0 to 1.
 */
export function isInShare(text: string, share: number): boolean {
  if (share >= 1) return true;
  return share > 0 && Math.imul(fnv1a(text), GOLDEN_RATIO) >>> 0 < share * 2 ** 32;
}

function isSamePlace(one: PlaceInIndex, other: PlaceInIndex): boolean {
  return one.index === other.index && one.partition === other.partition && one.sort === other.sort;
}

function differenceOf({ key, holds, left }: IndexQuestion, answer: IndexAnswer): IndexDifference | undefined {
  for (const [i, { index }] of holds.entries()) {
    const shown = answer.holds[i];
    if (shown === undefined) return { ...key, index, kind: 'missing' };
    // An index may project only what readers need, or all attributes if it is older.
    if (!sameItem(shownInIndex(index, shown), answer.stored && shownInIndex(index, answer.stored)))
      return { ...key, index, kind: 'stale' };
  }
  const still = left.find((_, i) => answer.left[i] !== undefined);
  return still && { ...key, index: still.index, kind: 'left-over' };
}
