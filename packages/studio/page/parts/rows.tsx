import type { ComponentChildren } from 'preact';
import { hereWith, Link } from '../base/place.tsx';

export interface RowsProps {
  label: string;
  headings: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
  /** One key per row, for rows that may move. Default: the row's index. */
  keys?: readonly string[] | undefined;
  numbers?: readonly boolean[] | undefined;
  empty?: string;
}

export function Rows({ label, headings, rows, keys, numbers, empty = 'Nothing here.' }: RowsProps) {
  if (rows.length === 0) return <p class="quiet">{empty}</p>;
  const isNumber = (cell: ComponentChildren, i: number): boolean => typeof cell === 'number' || numbers?.[i] === true;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {headings.map((heading, i) => (
              <th key={i} scope="col" class={isNumber(rows[0]?.[i], i) ? 'number' : undefined}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={keys?.[row] ?? row}>
              {cells.map((cell, i) => (
                <td key={i} class={isNumber(cell, i) ? 'number' : undefined}>
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

/** `name` is the address parameter of the cursor. */
export function Pager({ next, name = 'cursor' }: { next: string | undefined; name?: string }) {
  const isFirst = !new URLSearchParams(location.search).has(name);
  if (next === undefined && isFirst) return null;
  return (
    <p class="row">
      {!isFirst && <Link to={hereWith({ [name]: undefined })}>First page</Link>}
      {next !== undefined && <Link to={hereWith({ [name]: next })}>Next page</Link>}
    </p>
  );
}
