import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { edgeSchema, inboundSchema, nodeSchema, searchSchema, tableSchema } from '../../src/model/compile/schemas.ts';
import { sources } from '../support/sources.ts';

/** Pages of `docs/` that have to name everything of a kind: each list below is what a page lacks, or has too much. */

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

/** The texts in backticks in the first column of a page's tables, from one heading to the next. */
function firstColumn(text: string, heading?: string): Set<string> {
  const parts = text.split(/^## /m);
  const sections = heading === undefined ? parts : parts.filter((part) => part.startsWith(heading));
  const rows = sections.flatMap((section) => section.split('\n').filter((line) => /^\| [`{]/.test(line)));
  return new Set(rows.flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)));
}

describe('docs/model-options.md', () => {
  const text = page('model-options.md');
  it.each([
    ['The table', tableSchema],
    ['A node type', nodeSchema],
    ['A search', searchSchema],
    ['An edge type', edgeSchema],
    ['Inbound', inboundSchema],
  ])('has exactly the options of the schema under "%s"', (heading, { shape }) => {
    const named = [...firstColumn(text, heading)].filter((name) => !/^gsi\d$/.test(name));
    expect(named.sort()).toEqual(Object.keys(shape).sort());
  });
});

describe('docs/errors.md', () => {
  const CREATED = /new (?:EdgeloomError|PartError)\(\s*'([a-z][a-z-]*)'/g;
  const CLASSIFIED = /new StoreError\(\s*'\w+',\s*'([a-z][a-z-]*)'/g;
  const SUPER = /super\(\s*'([a-z][a-z-]*)'/g;
  const FAILING = /failingAs\(\s*'([a-z][a-z-]*)'/g;
  /** Codes that are put together from a name. */
  const COMPOSED = ['worker-used', 'worker-ended', 'mapping-used', 'mapping-ended'];

  it('has exactly the codes that the sources make', () => {
    const made = new Set(COMPOSED);
    for (const { code } of sources()) {
      for (const pattern of [CREATED, CLASSIFIED, SUPER, FAILING]) {
        for (const [, found] of code.matchAll(pattern)) made.add(found!);
      }
    }
    expect([...firstColumn(page('errors.md'))].sort()).toEqual([...made].sort());
  });
});
