import { type FailureDocument, failureDocument } from '../../../src/foundation/failure-document.ts';
import type { TableStatus } from '../../../src/store/table-description.ts';
import type { StatusFacts } from '../../../src/trust/explain/status.ts';

/** The part of a status that the table says. */
export interface TableFacts {
  table: TableStatus;
  facts: StatusFacts;
}

/** The two parts of a look at the table: the first look at a stream may read many pages of it. */
export interface StatusLook<Facts, Position> {
  facts: () => Promise<Facts>;
  position: () => Promise<Position>;
}

/** How far the look at the stream is. */
export type StreamPart<Position> =
  | { state: 'reading' }
  | { state: 'read'; position: Position }
  | { state: 'failed'; error: FailureDocument['error'] };

/** A status as a walk has it. */
export interface WalkedStatus<Facts, Position> {
  /** When the walk began, in milliseconds since 1970. */
  atMs: number;
  facts: Facts;
  stream: StreamPart<Position>;
}

interface Walk<Facts, Position> {
  atMs: number;
  facts: Promise<Facts>;
  position: Promise<StreamPart<Position>>;
  isRead: boolean;
}

/** How long a walk is kept, in milliseconds. */
export const KEPT_MS = 5_000;

/** The walk of a studio over the status of its table, which all who ask share. */
export class StatusWalk<Facts, Position> {
  private kept: Walk<Facts, Position> | undefined;
  /** True once the stream was read: a later look goes on where the last one has ended, and is soon there. */
  private wasRead = false;

  constructor(private readonly now: () => number) {}

  /**
   * The status by the kept walk, or by a new one where that is old.
   *
   * @param isQuick true if the first look at the stream is not waited for.
   */
  async ask(look: StatusLook<Facts, Position>, isQuick: boolean): Promise<WalkedStatus<Facts, Position>> {
    const walk = this.walk(look);
    const facts = await walk.facts;
    const isWaited = !isQuick || walk.isRead || this.wasRead;
    return { atMs: walk.atMs, facts, stream: isWaited ? await walk.position : { state: 'reading' } };
  }

  /** Leaves the kept walk: the next one who asks gets a new one, as after a write. */
  forget(): void {
    this.kept = undefined;
  }

  private walk({ facts, position }: StatusLook<Facts, Position>): Walk<Facts, Position> {
    const nowMs = this.now();
    if (this.kept !== undefined && nowMs - this.kept.atMs < KEPT_MS) return this.kept;
    // A second walk does not begin while a long one runs.
    if (this.kept?.isRead === false) return this.kept;
    const walk: Walk<Facts, Position> = {
      atMs: nowMs,
      facts: facts(),
      position: position().then(
        (found): StreamPart<Position> => ({ state: 'read', position: found }),
        (error: unknown): StreamPart<Position> => ({ state: 'failed', ...failureDocument(error) }),
      ),
      isRead: false,
    };
    this.kept = walk;
    walk.position.then(({ state }) => {
      walk.isRead = true;
      this.wasRead ||= state === 'read';
    });
    // A table that does not answer is asked again by the next question.
    walk.facts.catch(() => {
      if (this.kept === walk) this.kept = undefined;
    });
    return walk;
  }
}
