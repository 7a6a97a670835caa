import type { AttributeValue, Item } from '../core/items/attribute-value.ts';
import { hash128 } from '../core/items/keys.ts';
import { EdgeloomError, isRetryableStoreError, StoreError } from '../foundation/errors.ts';
import { SEND_WITHIN_MS } from '../foundation/late-writes.ts';
import { retryableUpTo, retrying } from '../foundation/retry.ts';
import type { RuntimeOptions } from '../foundation/runtime.ts';
import { asSeen, type Claim, type Claims, claimsOf, itemOfClaims, liveMakers, withClaim } from './claims.ts';
import type { SourceContext } from './context.ts';
import { requireInForce } from './head.ts';
import { checkKeys, type Ledger, putLedger, readLedger } from './ledger.ts';
import { itemKeyOf, mapped, textOfMade } from './mapped.ts';
import { CONFLICTS, noteOf } from './notes.ts';
import { numberValue, type PutRecord } from './record.ts';
import { makerOf, type SourceItem } from './source.ts';

/**
 * A touch reads the ledger, the head and the source, in this order, and maps the item. It writes the ledger, even
 * without changes; if another touch has changed the ledger since the read, it repeats all reads. Then it writes each
 * output, except where a newer touch already has, and removes deleted outputs from the ledger. Only the ledger's
 * revision orders touches.
 */

const AT_ONCE = 16;
const MOST_REASON_BYTES = 2_000;

export interface TouchRun extends Pick<RuntimeOptions, 'remainingMs' | 'signal'> {
  /** Per call. */
  attempts: number;
  /** The name of the sync that makes this touch, if any. */
  sync?: string | undefined;
}

/** `readAt`, in milliseconds since 1970, is from just before the read. */
export interface LedgerRead {
  ledger: Ledger;
  readAt: number;
}

/** Thrown instead of sending a write whose reads may be outdated. The touch then repeats its reads. */
class TooLate extends Error {}

export async function beginTouch({ store, source, now }: SourceContext, key: string): Promise<LedgerRead> {
  const readAt = now();
  return { readAt, ledger: await readLedger(store, source.name, key) };
}

/** `first` is the ledger, if the caller read it before the head. */
export async function touch(context: SourceContext, key: string, run: TouchRun, first?: LedgerRead): Promise<void> {
  let read = first;
  for (;;) {
    run.signal?.throwIfAborted();
    // rule: source-ledger-is-read-first
    const begun = read ?? (await beginTouch(context, key));
    // A touch that has read an outdated head has an outdated ledger, so its write fails.
    // rule: source-head-is-read-behind-the-ledger
    if (read === undefined) await requireInForce(context);
    // rule: source-is-read-in-each-round
    const item = await context.access.read(key);
    try {
      if (await writeRound(context, key, { ...begun, item }, run)) return;
    } catch (error) {
      if (!(error instanceof TooLate)) throw error;
    }
    read = undefined;
  }
}

/** Returns false if another round is needed: another touch was faster, or the reads have become too old. */
async function writeRound(
  context: SourceContext,
  key: string,
  { ledger, readAt, item }: LedgerRead & { item: SourceItem | undefined },
  run: TouchRun,
): Promise<boolean> {
  const { graph, source, now } = context;
  const send = sender(context, readAt, run);
  const maker = makerOf(source, key);
  const sync = run.sync ?? ledger.sync;
  // rule: source-token-is-a-new-revision
  const token = Math.max(ledger.token + 1, now());
  let made: ReadonlyMap<string, Item>;
  let keys: string[];
  try {
    made = mapped(graph, source, key, item);
    // rule: source-ledger-has-old-and-new-keys
    keys = [...new Set([...ledger.keys, ...made.keys()])].sort();
    checkKeys(maker, keys);
  } catch (error) {
    return refuse(context, send, { ...ledger, token, sync }, ledger.seen, error);
  }
  const hash = hash128(textOfMade(made));
  // A sync repairs outputs, so it skips only those that it wrote itself.
  // rule: source-touch-goes-on-with-what-it-began
  const isGoingOn = ledger.part?.hash === hash && sync === ledger.sync;
  let through = isGoingOn ? ledger.part!.through : '';
  const held: Ledger = { key, token, keys, sync };
  const own = numberValue(token);
  const keep = async (
    seen: AttributeValue | undefined,
    next: Ledger = { ...held, ...(through !== '' && { part: { hash, through } }) },
  ) => (await send(putLedger(context, next, seen))).applied;
  // rule: source-ledger-is-written-ahead
  const isHeld = await keep(ledger.seen);
  if (!isHeld) return false;
  const rest = keys.filter((text) => text > through);
  for (let start = 0; start < rest.length; start += AT_ONCE) {
    const isOver = (run.remainingMs?.() ?? Number.POSITIVE_INFINITY) <= 0;
    const isLate = now() - readAt > SEND_WITHIN_MS / 2;
    if (start > 0 && (isOver || isLate)) {
      await keep(own);
      if (isOver) throw unfinished(maker, keys.length - rest.length + start, keys.length);
      return false;
    }
    const some = rest.slice(start, start + AT_ONCE);
    try {
      await Promise.all(some.map((text) => writeClaim(context, send, text, maker, { token, content: made.get(text) })));
    } catch (error) {
      if (isRetryableStoreError(error)) await keep(own);
      return refuse(context, send, held, own, error);
    }
    through = some.at(-1)!;
  }
  const isLeft = keys.length > made.size || isGoingOn;
  // Fails if a newer touch has changed the ledger, because that touch may have added keys.
  // rule: source-ledger-is-cut-under-its-token
  if (isLeft) await keep(own, { ...held, keys: [...made.keys()].sort() });
  return true;
}

type Send = (change: PutRecord) => ReturnType<SourceContext['store']['change']>;

/** Repeating a write is harmless: its condition then fails, or it puts the same note again. */
function sender({ store, wait, random, now }: SourceContext, readAt: number, run: TouchRun): Send {
  const { remainingMs, signal, attempts } = run;
  return (change) =>
    retrying(
      async () => {
        // rule: source-write-is-sent-in-time
        if (now() - readAt > SEND_WITHIN_MS) throw new TooLate();
        return await store.change(change);
      },
      { wait, random, remainingMs, signal, isRetryable: retryableUpTo(attempts) },
    );
}

async function writeClaim(
  context: SourceContext,
  send: Send,
  text: string,
  maker: string,
  claim: Claim,
): Promise<void> {
  const { graph, names, now } = context;
  const key = itemKeyOf(text);
  const say = (before: Claims | undefined) => withClaim(before, maker, claim, { nowMs: now(), names });
  const put = (item: Item, condition: object): PutRecord => ({ kind: 'put', key, item, condition });
  let claims = say(undefined);
  // rule: source-writes-over-its-older-claim-alone
  const condition = { claimedBefore: { maker, token: claim.token } };
  // rule: source-equal-content-takes-the-token
  let result = await send(put(itemOfClaims(graph, key, claims), condition));
  while (!result.applied) {
    const { current } = result;
    const seen = claimsOf(graph, current);
    const own = seen?.byMaker.get(maker)?.token ?? 0;
    // rule: source-a-newer-claim-stays
    if (own > claim.token) return;
    claims = say(seen);
    // rule: source-shared-item-is-written-as-it-was-seen
    const unchanged = asSeen(current);
    result = await send(put(itemOfClaims(graph, key, claims), unchanged));
  }
  // rule: source-notes-a-conflict
  if (liveMakers(claims).length > 1) await send(noteOf(graph, CONFLICTS, { text, mark: `${claim.token}/${maker}` }));
}

async function refuse(
  context: SourceContext,
  send: Send,
  { part: _, ...kept }: Ledger,
  seen: AttributeValue | undefined,
  error: unknown,
): Promise<boolean> {
  if (!isOfItem(error)) throw error;
  const { graph, source, now } = context;
  const since = kept.refusal?.since ?? Math.floor(now() / 1000);
  // rule: source-refused-item-keeps-what-it-made
  const refused: Ledger = { ...kept, refusal: { code: error.code, reason: reasonOf(error), since } };
  const { applied } = await send(putLedger(context, refused, seen));
  const note = { text: kept.key, mark: String(kept.token) };
  if (applied) await send(noteOf(graph, `source-refused/${source.name}/`, note));
  return applied;
}

/** Tells whether an error is about one item and recurs with every attempt. */
export function isOfItem(error: unknown): error is EdgeloomError {
  if (error instanceof StoreError) return error.kind === 'terminal';
  return error instanceof EdgeloomError && error.code === 'invalid-mapping';
}

/** A mapping may throw long messages, and the reason has to fit into a ledger. */
export function reasonOf({ message, hint }: EdgeloomError): string {
  const bytes = Buffer.from(`${message} ${hint}`.trim());
  return bytes.length > MOST_REASON_BYTES ? `${bytes.subarray(0, MOST_REASON_BYTES)}…` : String(bytes);
}

function unfinished(maker: string, written: number, all: number): EdgeloomError {
  return new EdgeloomError(
    'out-of-time',
    `Of the ${all} items of the source item ${maker} ${written} are written; the time ran out.`,
    'Touch the key again: the touch goes on where it stopped.',
  );
}
