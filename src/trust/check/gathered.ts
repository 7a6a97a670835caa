/** Once this many elements wait, a call begins even though another one is under way. */
const TOGETHER = 100;

interface Waiting<One, Answer> {
  ones: readonly One[];
  resolve: (answers: readonly Answer[]) => void;
  reject: (error: unknown) => void;
}

/** Combines several callers' questions: while one call is under way, further elements are collected for the next. */
export class Gathered<One, Answer> {
  private waiting: Waiting<One, Answer>[] = [];
  private gathered = 0;
  private underWay = 0;

  /** @param ask returns the answers in the order of the elements. */
  constructor(private readonly ask: (ones: readonly One[]) => Promise<readonly Answer[]>) {}

  /** All elements of one caller go into the same call. */
  async answers(ones: readonly One[]): Promise<readonly Answer[]> {
    if (ones.length === 0) return [];
    return await new Promise((resolve, reject) => {
      this.waiting.push({ ones, resolve, reject });
      this.gathered += ones.length;
      void this.beginIfDue();
    });
  }

  private async beginIfDue(): Promise<void> {
    // Waits a microtask, so that callers that resume together share the call.
    await Promise.resolve();
    if (this.gathered === 0 || (this.underWay > 0 && this.gathered < TOGETHER)) return;
    const together = this.waiting.splice(0);
    this.gathered = 0;
    this.underWay += 1;
    try {
      const answers = await this.ask(together.flatMap(({ ones }) => ones));
      let start = 0;
      for (const { ones, resolve } of together) {
        resolve(answers.slice(start, start + ones.length));
        start += ones.length;
      }
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
    this.underWay -= 1;
    void this.beginIfDue();
  }
}
