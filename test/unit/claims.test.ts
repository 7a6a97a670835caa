import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/command.ts';

const ROW = /^\| ([KTFDC]\d+) \| (.+) \| (.+) \| `([^`]+\.test\.ts)`: (.+) \|$/gm;
const rows = [...readFileSync(join(ROOT, 'docs/claims.md'), 'utf8').matchAll(ROW)].map(
  ([, id, , state, file, title]) => ({ id: id!, state: state!, file: file!, title: title! }),
);

/** The claims of each source, by the letter of their numbers. */
const CLAIMS = { K: 41, T: 27, F: 24, D: 19, C: 8 };

describe('docs/claims.md', () => {
  it('has each of the 119 claims of the sources once', () => {
    const expected = Object.entries(CLAIMS).flatMap(([source, count]) =>
      Array.from({ length: count }, (_, i) => `${source}${i + 1}`),
    );
    expect(expected).toHaveLength(119);
    expect(rows.map(({ id }) => id)).toEqual(expected);
  });

  it('says of each that it works, or how it differs', () => {
    expect(rows.filter(({ state }) => !/^(works|differs|partly)/.test(state))).toEqual([]);
  });

  it.each(rows)('$id has its test: $title', ({ file, title }) => {
    const path = join(ROOT, 'test', file);
    expect(existsSync(path), `${file} is not there`).toBe(true);
    const titles = readFileSync(path, 'utf8').replaceAll("\\'", "'");
    expect(titles).toMatch(/\b(?:it|describe)\b/);
    expect(titles).toContain(title);
  });
});
