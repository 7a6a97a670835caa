import type { CellOutcome } from './cells.ts';
import type { Feature } from './features.ts';
import type { Operation } from './operations/operation.ts';
import type { Pairs } from './pairs.ts';

/** The matrix as a page of Markdown, written from what became of its cells; and read again, so that a run of some cells can be compared. */

const HEAD = `# Every feature with every operation

Written by \`npm run matrix\` from a run of all cells. A row is a feature of the model, a column an operation; a cell carries the operation out on
a table with the feature, compares every answer with an oracle that shares no code with the product, and has a check judge every derived item
([decision 074](../decisions/074-rules-are-marked-in-the-code.md)). Columns are numbered as in this list:

`;

const LEGEND = `
\`✓\`: carried out and right. \`rN\`: the code refuses it, with the error of note N, and that is tested. \`N\`: the operation has nothing to do with
the feature, and note N says why. \`✗N\`: known to be wrong, as note N says.
`;

/** What a cell shows: a mark, and the note that it refers to. */
interface Shown {
  mark: '✓' | 'r' | '' | '✗';
  note?: string;
}

function shownOf(outcome: CellOutcome): Shown {
  if (outcome.state === 'ran') return { mark: '✓' };
  if (outcome.state === 'refused') return { mark: 'r', note: `\`${outcome.code}\`` };
  return outcome.state === 'none' ? { mark: '', note: outcome.why } : { mark: '✗', note: outcome.problem };
}

/** The name of a cell. */
export function cellName(feature: { name: string }, operation: { name: string }): string {
  return `${feature.name} × ${operation.name}`;
}

/** The page of some cells, by name; a cell that is missing is shown as empty. */
export function pageOf(
  features: readonly Feature[],
  operations: readonly Operation[],
  outcomes: ReadonlyMap<string, CellOutcome>,
  pairs: Pairs,
): string {
  const notes = new Map<string, number>();
  const counts = { ran: 0, refused: 0, none: 0, failed: 0, empty: 0 };
  const textOf = (outcome: CellOutcome | undefined): string => {
    counts[outcome?.state ?? 'empty'] += 1;
    if (outcome === undefined) return ' ';
    const { mark, note } = shownOf(outcome);
    if (note === undefined) return mark;
    const number = notes.get(note) ?? notes.size + 1;
    notes.set(note, number);
    return `${mark}${number}`;
  };
  const rows = features.map((feature) => {
    const cells = operations.map((operation) => textOf(outcomes.get(cellName(feature, operation))));
    return `| ${[feature.name, ...cells].join(' | ')} |\n`;
  });
  const numbers = operations.map((_, i) => String(i + 1));
  const list = operations.map(({ name }, i) => `${i + 1}. ${name}\n`).join('');
  const { ran, refused, none, failed, empty } = counts;
  const total = `${features.length} rows, ${operations.length} columns: ${ran} cells carried out, ${refused} refused, ${none} that do not apply, ${failed} known to be wrong, ${empty} empty.`;
  return [
    ...[HEAD, list, LEGEND, `\n${total}\n\n`],
    ...[`| feature | ${numbers.join(' | ')} |\n`, `|---|${numbers.map(() => '---|').join('')}\n`, ...rows],
    ...['\n## Notes\n\n', ...[...notes].map(([note, number]) => `${number}. ${note}\n`)],
    ...pairsOf(pairs),
  ].join('');
}

/** The section on models of several features. */
function pairsOf({ models, excluded, covered }: Pairs): string[] {
  const sizes = models.map((model) => model.length);
  return [
    '\n## Pairs\n\n',
    `${models.length} models of ${Math.min(...sizes)} to ${Math.max(...sizes)} features have ${covered} pairs of features, each in one model at least; every operation is carried out on each of these models.\n`,
    `${excluded.length} pairs are in no model:\n\n| features | why |\n|---|---|\n`,
    ...excluded.map(({ pair, why }) => `| ${pair.map(({ name }) => name).join(' + ')} | ${why} |\n`),
  ];
}

/** The cells of a page, by name. */
export function cellsOf(page: string): Map<string, CellOutcome> {
  const listed = (text: string): string[] => [...text.matchAll(/^\d+\. (.*)$/gm)].map(([, line]) => line!);
  const [before = '', after = ''] = page.split('## Notes');
  const operations = listed(before);
  const notes = listed(after.split('## Pairs')[0] ?? '');
  const rows = before.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| feature'));
  const cells = new Map<string, CellOutcome>();
  for (const row of rows) {
    const [name = '', ...marks] = row.slice(2, -2).split(' | ');
    for (const [i, mark] of marks.entries()) {
      const outcome = outcomeOf(mark, notes);
      if (outcome !== undefined) cells.set(cellName({ name }, { name: operations[i] ?? '' }), outcome);
    }
  }
  return cells;
}

function outcomeOf(text: string, notes: readonly string[]): CellOutcome | undefined {
  if (text === '✓') return { state: 'ran' };
  const match = /^([r✗]?)(\d+)$/.exec(text);
  if (match === null) return undefined;
  const note = notes[Number(match[2]) - 1] ?? '';
  if (match[1] === 'r') return { state: 'refused', code: note.replaceAll('`', '') };
  return match[1] === '✗' ? { state: 'failed', problem: note } : { state: 'none', why: note };
}
