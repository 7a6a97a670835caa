import { expect } from 'vitest';

/** Beyond a bound of our own a test only warns; from this many times the bound on, and from some more where it is small, it fails. */
const FAILS_AT = 1.1;
const SOME = 2;

/**
 * Expects a figure that grows with the product, as words of a page or bytes of a bundle, to be within a bound of our own. A change that
 * passes the bound by little is no fault: the run says so, and the next one that comes by has to make room.
 */
export function expectWithin(what: string, figure: number, bound: number): void {
  const most = Math.max(FAILS_AT * bound, bound + SOME);
  if (figure > bound)
    console.warn(`${what}: ${figure}, and the bound is ${bound}. Beyond ${Math.floor(most)} the test fails.`);
  expect(figure, what).toBeLessThanOrEqual(most);
}
