import type { Suspect } from '../../core/kinds/part.ts';

/** Suspects from which on a repair begins although another one is under way. */
const TOGETHER = 100;

/** The drift of one inspection, and where the outcome of its repair goes. */
interface Waiting {
  suspects: readonly Suspect[];
  resolve: (repaired: ReadonlySet<string>) => void;
  reject: (error: unknown) => void;
}

/** Gathers the drift of several partitions: while one repair is under way, the next one gathers, so that many share their calls. */
export class RepairQueue {
  private waiting: Waiting[] = [];
  private gathered = 0;
  private underWay = 0;

  /** @param repair gives the names of the items that it has repaired. */
  constructor(private readonly repair: (suspects: readonly Suspect[]) => Promise<ReadonlySet<string>>) {}

  /** Adds drift; resolves once it is repaired, with the names of all items that were repaired together. */
  async add(suspects: readonly Suspect[]): Promise<ReadonlySet<string>> {
    if (suspects.length === 0) return new Set();
    return await new Promise((resolve, reject) => {
      this.waiting.push({ suspects, resolve, reject });
      this.gathered += suspects.length;
      void this.beginIfDue();
    });
  }

  private async beginIfDue(): Promise<void> {
    if (this.gathered === 0 || (this.underWay > 0 && this.gathered < TOGETHER)) return;
    const together = this.waiting.splice(0);
    this.gathered = 0;
    this.underWay += 1;
    try {
      const repaired = await this.repair(together.flatMap(({ suspects }) => suspects));
      for (const { resolve } of together) resolve(repaired);
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
    this.underWay -= 1;
    void this.beginIfDue();
  }
}
