import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLAIM_TESTS } from '../support/claims.ts';
import { ROOT } from '../support/command.ts';

const ROW = /^\| ([KTFDC]\d+) \| (.+?) \| (?:(.+) )?\|$/gm;
const rows = [...readFileSync(join(ROOT, 'docs/project/claims.md'), 'utf8').matchAll(ROW)].map(
  ([, id, , difference]) => ({
    id: id!,
    difference,
    test: CLAIM_TESTS[id!]!,
  }),
);

/** The claims of each source, by the letter of their numbers. */
const CLAIMS = { K: 41, T: 27, F: 24, D: 19, C: 8 };

describe('docs/project/claims.md', () => {
  it('has each of the 119 claims of the sources once', () => {
    const expected = Object.entries(CLAIMS).flatMap(([source, count]) =>
      Array.from({ length: count }, (_, i) => `${source}${i + 1}`),
    );
    expect(expected).toHaveLength(119);
    expect(rows.map(({ id }) => id)).toEqual(expected);
  });

  it('says of those that do not hold as they are how they differ', () => {
    const different = rows.filter(({ difference }) => difference !== undefined);
    expect(different.length).toBeGreaterThan(10);
    expect(different.filter(({ difference }) => !/^(differs|partly)/.test(difference!))).toEqual([]);
  });

  it('has a claim for each test', () => {
    expect(Object.keys(CLAIM_TESTS)).toEqual(rows.map(({ id }) => id));
  });

  it.each(rows)('$id has its test: $test', ({ test: [file, title] }) => {
    const path = join(ROOT, 'test', file);
    expect(existsSync(path), `${file} is not there`).toBe(true);
    const titles = readFileSync(path, 'utf8').replaceAll("\\'", "'");
    expect(titles).toMatch(/\b(?:it|describe)\b/);
    expect(titles).toContain(title);
  });
});
