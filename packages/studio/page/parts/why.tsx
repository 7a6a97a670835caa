import type { ItemKey } from '../../../../src/core/store-port.ts';
import type { SortValue } from '../../base/sort-values.ts';
import { addressOf } from '../base/address.ts';
import { Link } from '../base/place.tsx';
import { InlineValue } from './value.tsx';

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

/** What a sentence says of a row. */
export interface WhyProps {
  /** The id that the row shows. */
  id: string;
  /** The row's place on the page, from 0 on. */
  row: number;
  /** True if other pages come before this one. */
  isLater: boolean;
  isDescending: boolean;
  /** The values that sort the row, or the reason in words. */
  by: readonly Pick<SortValue, 'name' | 'value' | 'isOfSource'>[] | string;
  /** The base item that puts the row into the list. */
  writer: ItemKey;
  /** The node that it leads to, where it is an edge. */
  edgeTo?: string | undefined;
}

/** Says in one sentence why a row is where it is, and which base item put it there. */
export function Why({ id, row, isLater, isDescending, by, writer, edgeTo }: WhyProps) {
  const place = ORDINALS[row] ?? `number ${row + 1}`;
  const { source, target } = writer;
  const kind = edgeTo !== undefined ? 'edge' : source === target ? 'node' : `part ${target} of`;
  return (
    <details class="why">
      <summary>Why here?</summary>
      <p>
        <bdi>{id}</bdi> is {place}
        {isLater && ' on this page'}, because {typeof by === 'string' ? by : <Values by={by} id={id} />}
        {isDescending && ', descending'}; the {kind}{' '}
        <Link to={addressOf('/node', { id: source, target })} class="key">
          <bdi>{edgeTo === undefined ? source : `${source} → ${edgeTo}`}</bdi>
        </Link>{' '}
        wrote it.
      </p>
    </details>
  );
}

function Values({
  by,
  id,
}: Pick<WhyProps, 'id'> & { by: readonly Pick<SortValue, 'name' | 'value' | 'isOfSource'>[] }) {
  if (by.length === 0) return <>the list is sorted by a computed value</>;
  return (
    <>
      {by.map(({ name, value, isOfSource }, i) => (
        <span key={name}>
          {i > 0 && ' and '}
          <code>{name}</code> {isOfSource && <>of {id} </>}is <InlineValue value={value} />
        </span>
      ))}
    </>
  );
}
