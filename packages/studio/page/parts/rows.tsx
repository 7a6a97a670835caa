import type { ComponentChildren } from 'preact';
import type { LiveRow } from '../base/live.ts';
import { Link } from '../base/place.tsx';

/** A row that moves in its table. */
export type RowMark = Pick<LiveRow<unknown>, 'key' | 'isFresh'>;

/** A table. `rows`: cells in the order of the headings; `marks`: of each row, where they move; `label` names it to screen readers. */
export function Rows({
  label,
  headings,
  rows,
  marks,
  empty = 'Nothing here.',
}: {
  label: string;
  headings: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
  marks?: readonly RowMark[] | undefined;
  empty?: string;
}) {
  if (rows.length === 0) return <p class="quiet">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {headings.map((heading, i) => (
              <th key={heading} scope="col" class={typeof rows[0]?.[i] === 'number' ? 'number' : undefined}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={marks?.[row]?.key ?? row} class={marks?.[row]?.isFresh ? 'fresh' : undefined}>
              {cells.map((cell, i) => (
                <td
                  key={headings[i]}
                  data-heading={headings[i]}
                  class={typeof cell === 'number' ? 'number' : undefined}
                >
                  {typeof cell === 'number' ? cell.toLocaleString('en', { maximumFractionDigits: 2 }) : cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** How to go on from a page of a list: each page has its address. */
export function Pager({ next, first }: { next: string | undefined; first: string | undefined }) {
  if (next === undefined && first === undefined) return null;
  return (
    <p class="pager">
      {first !== undefined && <Link to={first}>First page</Link>}
      {next !== undefined && <Link to={next}>Next page</Link>}
    </p>
  );
}
