import { type Mistake, ModelError } from '../../../foundation/errors.ts';

/** Collects mistakes at one path of a model. Instances that `at` returns share the list. */
export class Mistakes {
  constructor(
    private readonly path = '',
    readonly all: Mistake[] = [],
  ) {}

  /** @param path relative to this path, such as `orders.byDate`. */
  at(path: string): Mistakes {
    return new Mistakes(this.path === '' ? path : `${this.path}.${path}`, this.all);
  }

  note(message: string): void {
    const isNoted = this.all.some((mistake) => mistake.path === this.path && mistake.message === message);
    if (!isNoted) this.all.push({ path: this.path, message });
  }

  get areAny(): boolean {
    return this.all.some(({ path }) => this.path === '' || path === this.path || path.startsWith(`${this.path}.`));
  }

  throwAny(): void {
    if (this.all.length > 0) throw new ModelError(this.all);
  }
}
