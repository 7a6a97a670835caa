import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PARAMETER_NAMES } from '../../src/deployment/stack/base/parameters.ts';
import { rawTemplate } from '../support/stack/template.ts';

/** The page on deploying names what there is, and nothing else. */

const page = readFileSync(resolve(import.meta.dirname, '../../docs/how-to/deploying.md'), 'utf8');

/** The rows of the table under a heading, cell by cell. */
function rows(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading))!;
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const names = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

describe('docs/how-to/deploying.md', () => {
  it('names parameters that there are; docs/reference/parameters.md has all of them', () => {
    const documented = rows('Parameters').flatMap(([cell]) => names(cell!));
    expect(documented.length).toBeGreaterThan(10);
    expect(documented.filter((name) => !PARAMETER_NAMES.includes(name))).toEqual([]);
  });
  it('has every resource of the stack, why it is there and what it costs at rest', () => {
    const documented = rows('What is deployed');
    const made = Object.keys(rawTemplate().Resources).filter((id) => !/Alarm$|^ServerlessDeploymentBucket/.test(id));
    expect(
      documented
        .flatMap(([cell]) => names(cell!))
        .filter((name) => name !== '...Alarm')
        .sort(),
    ).toEqual(made.sort());
    for (const [, why, cost] of documented) {
      expect(why!.length).toBeGreaterThan(5);
      expect(cost).toMatch(/^\d/);
    }
  });
});
