import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fileOf, sources } from '../support/sources.ts';

const page = readFileSync(new URL('../../docs/explain/limits.md', import.meta.url), 'utf8');
/** The figure of each constant, as the page has it. */
const figures = [...page.matchAll(/^\| [^|]+ \| ([\d,]+) \| `(MAX_[A-Z_]+)` \|/gm)];

describe('docs/explain/limits.md', () => {
  it('has the figure of each bound that it names', async () => {
    expect(figures.length).toBeGreaterThan(10);
    for (const [, figure, name] of figures) {
      const { path } = sources().find(
        ({ code }) => code.includes(`export const ${name} `) || code.includes(`export const ${name}:`),
      )!;
      const module = (await import(fileOf(path))) as Record<string, number>;
      expect(module[name!]!.toLocaleString('en'), name).toBe(figure);
    }
  });
});
