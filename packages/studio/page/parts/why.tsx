import type { ItemKey } from '../../../../src/core/store-port.ts';
import type { SortValue } from '../../base/sort-values.ts';
import { addressOf } from '../base/address.ts';
import { Link } from '../base/place.tsx';
import { Value } from './value.tsx';

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

export interface WhyProps {
  id: string;
  /** Counts from 0. */
  row: number;
  isLater: boolean;
  isDescending: boolean;
  by: readonly Pick<SortValue, 'name' | 'value' | 'isOfSource'>[] | string;
  writer: ItemKey;
  edgeTo?: string | undefined;
}

export function Why({ id, row, isLater, isDescending, by, writer, edgeTo }: WhyProps) {
  const place = ORDINALS[row] ?? `number ${row + 1}`;
  const { source, target } = writer;
  const kind = edgeTo !== undefined ? 'edge from' : source === target ? 'node' : `part ${target} of`;
  return (
    <details class="why">
      <summary>Why here?</summary>
      <p>
        <bdi>{id}</bdi> is {place}
        {isLater && ' on this page'}, because {typeof by === 'string' ? by : <Values by={by} id={id} />}
        {isDescending && ', descending'}; the {kind}{' '}
        <Link to={addressOf('/node', { id: source, target })} class="key">
          <bdi>{edgeTo === undefined ? source : `${source} to ${edgeTo}`}</bdi>
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
  if (by.length === 0) return <>of its sort key</>;
  return (
    <>
      {by.map(({ name, value, isOfSource }, i) => (
        <span key={name}>
          {i > 0 && ' and '}
          <code>{name}</code> {isOfSource && <>of {id} </>}is <Value value={value} />
        </span>
      ))}
    </>
  );
}
