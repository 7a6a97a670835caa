import type { DerivedUpdate, ItemKey, Store, UpdateManyOptions } from '../../../src/core/store-port.ts';
import { updateEach } from '../../../src/store/update-run.ts';
import type { MemoryStore } from '../../support/memory-store/memory-store.ts';
import { codeRunsOn } from '../kernel/agenda.ts';
import type { Numbering } from './walk.ts';

/** How a call to the table ends. */
export type Ending =
  /** It takes effect, and its process learns of it. */
  | 'done'
  /** It takes effect, and its process dies. */
  | 'last'
  /** It takes effect, and its process learns of an error. */
  | 'lost';

/** A call that a process has made and that has not taken effect. */
export interface PendingCall {
  method: string;
  /** The items concerned, as `source target`; empty for a page. */
  keys: readonly string[];
  isWrite: boolean;
  run: () => Promise<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** What a process is of. */
export interface ProcessOptions {
  /** What it begins with. */
  task: string;
  numbering: Numbering;
  /** Makes a call take effect, now. */
  effect: <T>(call: () => T) => T;
  /** The error of an answer that is lost. */
  lostAnswer: () => Error;
  /** The updates of a call land at once, as one step. Default: each is a step of its own. */
  updatesAtOnce?: boolean;
  /** The clock that it looks at when it has an answer. Default: it looks at none. */
  now?: () => number;
}

const READS: readonly string[] = ['get', 'getMany', 'query', 'scan'];

/**
 * A process whose calls to the table wait until they are let through, one by one. The code is the same function of the answers
 * that it gets: so the answers so far, in their order, say all about where it stands.
 */
export class GatedProcess {
  /** Calls that wait, in the order in which they were made. */
  readonly pending: PendingCall[] = [];
  /** Whether its calls wait; else they are let through at once. */
  isGated = true;
  /** It has come to its end, or is dead. */
  isOver = false;
  /** The number of the answers so far. */
  private history: number;

  constructor(
    readonly name: string,
    private readonly options: ProcessOptions,
  ) {
    this.history = options.numbering.of(`${options.task} ${options.now?.()}`);
  }

  /** Its part of the whole state. */
  get state(): string {
    return String(this.history);
  }

  /** The table as the process sees it. */
  storeOf(table: MemoryStore): MemoryStore {
    const update: Store['update'] = (change) => this.call(table, 'update', [change]) as ReturnType<Store['update']>;
    return new Proxy(table, {
      get: (_table, method: keyof MemoryStore) => {
        // No index changes in a scope.
        if (method === 'describe') return () => table.describe();
        if (method === 'getMany')
          return (keys: readonly ItemKey[], options: unknown) => this.each(table, keys, options);
        if (method === 'updateMany' && this.options.updatesAtOnce !== true)
          return (updates: readonly DerivedUpdate[], options?: UpdateManyOptions) =>
            updateEach(updates, update, options);
        return (...parameters: unknown[]) => this.call(table, method, parameters);
      },
    });
  }

  /** Lets a call through. */
  async letThrough(call: PendingCall, ending: Ending = 'done'): Promise<void> {
    this.pending.splice(this.pending.indexOf(call), 1);
    let answer: string;
    try {
      const result = await this.options.effect(call.run);
      if (ending === 'last') {
        this.isOver = true;
        return;
      }
      answer = ending === 'lost' ? 'lost' : (JSON.stringify(result) ?? '');
      if (ending === 'lost') call.reject(this.options.lostAnswer());
      else call.resolve(result);
    } catch (error) {
      answer = String(error);
      call.reject(error as Error);
    }
    const { numbering, now } = this.options;
    this.history = numbering.of(`${this.history} ${call.method} ${call.keys.join(' ')} ${answer} ${now?.()}`);
    await codeRunsOn();
  }

  /** Waits until it is let through, as a call does. */
  async pause(text: string, over: () => void): Promise<void> {
    if (!this.isGated) return over();
    await new Promise((resolve, reject) => {
      const run = async (): Promise<void> => over();
      this.pending.push({ method: 'wait', keys: [text], isWrite: false, run, resolve, reject });
    });
  }

  /** A batch of reads is not atomic: each key is read at a time of its own. */
  private async each(table: MemoryStore, keys: readonly ItemKey[], options: unknown): ReturnType<Store['getMany']> {
    const results = await Promise.all(
      keys.map((key) => this.call(table, 'get', [key, options]) as ReturnType<Store['get']>),
    );
    return { items: results.map(({ item }) => item), rcu: keys.length, calls: 1 };
  }

  private call(table: MemoryStore, method: keyof MemoryStore, parameters: unknown[]): Promise<unknown> {
    const run = (): Promise<unknown> =>
      (table[method] as (...all: unknown[]) => Promise<unknown>).apply(table, parameters);
    if (!this.isGated) return run();
    return new Promise((resolve, reject) => {
      const isWrite = !READS.includes(method);
      this.pending.push({ method, keys: keysOf(method, parameters), isWrite, run, resolve, reject });
    });
  }
}

function keysOf(method: string, [first]: readonly unknown[]): string[] {
  if (method === 'get' || method === 'delete') return [keyText(first as ItemKey)];
  if (method === 'update' || method === 'change') return [keyText((first as { key: ItemKey }).key)];
  if (method === 'transact' || method === 'changeAll' || method === 'updateMany')
    return (first as { key: ItemKey }[]).map(({ key }) => keyText(key));
  return [];
}

function keyText({ source, target }: ItemKey): string {
  return `${source} ${target}`;
}
