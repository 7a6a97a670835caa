import {
  checkKeyText,
  isDerivedKey,
  PARTITION_KEY_BYTES,
  parseNodeId,
  SORT_KEY_BYTES,
  textOfKey,
} from '../../core/items/keys.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { describe } from '../../foundation/describe.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions, checkSecret } from '../../foundation/options.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import type { Agreement } from '../../stream/progress/agreement.ts';
import { decodeToken, encodeToken, type SessionKey, type TokenItem, tableTag } from './token.ts';

/** Options of `createSession`. */
export interface SessionOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** Secret that signs tokens (HMAC-SHA256). Default: tokens carry a checksum, which anyone can forge. */
  key?: SessionKey | undefined;
  /**
   * Returns the time, in milliseconds since 1970, before which every record has been applied: see `createLowWatermark`.
   */
  lowWatermark?: (() => Promise<number | undefined>) | undefined;
  /** Milliseconds that a DynamoDB index may lag behind its table. Default: 10,000. */
  indexGraceMs?: number | undefined;
}

interface Entry extends ItemKey {
  /** When the last write ended. While one is pending, `token` gives the current time instead. */
  at: number;
  pending: number;
  look?: { at: number; revisions: string };
  passedAt?: number | undefined;
}

const INDEX_GRACE_MS = 10_000;
/** A key stays at least this long if the low watermark is unknown. */
const LEAST_AGE_MS = 60_000;
/** The clocks of writer and stream may differ, and stream times are whole seconds. */
const CLOCK_MARGIN_MS = 5_000;
/** A stream keeps records for a day. After that, only a repair can project a write. */
const STREAM_MS = 25 * 3_600_000;
/** With this many bytes of keys, the token still fits into a 4 KB cookie. */
const MOST_BYTES = 2_400;
const BYTES_OF_ENTRY = 40;
const MOST_LOOKS = 10;

/**
 * Remembers the keys of recent writes for `Reader.with`. Pass `token()` (at most 4 KB) to the client, and continue with
 * `Session.from` on any machine.
 */
export class Session {
  private readonly entries = new Map<string, Entry>();
  /** Set after too many writes, with the time at which the last one ended. While it is set, no key is remembered. */
  private overflow: Pick<Entry, 'at' | 'passedAt'> | undefined;
  /** Number of writes under way. An overflow ends only after all of them. */
  private pending = 0;

  private readonly now: Runtime['now'];
  private table: string | undefined;

  constructor(private readonly options: SessionOptions = {}) {
    checkOptions('createSession', options, {
      key: true,
      lowWatermark: 'function',
      indexGraceMs: 'milliseconds',
      now: 'internal',
    });
    checkSecret('key', options.key, 'a session');
    this.now = runtimeOf(options).now;
  }

  /**
   * Continues from a token, or starts a new session without one. Throws `invalid-session` if the token was altered or
   * signed with another key.
   */
  static from(token: string | undefined, options: SessionOptions = {}): Session {
    const session = new Session(options);
    if (token === undefined || token === '') return session;
    const { table, keys, overflowAt, overflowPassedAt } = decodeToken(token, options.key);
    session.table = table;
    for (const [source, target, at, seenAt, revisions] of keys) {
      const entry: Entry = { source, target, at, pending: 0 };
      if (seenAt !== undefined && revisions !== undefined) entry.look = { at: seenAt, revisions };
      else entry.passedAt = seenAt;
      session.entries.set(textOfKey({ source, target }), entry);
    }
    if (session.sizeBytes() > MOST_BYTES) throw tokenTooLarge();
    if (overflowAt !== undefined) session.overflow = { at: overflowAt, passedAt: overflowPassedAt };
    return session;
  }

  /** Returns the session as a string for a cookie or header. */
  token(): string {
    const now = this.now();
    const keys = [...this.entries.values()].map(({ source, target, at, pending, look, passedAt }): TokenItem => {
      if (pending > 0) return [source, target, now];
      if (passedAt !== undefined) return [source, target, at, passedAt];
      return look === undefined ? [source, target, at] : [source, target, at, look.at, look.revisions];
    });
    const { overflow, table } = this;
    if (overflow === undefined) return encodeToken({ table, keys }, this.options.key);
    const [overflowAt, overflowPassedAt] = this.pending > 0 ? [now] : [overflow.at, overflow.passedAt];
    return encodeToken({ table, keys, overflowAt, overflowPassedAt }, this.options.key);
  }

  /** Binds a new session to the table. Throws `invalid-session` if the session belongs to another table. */
  bindTo(table: string): this {
    const tag = tableTag(table);
    this.table ??= tag;
    if (this.table === tag) return this;
    throw new EdgeloomError(
      'invalid-session',
      `The session belongs to a different table than ${table}.`,
      'Keep a session for each table.',
    );
  }

  /** `'unknown'` if there were too many writes to remember. */
  get ownWrites(): 'shown' | 'unknown' {
    return this.overflow === undefined ? 'shown' : 'unknown';
  }

  /** Returns the keys of writes that may not be projected yet. */
  keys(): ItemKey[] {
    return [...this.entries.values()].map(({ source, target }) => ({ source, target }));
  }

  /** Notes keys before they are written. Call the returned function when the write has ended, even if it failed. */
  note(keys: readonly ItemKey[]): () => void {
    checkKeys(keys);
    for (const key of keys) this.rememberKey(key);
    this.pending += 1;
    return () => {
      const at = this.now();
      this.pending -= 1;
      if (this.overflow !== undefined) this.overflow = { at };
      for (const key of keys) {
        const entry = this.entries.get(textOfKey(key));
        if (entry === undefined) continue;
        entry.pending -= 1;
        entry.at = at;
      }
    };
  }

  /** Forgets keys whose writes are projected, or whose records have left the stream. */
  async refresh(
    look: (key: ItemKey) => Promise<Agreement>,
    hasFannedOut: (key: ItemKey) => Promise<boolean>,
  ): Promise<void> {
    if (this.entries.size === 0 && this.overflow === undefined) return;
    const lowWatermark = await this.options.lowWatermark?.();
    let looks = 0;
    for (const [text, entry] of [...this.entries]) {
      // Another write of the key replaces its entry.
      const isStill = (): boolean => this.entries.get(text) === entry && entry.pending === 0;
      const looking = async (key: ItemKey): Promise<Agreement | undefined> => {
        if (looks >= MOST_LOOKS) return undefined;
        looks += 1;
        // Move the entry to the end, so that other keys are compared first next time.
        this.entries.delete(text);
        this.entries.set(text, entry);
        return await look(key);
      };
      if (isStill() && (await this.mayForget(entry, lowWatermark, looking, hasFannedOut)) && isStill())
        this.entries.delete(text);
    }
    const { overflow } = this;
    if (overflow === undefined || this.pending > 0) return;
    if (this.hasPassed(overflow, lowWatermark) || this.isOutOfStream(overflow)) this.overflow = undefined;
  }

  private rememberKey(key: ItemKey): void {
    if (this.overflow !== undefined) return;
    const [text, at] = [textOfKey(key), this.now()];
    // Replace a known entry, because its earlier comparisons say nothing about the coming write.
    this.entries.set(text, { ...key, at, pending: (this.entries.get(text)?.pending ?? 0) + 1 });
    if (this.sizeBytes() <= MOST_BYTES) return;
    this.entries.clear();
    this.overflow = { at };
  }

  private async mayForget(
    entry: Entry,
    lowWatermark: number | undefined,
    look: (key: ItemKey) => Promise<Agreement | undefined>,
    hasFannedOut: (key: ItemKey) => Promise<boolean>,
  ): Promise<boolean> {
    const now = this.now();
    if (this.isOutOfStream(entry)) return true;
    if (lowWatermark !== undefined) {
      // The low watermark passes a node's record with the first page of its fan-out, so wait for the other pages.
      return this.hasPassed(entry, (await hasFannedOut(entry)) ? lowWatermark : undefined);
    }
    // rule: key-stays-for-its-least-age
    if (now - entry.at < LEAST_AGE_MS) return false;
    const before = entry.look;
    if (before !== undefined && now - before.at < this.graceMs) return false;
    const found = await look({ source: entry.source, target: entry.target });
    if (found === undefined) return false;
    const { agrees, revisions } = found;
    // rule: key-leaves-after-two-like-looks
    if (agrees && before?.revisions === revisions) return true;
    if (agrees) entry.look = { at: now, revisions };
    else delete entry.look;
    return false;
  }

  private hasPassed(write: { at: number; passedAt?: number | undefined }, lowWatermark: number | undefined): boolean {
    // rule: key-stays-until-the-low-watermark-passes
    if (lowWatermark === undefined || lowWatermark < write.at + CLOCK_MARGIN_MS) {
      write.passedAt = undefined;
      return false;
    }
    write.passedAt ??= this.now();
    // rule: index-has-its-time-after-the-low-watermark
    return this.now() - write.passedAt >= this.graceMs;
  }

  private isOutOfStream({ at }: { at: number }): boolean {
    return this.now() - at > STREAM_MS;
  }

  private get graceMs(): number {
    return this.options.indexGraceMs ?? INDEX_GRACE_MS;
  }

  private sizeBytes(): number {
    let bytes = 0;
    for (const text of this.entries.keys()) bytes += Buffer.byteLength(text) + BYTES_OF_ENTRY;
    return bytes;
  }
}

/** A key that names no item would stay in the session, and each read would look it up. */
function checkKeys(keys: unknown): void {
  if (!Array.isArray(keys)) {
    throw new EdgeloomError(
      'invalid-argument',
      `note takes a list of keys, but was given ${describe(keys)}.`,
      NOTE_REMEDY,
    );
  }
  for (const [i, key] of keys.entries()) {
    const { source, target } = Object(key) as Partial<Record<keyof ItemKey, unknown>>;
    checkKeyText(source, `Attribute source of key ${i + 1} of note`, PARTITION_KEY_BYTES);
    checkKeyText(target, `Attribute target of key ${i + 1} of note`, SORT_KEY_BYTES);
    if (parseNodeId(source) !== undefined && !isDerivedKey(target)) continue;
    throw new EdgeloomError(
      'invalid-key',
      `Key ${i + 1} of note, ${describe(source)} ${describe(target)}, is the key of no node, edge or part.`,
      NOTE_REMEDY,
    );
  }
}

const NOTE_REMEDY = "Give [{ source: 'USER-U1', target: 'USER-U1' }], or the target 'TICKET-TASK-T1' for an edge.";

export function sessionOf(session: Session | undefined, table: string): Session {
  if (typeof session?.bindTo === 'function') return session.bindTo(table);
  throw new EdgeloomError('invalid-argument', 'with takes a session.', 'Give createSession(), or Session.from(token).');
}

function tokenTooLarge(): EdgeloomError {
  return new EdgeloomError(
    'invalid-session',
    'The session token holds more keys than a session remembers: no session gave it.',
    'Begin a new session: createSession(). Sign tokens with a key.',
  );
}

/**
 * Creates a session. Readers with the session show what writers with the session have written.
 *
 * @example
 * const session = Session.from(request.cookies.session, { key });
 * await writer.with(session).putEdge('GOAL-G1', 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD' });
 * await reader.with(session).inbound('USER-U1', 'GOALMEMBERSHIP'); // has the edge, in its place
 * response.cookies.session = session.token();
 */
export function createSession(options: SessionOptions = {}): Session {
  return new Session(options);
}
