import type { Store } from '../core/store-port.ts';
import { checkSignal } from '../foundation/options.ts';
import { type Abortable, allowManyListeners, type Runtime, sleep } from '../foundation/runtime.ts';

/**
 * Runs a job on a store. After an abort, the job's next call throws the signal's reason, and the job settles once all
 * sent calls are answered.
 */
export async function runAbortable<S extends object, T>(
  store: S,
  { signal, wait = (milliseconds) => sleep(milliseconds, signal) }: Abortable & { wait?: Runtime['wait'] | undefined },
  run: (store: S, wait: Runtime['wait']) => Promise<T>,
): Promise<T> {
  if (signal === undefined) return await run(store, wait);
  checkSignal('signal', signal);
  signal.throwIfAborted();
  const underWay = new Set<Promise<unknown>>();
  try {
    return await run(trackingStore(store, signal, underWay), (milliseconds) =>
      untilAborted(signal, wait(milliseconds)),
    );
  } finally {
    // `run` may reject with the first failed call while others still write.
    while (signal.aborted && underWay.size > 0) await Promise.allSettled(underWay);
  }
}

/** Unlike `runAbortable`, throws the signal's reason at once after an abort. */
export async function readAbortable<S extends object, T>(
  store: S,
  signal: AbortSignal | undefined,
  read: (store: S) => Promise<T>,
): Promise<T> {
  if (signal === undefined) return await read(store);
  checkSignal('signal', signal);
  signal.throwIfAborted();
  return await untilAborted(signal, read(trackingStore(store, signal, new Set())));
}

/** Calls that also take the signal as an option, so that an abort ends their waits. */
const BATCH_CALLS: ReadonlySet<string | symbol> = new Set<keyof Store>(['getMany', 'updateMany', 'writeMany']);

function trackingStore<S extends object>(store: S, signal: AbortSignal, underWay: Set<Promise<unknown>>): S {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]): Promise<unknown> => {
        signal.throwIfAborted();
        const given = BATCH_CALLS.has(name) ? [args[0], { ...(args[1] as Abortable | undefined), signal }] : args;
        const call = Promise.resolve(member.apply(target, given));
        underWay.add(call);
        try {
          return await call;
        } finally {
          underWay.delete(call);
        }
      };
    },
  });
}

export async function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  allowManyListeners(signal);
  signal.addEventListener('abort', stop, { once: true });
  try {
    // A signal that is already aborted fires no event.
    if (signal.aborted) stop();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
