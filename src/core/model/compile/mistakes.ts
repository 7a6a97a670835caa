import { type Mistake, ModelError } from '../../../foundation/errors.ts';

/** The mistakes of a model so far, noted at one of its paths. */
export class Mistakes {
  constructor(
    private readonly path = '',
    readonly all: Mistake[] = [],
  ) {}

  /** @param path within this one: `inbound`, `orders.byDate`. */
  at(path: string): Mistakes {
    return new Mistakes(this.path === '' ? path : `${this.path}.${path}`, this.all);
  }

  note(message: string): void {
    const isNoted = this.all.some((mistake) => mistake.path === this.path && mistake.message === message);
    if (!isNoted) this.all.push({ path: this.path, message });
  }

  /** Whether there are any at this path, or within. */
  get areAny(): boolean {
    return this.all.some(({ path }) => path.startsWith(this.path));
  }

  /** Throws a `ModelError` if there are any. */
  throwAny(): void {
    if (this.all.length > 0) throw new ModelError(this.all);
  }
}
