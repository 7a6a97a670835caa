import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inCommandWords } from '../../../packages/cli/shared/failure.ts';
import { ROOT } from '../../support/command.ts';

/** Names of the library that nobody at a command line has. */
const OF_LIBRARY =
  /\b(ifAbsent|ifPresent|upsert: true|consistent: true|idempotent: true|maxRcu|maxNodes|atLeast|beginsWith|putNode|deleteNode|getViews?|getNode|scanNodes)\b|\{ if/;

/** Code whose refusals no command meets: of batches and watches, and of options that no command has. */
const NOT_OF_COMMANDS = [
  ...['batch.ts', 'put-many.ts', 'transaction.ts', 'writer.ts', 'reader.ts', 'where.ts', 'conditions.ts'],
];

it('no refusal of a read or write names, on the command line, what only the library has', () => {
  const texts: string[] = [];
  for (const folder of ['src/client/read', 'src/client/write'])
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || NOT_OF_COMMANDS.some((one) => name.endsWith(`/${one}`) || name === one)) continue;
      const code = readFileSync(join(ROOT, folder, name), 'utf8').replace(/^\s*(\*|\/\/|\/\*\*).*$/gm, '');
      // A sentence: it has spaces, and ends as one.
      for (const [, , text] of code.matchAll(/(['`])((?:(?!\1)[^\n])* (?:(?!\1)[^\n])*\.)\1/g))
        texts.push(text!.replace(/\$\{[^}]*\}/g, 'X'));
    }
  expect(texts.filter((text) => OF_LIBRARY.test(text)).length).toBeGreaterThan(8);
  expect(texts.map(inCommandWords).filter((text) => OF_LIBRARY.test(text))).toEqual([]);
});

it.each([
  ['Put it first, or give the update upsert: true.', 'Put it first, or give --upsert.'],
  ['Give the version that was read: { if: { v: VERSION } }.', 'Give the version that was read: --if v=VERSION.'],
  ['Ask with equals, atLeast, beginsWith or between.', 'Ask with --equals, --at-least, --prefix, --from or --to.'],
  ['Give partition: a value of country.', 'Give --partition with a value of country.'],
  ['between of search GOAL.points begins with 5.', 'The range of --from and --to of search GOAL.points begins with 5.'],
  [
    'An inbound query takes one of equals, atLeast, path, beginsWith and between.',
    'An inbound query takes one of --equals, --at-least, --path, --prefix, --from and --to.',
  ],
  [
    'Did you mean in? There are equals, gte, beginsWith, between.',
    'Did you mean in? There are equals, gte, beginsWith, between.',
  ],
  ['Edge "A" "B": ifAbsent contradicts if.', 'Edge "A" "B": --if-absent contradicts --if.'],
])('%s', (text, said) => expect(inCommandWords(text)).toBe(said));
