import { StoreError } from '../../../src/errors.ts';
import type { ScanSource, Store } from '../../../src/store/port.ts';
import type { Agenda } from '../agenda.ts';
import type { Random } from '../random.ts';

/** How rough the world is for processes, each a probability for a call. */
export interface Roughness {
  fault: number;
  crash: number;
  /** Standing still before a call, for longer than any batch may take. */
  stall: number;
}

/** Nothing goes wrong. */
export const SMOOTH: Roughness = { fault: 0, crash: 0, stall: 0 };

const WRITES: ReadonlySet<unknown> = new Set(['update', 'transact', 'put', 'delete', 'writeMany']);
/** Milliseconds that a process stands still at most, and that a write lands late. */
export const LONGEST_STALL = 20 * 60_000;

/** A process that calls the table: its calls take time, fail, land late; and it may stand still, or be gone. */
export class EvolvingProcess {
  isDead = false;
  readonly store: Store & ScanSource;

  constructor(
    private readonly agenda: Agenda,
    private readonly random: Random,
    table: Store & ScanSource,
    private readonly roughness: () => Roughness,
    private readonly slowness = 20,
    private readonly onFault: () => void = () => undefined,
    /** Whether its table is there no more: what it still does changes nothing here. */
    private readonly isElsewhere: () => boolean = () => false,
  ) {
    this.store = new Proxy(table, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        return (...parameters: unknown[]) => this.call(WRITES.has(name), () => member.apply(target, parameters));
      },
    });
  }

  /** Waits by the simulated clock. */
  readonly wait = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      this.agenda.in(milliseconds, () => {
        if (!this.isGone) resolve();
        return !this.isGone;
      });
    });

  /** Whether nothing of it runs on. */
  get isGone(): boolean {
    return this.isDead || this.isElsewhere();
  }

  private call(isWrite: boolean, run: () => Promise<unknown>): Promise<unknown> {
    const { agenda, random } = this;
    const { fault, crash, stall } = this.roughness();
    const delay = 1 + random.below(this.slowness) + (random.chance(stall) ? random.below(LONGEST_STALL) : 0);
    return new Promise((resolve, reject) => {
      agenda.in(delay, () => {
        if (this.isGone) return false;
        if (random.chance(crash)) {
          this.isDead = true;
          if (isWrite && random.chance(0.5)) run().catch(() => undefined);
          return false;
        }
        if (!random.chance(fault)) {
          resolve(run());
          return true;
        }
        const how = random.below(3);
        // Done, and the caller is told of an error; or done later.
        if (isWrite && how === 1) run().catch(() => undefined);
        if (isWrite && how === 2) {
          agenda.in(random.below(LONGEST_STALL), () => {
            if (!this.isElsewhere()) run().catch(() => undefined);
            return false;
          });
        }
        this.onFault();
        reject(new StoreError('retryable', 'simulated', 'A simulated failure.'));
        return true;
      });
    });
  }
}
