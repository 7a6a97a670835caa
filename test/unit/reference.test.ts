import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../packages/cli/command-list.ts';
import { HAND_WRITTEN, namedVariables, referencePages } from '../../scripts/reference/pages.ts';
import { PARAMETER_NAMES } from '../../src/deployment/stack/base/parameters.ts';
import { ROOT } from '../support/command.ts';

/** The pages of docs/reference against the code that they are made from. */

const FOLDER = join(ROOT, 'docs/reference');
const UPDATE = 'docs/reference is outdated: npm run reference';

describe('docs/reference', () => {
  let pages: Map<string, string>;
  beforeAll(async () => {
    pages = await referencePages();
  });

  /** The cells of the rows of a page whose first cell is code. */
  const rows = (name: string): string[][] =>
    [...pages.get(name)!.matchAll(/^\| (`.*) \|$/gm)].map(([, row]) => row!.split(/ \|(?: |$)/));
  const named = (name: string): string[] => rows(name).map(([cell]) => cell!.replaceAll('`', ''));

  it('is what npm run reference writes', () => {
    expect(readdirSync(FOLDER).sort(), UPDATE).toEqual([...pages.keys(), ...HAND_WRITTEN].sort());
    for (const [name, text] of pages)
      expect(readFileSync(join(FOLDER, name), 'utf8') === text, `${name}: ${UPDATE}`).toBe(true);
  });

  it('has every variable that a file of the repository names, and no other', () => {
    const own = named('environment.md').filter((name) => name.startsWith('EDGELOOM_'));
    expect([...new Set(own)].sort()).toEqual([...namedVariables().keys()].sort());
  });

  it('has every parameter of the stack with a meaning', () => {
    expect(named('parameters.md').sort()).toEqual([...PARAMETER_NAMES].sort());
    expect(rows('parameters.md').filter(([, , means]) => (means ?? '') === '')).toEqual([]);
  });

  it('has every command', () => {
    const headings = [...pages.get('commands.md')!.matchAll(/^## `edgeloom (\w+)/gm)].map(([, name]) => name!);
    expect(headings.sort()).toEqual(COMMANDS.map(({ name }) => name).sort());
  });

  it('says what each metric, each option and each variable means', () => {
    for (const name of ['metrics.md', 'options.md', 'environment.md', 'commands.md'])
      expect(
        rows(name).filter((cells) => cells.slice(1).every((cell) => cell === '')),
        name,
      ).toEqual([]);
    // The model and its table need no words.
    const silent = rows('options.md').filter(
      ([option, , means]) => !/^`(graph|store)`$/.test(option!) && (means ?? '') === '',
    );
    expect(silent.map(([option]) => option)).toEqual([]);
  });

  it('has log lines, errors and alarms', () => {
    expect(pages.get('logs.md')).toContain('| batch not applied in full; it will be retried | warn |');
    expect(named('errors.md')).toContain('invalid-environment');
    expect(named('metrics.md')).toEqual(expect.arrayContaining(['CheckAgeSeconds', 'CheckOverdue', 'ProvisionedCap']));
  });
});
