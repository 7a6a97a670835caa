import { readFileSync, writeFileSync } from 'node:fs';
import type { Scope } from './scopes.ts';
import type { Exhausted } from './walk.ts';

/** The page that states how many schedules each scope has. */
const PAGE = new URL('../SCOPES.md', import.meta.url);

const HEAD = `# The scopes, and how many schedules they have

Written by \`npm run simulate -- projecting --exhaustive all\`; [its page](exhaustive/README.md) says how schedules are counted
and what is left out. The schedules of each scope are all that it has, and each of them ends right.

| scope | what happens | schedules | states | different ends | steps of the longest | left out |
|---|---|--:|--:|--:|--:|---|
`;

/** The row of a scope. */
export function rowOf(
  { name, says, isPruned, updatesAtOnce }: Scope,
  { schedules, states, ends, longest }: Exhausted,
): string {
  const numbers = [schedules, states, ends, longest].map((number) => number.toLocaleString('en-US'));
  const leftOut = [
    ...(isPruned ? ['other orders of settled reads'] : []),
    ...(updatesAtOnce ? ['updates of a call apart'] : []),
  ];
  return `| \`${name}\` | ${says} | ${numbers.join(' | ')} | ${leftOut.join('; ') || 'nothing'} |`;
}

/** The rows of the page. */
export function statedRows(): string[] {
  return readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
}

/** Writes the page. */
export function writePage(rows: readonly string[]): void {
  writeFileSync(PAGE, `${HEAD}${rows.join('\n')}\n`);
}
