/** Elements from which on a call begins although another one is under way. */
const TOGETHER = 100;

/** Elements of one caller, and where their answers go. */
interface Waiting<One, Answer> {
  ones: readonly One[];
  resolve: (answers: readonly Answer[]) => void;
  reject: (error: unknown) => void;
}

/** Gathers what several callers ask: while one call is under way, the next one gathers, so that many share the price of one. */
export class Gathered<One, Answer> {
  private waiting: Waiting<One, Answer>[] = [];
  private gathered = 0;
  private underWay = 0;

  /** @param ask answers elements, in their order. */
  constructor(private readonly ask: (ones: readonly One[]) => Promise<readonly Answer[]>) {}

  /** Asks about elements; resolves with their answers, in their order. They stay together. */
  async answers(ones: readonly One[]): Promise<readonly Answer[]> {
    if (ones.length === 0) return [];
    return await new Promise((resolve, reject) => {
      this.waiting.push({ ones, resolve, reject });
      this.gathered += ones.length;
      void this.beginIfDue();
    });
  }

  private async beginIfDue(): Promise<void> {
    // Callers that go on in the same moment go along.
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
