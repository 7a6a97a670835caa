import { toJson } from '../../foundation/exact-json.ts';
import type { WatchEvent } from '../feed/watch-types.ts';
import type { ClientRoom } from './client-room.ts';

/** An error as a client receives it. */
export interface WatchFailure {
  code: string;
  message: string;
}

export interface EventStreamContext {
  /** Keeps the Request alive as long as the stream: the signal of a garbage-collected Request may never abort. */
  request: Request;
  began: { event: WatchEvent } | { error: unknown };
  events: AsyncIterator<WatchEvent>;
  ending: AbortController;
  failureOf: (error: unknown) => WatchFailure;
  heartbeatMs: number;
  maxAgeMs: number;
  room: ClientRoom;
}

const MOST_WAITING_BYTES = 65_536;
/** Long events are sent in pieces, to notice whether the client is reading. */
const PIECE_BYTES = 16_384;
const SILENCE_MS = 30_000;
export const RETRY_MS = 5_000;

export function eventStream(context: EventStreamContext): ReadableStream<Uint8Array> {
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING_BYTES });
  return new ReadableStream<Uint8Array>(new ClientStream(context), strategy);
}

class ClientStream {
  private readonly encoder = new TextEncoder();
  private id = 0;
  private rest: Uint8Array = new Uint8Array();
  private isLast = false;
  private isOld = false;
  private takenMs = performance.now();

  constructor(private readonly context: EventStreamContext) {}

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { began, ending, heartbeatMs, maxAgeMs } = this.context;
    const { signal } = ending;
    const heartbeat = setInterval(() => this.beat(controller), heartbeatMs);
    const age = setTimeout(() => this.growOld(controller), maxAgeMs);
    const end = (): void => {
      clearInterval(heartbeat);
      clearTimeout(age);
      this.give(this.rest.length);
      this.context.room.leave();
      // The signal ends an iterator only while its `next` is pending.
      this.context.events.return?.().catch(() => undefined);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    if ('error' in began) {
      this.fail(began.error);
      return;
    }
    this.keep(this.encoder.encode(this.textOf(began.event)));
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.takenMs = performance.now();
    if (this.rest.length === 0 && !this.isLast) await this.readNext(controller);
    if (this.rest.length > 0) controller.enqueue(this.give(PIECE_BYTES));
    if (this.rest.length === 0 && this.isLast) controller.close();
  }

  cancel(reason: unknown): void {
    this.context.ending.abort(reason);
  }

  private async readNext(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { events, ending, request, room } = this.context;
    try {
      const { value, done } = await events.next();
      if (done !== true && !ending.signal.aborted) {
        const bytes = this.encoder.encode(this.textOf(value));
        if (room.hasRoomFor(bytes.length)) this.keep(bytes);
        else this.letGo(controller, 'Too much waits for the clients of this server.');
      } else if (this.isOld) this.isLast = true;
      else controller.error(request.signal.reason);
    } catch (error) {
      if (this.isOld) this.isLast = true;
      else if (ending.signal.aborted) controller.error(error);
      else this.fail(error);
    }
  }

  private fail(error: unknown): void {
    const { ending, failureOf } = this.context;
    this.isLast = true;
    if (ending.signal.aborted) return;
    // Abort first, because `failureOf` calls `onError`, which may throw.
    ending.abort(error);
    const failure = failureOf(error);
    this.keep(this.encoder.encode(`retry: ${RETRY_MS}\nevent: failure\ndata: ${JSON.stringify(failure)}\n\n`));
  }

  private beat(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if ((controller.desiredSize ?? 0) > 0 && this.rest.length === 0) controller.enqueue(this.encoder.encode(':\n\n'));
    else if (performance.now() - this.takenMs > SILENCE_MS) this.letGo(controller, 'The client takes nothing.');
  }

  private growOld(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.isOld = true;
    if (this.rest.length > 0 || (controller.desiredSize ?? 0) <= 0) this.letGo(controller, 'The client is slow.');
    else this.context.ending.abort(new Error('The stream is old.'));
  }

  private letGo(controller: ReadableStreamDefaultController<Uint8Array>, why: string): void {
    const reason = new Error(why);
    controller.error(reason);
    this.context.ending.abort(reason);
  }

  private keep(bytes: Uint8Array): void {
    this.rest = bytes;
    this.context.room.hold(bytes.length);
  }

  private give(most: number): Uint8Array {
    const bytes = this.rest.subarray(0, most);
    this.rest = this.rest.subarray(most);
    this.context.room.hold(-bytes.length);
    return bytes;
  }

  private textOf(event: WatchEvent): string {
    this.id += 1;
    return `id: ${this.id}\nevent: ${event.type}\ndata: ${toJson(event)}\n\n`;
  }
}
