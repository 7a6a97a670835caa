import { hash128 } from '../core/items/keys.ts';
import type { BaseChange } from '../core/store-port.ts';
import { EdgeloomError, isRetryableStoreError, StoreError } from '../foundation/errors.ts';
import { SEND_WITHIN_MS } from '../foundation/late-writes.ts';
import { retrying } from '../foundation/retry.ts';
import type { RuntimeOptions } from '../foundation/runtime.ts';
import { asSeen, type Claim, claimsOf, itemOfClaims, liveMakers, withClaim } from './claims.ts';
import type { SourceContext } from './context.ts';
import { requireInForce } from './head.ts';
import { checkKeys, itemOfLedger, keyOfLedger, type Ledger, ledgerAt, readLedger } from './ledger.ts';
import { itemKeyOf, mapped, textOfMade } from './mapped.ts';
import { noteConflict, noteRefusal } from './notes.ts';
import { makerOf, type SourceItem } from './source.ts';

/**
 * The protocol of a touch: the source says what an item holds, its ledger says what was made of it, and the ledger's revision is the only
 * order. In this file from top to bottom: read the ledger, then the head, then the source; map; write the ledger ahead, always, under what
 * was read; write each output under "my claim is older"; cut the ledger down. A touch that is overtaken begins again with all its reads.
 */

/** Items of one source item that are written at once. */
const AT_ONCE = 16;

/** How touches run. */
export interface TouchRun extends Pick<RuntimeOptions, 'remainingMs' | 'signal'> {
  /** Attempts of a call that is refused for now. */
  attempts: number;
  /** The sync that touches. */
  sync?: string | undefined;
  /** The source is taken away: nothing is in it. */
  isRetiring?: boolean | undefined;
}

/** A ledger as it was read, and when. */
export interface LedgerRead {
  ledger: Ledger;
  readAt: number;
}

/** A write would be sent so late that what it rests on may be forgotten: the touch begins again. */
class TooLate extends Error {}

/** Reads the ledger of a key. The time is taken before. */
export async function beginTouch({ store, source, now }: SourceContext, key: string): Promise<LedgerRead> {
  const readAt = now();
  return { readAt, ledger: await readLedger(store, source.name, key) };
}

/**
 * Makes of a source item what it is now. Throws `touch-unfinished` where time is over, and what a call throws: the touch then has to come again.
 *
 * @param first the ledger as the caller has read it, before it read the head.
 */
export async function touch(context: SourceContext, key: string, run: TouchRun, first?: LedgerRead): Promise<void> {
  const { source, access } = context;
  let read = first;
  for (;;) {
    run.signal?.throwIfAborted();
    // rule: source-ledger-is-read-first
    const begun = read ?? (await beginTouch(context, key));
    // Behind the ledger: whoever reads an older head has an older ledger, and is refused.
    // rule: source-head-is-read-behind-the-ledger
    if (read === undefined && run.isRetiring !== true) await requireInForce(context, source);
    // rule: source-is-read-in-each-round
    const item = run.isRetiring === true ? undefined : await access.read(key);
    try {
      if (await writeRound(context, key, { ...begun, item }, run)) return;
    } catch (error) {
      if (!(error instanceof TooLate)) throw error;
    }
    // A conflict repeats every read, not that of the ledger alone.
    read = undefined;
  }
}

/** Writes what the item of one round makes; false: the round was overtaken. */
async function writeRound(
  context: SourceContext,
  key: string,
  { ledger, readAt, item }: LedgerRead & { item: SourceItem | undefined },
  run: TouchRun,
): Promise<boolean> {
  const { graph, source, now } = context;
  const send = sender(context, readAt, run);
  const maker = makerOf(source, key);
  // rule: source-token-is-a-new-revision
  const token = Math.max(ledger.token + 1, now());
  let made: ReturnType<typeof mapped>;
  let keys: string[];
  try {
    made = mapped(graph, source, key, item);
    // rule: source-ledger-has-old-and-new-keys
    keys = [...new Set([...ledger.keys, ...made.keys()])].sort();
    checkKeys(maker, keys);
  } catch (error) {
    if (!isOfItem(error)) throw error;
    return refuse(context, send, { ...ledger, token, sync: run.sync ?? ledger.sync }, ledger.token, error);
  }
  const hash = hash128(textOfMade(made));
  // A walk repairs, so it goes on with its own work alone.
  const isOfThisWalk = run.sync === undefined || run.sync === ledger.sync;
  const isGoingOn = ledger.part?.hash === hash && isOfThisWalk;
  let through = isGoingOn ? ledger.part!.through : '';
  const partOf = (to: string): Pick<Ledger, 'part'> => (to === '' ? {} : { part: { hash, through: to } });
  const held: Ledger = { key, token, keys, sync: run.sync ?? ledger.sync };
  const write = async (next: Ledger, seen: number): Promise<boolean> => {
    const change = { key: keyOfLedger(source.name, key), item: itemOfLedger(graph, source.name, next, now()) };
    return (await send({ kind: 'put', ...change, condition: ledgerAt(seen) })).applied;
  };
  // rule: source-ledger-is-written-ahead
  const isHeld = await write({ ...held, ...partOf(through) }, ledger.token);
  if (!isHeld) return false;
  const rest = keys.filter((text) => text > through);
  for (let start = 0; start < rest.length; start += AT_ONCE) {
    const isOver = isTimeOver(run);
    const isLate = now() - readAt > SEND_WITHIN_MS / 2;
    if (start > 0 && (isOver || isLate)) {
      await write({ ...held, ...partOf(through) }, token);
      if (isOver) throw unfinished(maker, keys.length - rest.length + start, keys.length);
      return false;
    }
    const some = rest.slice(start, start + AT_ONCE);
    try {
      await Promise.all(
        some.map((text) => writeClaim(context, send, { text, maker, claim: { token, content: made.get(text) } })),
      );
    } catch (error) {
      if (isOfItem(error)) return refuse(context, send, held, token, error);
      if (isRetryableStoreError(error)) await write({ ...held, ...partOf(through) }, token);
      throw error;
    }
    through = some.at(-1)!;
  }
  const isLeft = keys.length > made.size || isGoingOn;
  // Under the token: a newer touch may have put keys there.
  // rule: source-ledger-is-cut-under-its-token
  if (isLeft) await write({ ...held, keys: [...made.keys()].sort() }, token);
  return true;
}

type Send = (change: BaseChange & { kind: 'put' }) => ReturnType<SourceContext['store']['change']>;

/** Sends the writes of one round, each as often as it takes: under their conditions a second time does nothing. */
function sender({ store, wait, random, now }: SourceContext, readAt: number, run: TouchRun): Send {
  const { remainingMs, signal, attempts } = run;
  return (change) =>
    retrying(
      async () => {
        // What the write rests on may be forgotten by then.
        if (now() - readAt > SEND_WITHIN_MS) throw new TooLate();
        return await store.change(change);
      },
      {
        wait,
        random,
        remainingMs,
        signal,
        isRetryable: (error, tries) => isRetryableStoreError(error) && tries < attempts,
      },
    );
}

/** Writes what a source item says of one base item, unless it has said something newer. */
async function writeClaim(
  context: SourceContext,
  send: Send,
  { text, maker, claim }: { text: string; maker: string; claim: Claim },
): Promise<void> {
  const { graph, names, now } = context;
  const key = itemKeyOf(text);
  const say = (before: Parameters<typeof withClaim>[0]) => withClaim(before, maker, claim, { nowMs: now(), names });
  let claims = say(undefined);
  // rule: source-writes-over-its-older-claim-alone
  const condition = { claimedBefore: { maker, token: claim.token } };
  let result = await send({ kind: 'put', key, item: itemOfClaims(graph, key, claims), condition });
  while (!result.applied) {
    const { current } = result;
    const seen = claimsOf(graph, current);
    const own = seen?.byMaker.get(maker)?.token ?? 0;
    // rule: source-a-newer-claim-stays
    if (own > claim.token) return;
    claims = say(seen);
    // rule: source-shared-item-is-written-as-it-was-seen
    const unchanged = asSeen(current);
    result = await send({ kind: 'put', key, item: itemOfClaims(graph, key, claims), condition: unchanged });
  }
  // rule: source-notes-a-conflict
  if (liveMakers(claims).length > 1) await noteConflict(context, send, text, `${claim.token}/${maker}`);
}

/** Sets a source item aside that is not mapped. What it made stays, and its keys stay in the ledger. */
async function refuse(
  context: SourceContext,
  send: Send,
  ledger: Ledger,
  seen: number,
  { code, message, hint }: EdgeloomError,
): Promise<boolean> {
  const { graph, source, now } = context;
  const since = ledger.refusal?.since ?? Math.floor(now() / 1000);
  const { part: _, ...kept } = ledger;
  // rule: source-refused-item-keeps-what-it-made
  const refused: Ledger = { ...kept, refusal: { code, reason: `${message} ${hint}`.trim(), since } };
  const item = itemOfLedger(graph, source.name, refused, now());
  const key = keyOfLedger(source.name, ledger.key);
  const { applied } = await send({ kind: 'put', key, item, condition: ledgerAt(seen) });
  if (applied) await noteRefusal(context, send, ledger.key, String(ledger.token));
  return applied;
}

/** Tells whether an error is of one item, which fails again however often it is tried. */
export function isOfItem(error: unknown): error is EdgeloomError {
  if (error instanceof StoreError) return error.kind === 'terminal';
  return error instanceof EdgeloomError && error.code === 'invalid-mapping';
}

/** Tells whether the caller's time is over. The caller keeps what the last calls take: a second reserve would leave short calls no time. */
export function isTimeOver({ remainingMs }: Pick<TouchRun, 'remainingMs'>): boolean {
  return (remainingMs?.() ?? Number.POSITIVE_INFINITY) <= 0;
}

function unfinished(maker: string, written: number, all: number): EdgeloomError {
  return new EdgeloomError(
    'touch-unfinished',
    `Of the ${all} items of the source item ${maker} ${written} are written; the time ran out.`,
    'Touch the key again: the touch goes on where it stopped.',
  );
}
