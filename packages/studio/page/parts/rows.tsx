import type { ComponentChildren } from 'preact';
import type { LiveRow } from '../base/live.ts';
import { Link } from '../base/place.tsx';

/** A row that moves in its table. */
export type RowMark = Pick<LiveRow<unknown>, 'key' | 'isFresh'>;

/** The cells of a table that can be copied. */
export interface CopiedCells {
  /** The text of each cell, by row and column; an empty one cannot be copied. */
  texts: readonly (readonly string[])[];
  copy: (text: string) => void;
}

/** Properties of a table. */
export interface RowsProps {
  /** Names it to screen readers. */
  label: string;
  headings: readonly string[];
  /** Cells in the order of the headings. */
  rows: readonly (readonly ComponentChildren[])[];
  /** The headings of columns that have numbers alone; absent: a cell that is a number is shown as one. */
  numbers?: ReadonlySet<string> | undefined;
  /** The mark of each row, in a list that moves. */
  marks?: readonly RowMark[] | undefined;
  copied?: CopiedCells | undefined;
  empty?: string;
}

/** A table. */
export function Rows({ label, headings, rows, numbers, marks, copied, empty = 'Nothing here.' }: RowsProps) {
  if (rows.length === 0) return <p class="quiet">{empty}</p>;
  const isNumber = (cell: ComponentChildren, i: number): boolean =>
    typeof cell === 'number' || numbers?.has(headings[i]!) === true;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={label} onKeyDown={copied && moveAmongCopies}>
      <table>
        <thead>
          <tr>
            {headings.map((heading, i) => (
              <th key={heading} scope="col" class={isNumber(rows[0]?.[i], i) ? 'number' : undefined}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={marks?.[row]?.key ?? row} class={marks?.[row]?.isFresh ? 'fresh' : undefined}>
              {cells.map((cell, i) => (
                <td key={headings[i]} data-heading={headings[i]} class={isNumber(cell, i) ? 'number' : undefined}>
                  {typeof cell === 'number' ? cell.toLocaleString('en', { maximumFractionDigits: 2 }) : cell}
                  {copied?.texts[row]?.[i] ? (
                    <button
                      type="button"
                      class="copy"
                      // One stop of each row: the arrows lead to the others.
                      tabIndex={i === 0 ? 0 : -1}
                      aria-label={`Copy ${headings[i]} of row ${row + 1}`}
                      onClick={() => copied.copy(copied.texts[row]![i]!)}
                    />
                  ) : null}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const STEPS: Readonly<Record<string, { row: number; column: number }>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
};

/** Moves the focus from a button that copies to the next one in a direction; cells without one are passed. */
function moveAmongCopies(event: KeyboardEvent): void {
  const step = STEPS[event.key];
  const from = event.target instanceof Element ? event.target.closest('button.copy')?.closest('td') : null;
  if (step === undefined || from == null) return;
  event.preventDefault();
  const { rows } = from.closest('table')!;
  let row = (from.parentElement as HTMLTableRowElement).rowIndex;
  let column = from.cellIndex;
  for (;;) {
    row += step.row;
    column += step.column;
    const cell = rows[row]?.cells[column];
    if (cell === undefined) return;
    const button = cell.querySelector<HTMLElement>('button.copy');
    if (button !== null) {
      button.focus();
      return;
    }
  }
}

/** How a place shows its list: the same on each page. */
const LOOK = ['columns', 'full'] as const;
/** The page before each page that was shown, by their addresses without the look: a cursor leads on alone. */
const BEFORE = new Map<string, string>();

/** How to go on from a page of a list, and back: each page has its address. */
export function Pager({ next, first }: { next: string | undefined; first: string | undefined }) {
  const here = withoutLook(location.pathname + location.search);
  if (next !== undefined) BEFORE.set(withoutLook(next), here);
  const before = BEFORE.get(here);
  if (next === undefined && first === undefined) return null;
  return (
    <p class="pager">
      {first !== undefined && <Link to={withLook(first)}>First page</Link>}
      {before !== undefined && before !== withoutLook(first ?? '') && <Link to={withLook(before)}>Previous page</Link>}
      {next !== undefined && <Link to={withLook(next)}>Next page</Link>}
    </p>
  );
}

function withoutLook(address: string): string {
  const url = new URL(address, location.origin);
  for (const name of LOOK) url.searchParams.delete(name);
  return url.pathname + url.search;
}

/** The address with the look of the present place. */
function withLook(address: string): string {
  const url = new URL(withoutLook(address), location.origin);
  const own = new URLSearchParams(location.search);
  for (const name of LOOK) for (const value of own.getAll(name)) url.searchParams.append(name, value);
  return url.pathname + url.search;
}
