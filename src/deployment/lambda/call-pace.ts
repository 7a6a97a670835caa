import type { ScanSource, Store } from '../../core/store-port.ts';
import type { Runtime } from '../../foundation/runtime.ts';
import { withReplacedCalls } from '../../store/wrapped.ts';

/** A call reads at least this fast. A DynamoDB partition serves 3,000 units per second. */
const LEAST_RCU_PER_SECOND = 1_000;
const SECONDS_A_CALL = 300;
const SHORTEST_PAUSE_SECONDS = 1;

/** Lets a call read faster than `maxRcu` and pauses between calls, because Lambda bills pauses within a call. */
export class CallPace {
  private readonly startedMs: number;
  private rcu = 0;

  /** `maxRcu` are read units per second, averaged over a worker's calls and pauses. */
  constructor(private readonly pace: Pick<Runtime, 'now'> & { maxRcu: number }) {
    this.startedMs = pace.now();
  }

  get unitsPerSecond(): number {
    return Math.max(this.pace.maxRcu, LEAST_RCU_PER_SECOND);
  }

  get isSpent(): boolean {
    return this.rcu >= this.pace.maxRcu * SECONDS_A_CALL;
  }

  get pauseSeconds(): number {
    const elapsed = (this.pace.now() - this.startedMs) / 1000;
    return Math.max(SHORTEST_PAUSE_SECONDS, Math.ceil(this.rcu / this.pace.maxRcu - elapsed));
  }

  countingStore(store: Store & ScanSource): Store & ScanSource {
    const counted = async <R extends { rcu: number }>(call: Promise<R>): Promise<R> => {
      const result = await call;
      this.rcu += result.rcu;
      return result;
    };
    const scan: ScanSource['scan'] = (...parameters) => counted(store.scan(...parameters));
    const replaced = withReplacedCalls(store, {
      get: (...parameters) => counted(store.get(...parameters)),
      getMany: (...parameters) => counted(store.getMany(...parameters)),
      query: (...parameters) => counted(store.query(...parameters)),
    });
    return Object.assign(replaced, { scan });
  }
}
