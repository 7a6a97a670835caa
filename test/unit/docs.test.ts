import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  edgeSchema,
  inboundSchema,
  nodeSchema,
  searchSchema,
  tableSchema,
} from '../../src/core/model/compile/schemas.ts';
import { FEED_KINDS } from '../../src/core/model/compiled.ts';
import { expectWithin } from '../support/bound.ts';
import { ROOT } from '../support/command.ts';
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

describe('docs/reference/model-options.md', () => {
  const text = page('reference/model-options.md');
  it.each([
    ['The table', tableSchema],
    ['A node type', nodeSchema],
    ['A search', searchSchema],
    ['An edge type', edgeSchema],
    ['Inbound', inboundSchema],
  ])('has exactly the options of the schema under "%s"', (heading, { of }) => {
    const named = [...firstColumn(text, heading)].filter((name) => !/^gsi\d$/.test(name));
    expect(named.sort()).toEqual(Object.keys(of).sort());
  });
});

describe('CONTRIBUTING.md', () => {
  it('has figures in each row of its table of times', () => {
    const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const [, table = ''] = /<!-- times: .*? -->\n(.*?)<!-- end of times -->/s.exec(text)!;
    const rows = table
      .trimEnd()
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()));
    expect(rows.length).toBeGreaterThan(5);
    // The wall time; a command that counts no tests has no number of them.
    expect(rows.filter((cells) => cells[4] === '').map(([, command]) => command)).toEqual([]);
  });
});

describe('docs/how-to/feeds.md', () => {
  it.each(FEED_KINDS)('names %s of the feed', (kind) => {
    expect(page('how-to/feeds.md')).toMatch(new RegExp(`\`feed: {.* ${kind}: \\[`));
  });
});

describe('the type ErrorCode', () => {
  const CREATED = /new (?:EdgeloomError|PartError)\(\s*'([a-z][a-z-]*)'/g;
  const CLASSIFIED = /new StoreError\(\s*'\w+',\s*'([a-z][a-z-]*)'/g;
  const SUPER = /super\(\s*'([a-z][a-z-]*)'/g;
  const FAILING = /withErrorCode\(\s*'([a-z][a-z-]*)'/g;
  /** A code that only entries have, and those of errors with several codes. */
  const COMPOSED = ['misfit', 'condition-failed', 'not-found', 'invalid-batch'];
  /** Codes of the table's stream reads, which are handled within the library. */
  const WITHIN = ['stream-expired', 'stream-trimmed', 'stream-no-shard'];

  const text = readFileSync(join(ROOT, 'src/foundation/error-code.ts'), 'utf8');
  const typed = [...text.matchAll(/\| '([a-z-]+)'/g)].map(([, code]) => code!);
  const reasons = firstColumn(page('how-to/errors.md'));

  it('has exactly the codes that the sources make, but for reasons of quarantine alone, which docs/how-to/errors.md explains', () => {
    const made = new Set(COMPOSED);
    for (const { code } of sources()) {
      for (const pattern of [CREATED, CLASSIFIED, SUPER, FAILING]) {
        for (const [, found] of code.matchAll(pattern)) made.add(found!);
      }
    }
    const known = new Set([...typed.filter((code) => !WITHIN.includes(code)), ...reasons]);
    expect([...known].sort()).toEqual([...made].sort());
  });

  it('says of each code what happened, and the remedy', () => {
    const said = [
      ...text.matchAll(/\/\*\*((?:(?!\*\/).)*?\S\s[\s*]*Remedy:\s(?:(?!\*\/).)*?)\*\/\n {2}\| '([a-z-]+)'/gs),
    ];
    expect(said.map(([, , code]) => code).sort()).toEqual(typed.filter((code) => !WITHIN.includes(code)).sort());
  });
});

describe('docs/decisions', () => {
  const MOST_RECORDS = 30;
  const STATUS =
    /^\*\*Status:\*\* accepted\. \*\*Date:\*\* \d{4}-\d\d-\d\d(?:, changed \d{4}-\d\d-\d\d)?\.(?: \*\*Includes:\*\* (.+)\.)?$/m;
  const FILES = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => name !== 'README.md');
  const RECORDS = FILES.map((file) => ({ file, number: file.slice(0, 3), text: page(`decisions/${file}`) }));

  it(`has at most ${MOST_RECORDS} records: a decision on a subject that has a record is written into it`, () => {
    expect(FILES.length).toBeGreaterThan(20);
    expectWithin('decision records', FILES.length, MOST_RECORDS);
  });

  it('has no number twice, neither of a record nor of one that it includes', () => {
    const included = RECORDS.flatMap(({ text }) => STATUS.exec(text)?.[1]?.split(', ') ?? []);
    const numbers = [...RECORDS.map(({ number }) => number), ...included];
    expect(numbers.filter((number, i) => !/^\d{3}$/.test(number) || numbers.indexOf(number) !== i)).toEqual([]);
  });

  it.each(RECORDS)('$file has its number, a status, a date, context, decision and consequence', ({ number, text }) => {
    expect(text).toMatch(new RegExp(`^# ${number}: .`));
    expect(text).toMatch(STATUS);
    expect([...text.matchAll(/^## (Context|Decision|Consequence)$/gm)].map(([, name]) => name)).toEqual([
      'Context',
      'Decision',
      'Consequence',
    ]);
  });

  it('has an index of exactly these records, with their titles and the numbers that they include', () => {
    const rows = [...page('decisions/README.md').matchAll(/^\| \[(\d.*)$/gm)].map(([row]) => row);
    const expected = RECORDS.map(({ file, number, text }) => {
      const title = /^# \d+: (.*)$/m.exec(text)?.[1];
      return `| [${number}](${file}) | ${title} | ${STATUS.exec(text)?.[1] ?? ''} |`.replace('|  |', '| |');
    });
    expect(rows.sort()).toEqual(expected.sort());
  });

  it('names functions, types and attributes that the repository has', () => {
    const code = [
      ...['src', 'packages', 'test', 'bench', 'scripts', 'handlers', 'assets/project', 'assets/sample'],
      ...['assets/source', 'assets/deploy'],
    ].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.([cm]?[jt]s|tsx|json|yml)$/.test(name) && !name.includes('node_modules'))
        .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
    );
    const known = new Set(code.flatMap((text) => text.match(/\w+/g) ?? []));
    const unknown = RECORDS.flatMap(({ file, text }) =>
      [...text.matchAll(/`([^`]+)`/g)]
        .flatMap(([, quoted]) => quoted!.match(/\b[a-z]\w*[a-z][A-Z]\w*/g) ?? [])
        .filter((name) => !known.has(name))
        .map((name) => `${file}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});
