import { PLANTED } from './all.ts';
import { markOf } from './marks.ts';

/** Renders the rules and their planted bugs as a page of Markdown. */

const HEAD = `# The rules, and the bugs that break them

The second table lists the rules of Edgeloom's protocols. Each planted bug breaks the rules in its row; the last column says what finds the bug
([how planted bugs work](planted/README.md)). If a sentence begins with a number, the rule belongs to that number of
[decision 039](../../docs/decisions/039-the-rules-of-a-model-change.md).

\`npx vitest run test/unit/planted-bugs.test.ts -u\` generates the table from the planted bugs and from the marks in the code (\`// rule: name\`).

| found by | run by |
|---|---|
| simulator | \`test/property/planted-bugs.test.ts\`, \`npm run simulate -- projecting --mutant NAME\` |
| simulator of the observer | \`test/property/observer.test.ts\`, \`test/property/observer-rules.test.ts\`, \`npm run simulate -- observer --mutant NAME\` |
| simulator of model changes | \`test/property/evolution.test.ts\`, \`npm run simulate -- evolution --mutant NAME\` |
| schedules of a pack | \`test/property/packs.test.ts\`, \`test/property/tenants.test.ts\`, \`npm run simulate -- PACK --mutant NAME\` |

| rule | what it says | where | planted bug | found by |
|---|---|---|---|---|
`;

/** Returns the page, with a row for each planted bug in the order of the marked code. */
export function rulesPage(): string {
  const rows = PLANTED.map(({ mutant, foundBy }) => {
    const marks = mutant.changes.flatMap((change) => change.marks.map((name) => markOf(name)));
    const [first] = marks as [(typeof marks)[0]];
    const rules = new Set(marks.map(({ name }) => `\`${name.replace(/, .*/, '')}\``));
    const files = new Set(marks.map(({ file }) => `\`${file}\``));
    const cells = [[...rules].join(', '), mutant.rule, [...files].join(', '), `\`${mutant.name}\``, foundBy];
    return { file: first.file, start: first.node.start, text: `| ${cells.join(' | ')} |\n` };
  });
  rows.sort((a, b) => (a.file === b.file ? a.start - b.start : a.file < b.file ? -1 : 1));
  return HEAD + rows.map(({ text }) => text).join('');
}
