import type { Suspect } from '../../core/kinds/part.ts';
import type { Confirmed, Nominated } from './confirm.ts';

/** Suspects that are judged together: their items take two calls of DynamoDB. */
const TOGETHER = 100;

/** The suspects of one partition, and where their outcomes go. */
interface Waiting {
  left: number;
  confirmed: Confirmed[];
  resolve: (confirmed: Confirmed[]) => void;
  reject: (error: unknown) => void;
}

/** Gathers the suspects of several partitions, so that a hundred of them are judged at the price of one in calls. */
export class SuspectQueue {
  private nominated: Nominated[] = [];
  private readonly waiting = new Map<Suspect, Waiting>();

  /**
   * @param judge yields the outcomes of suspects as they come.
   * @param review has the last word on outcomes.
   */
  constructor(
    private readonly judge: (nominated: readonly Nominated[]) => AsyncGenerator<readonly Confirmed[]>,
    private readonly review: (confirmed: readonly Confirmed[]) => Promise<readonly Confirmed[]>,
  ) {}

  /** Adds suspects. Resolves with their outcomes, some time after the queue is full or is flushed. */
  async add(nominated: readonly Nominated[]): Promise<Confirmed[]> {
    if (nominated.length === 0) return [];
    const outcome = new Promise<Confirmed[]>((resolve, reject) => {
      const waiting = { left: nominated.length, confirmed: [], resolve, reject };
      for (const { suspect } of nominated) this.waiting.set(suspect, waiting);
    });
    this.nominated.push(...nominated);
    while (this.nominated.length >= TOGETHER) this.begin(this.nominated.splice(0, TOGETHER));
    return await outcome;
  }

  /** Has judged what is in the queue, although the queue is not full. */
  flush(): void {
    if (this.nominated.length > 0) this.begin(this.nominated.splice(0));
  }

  private begin(nominated: readonly Nominated[]): void {
    this.judgeAll(nominated).catch((error: unknown) => {
      for (const { suspect } of nominated) {
        this.waiting.get(suspect)?.reject(error);
        this.waiting.delete(suspect);
      }
    });
  }

  private async judgeAll(nominated: readonly Nominated[]): Promise<void> {
    for await (const confirmed of this.judge(nominated)) {
      for (const one of await this.review(confirmed)) this.end(one);
    }
  }

  private end(one: Confirmed): void {
    const waiting = this.waiting.get(one.suspect)!;
    this.waiting.delete(one.suspect);
    waiting.confirmed.push(one);
    waiting.left -= 1;
    if (waiting.left === 0) waiting.resolve(waiting.confirmed);
  }
}
