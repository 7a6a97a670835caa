import type { ItemKey } from '../../../../src/core/store-port.ts';
import type { SortValue } from '../../base/sort-values.ts';
import { ItemLink } from '../base/place.tsx';
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
}

/** Says in one sentence why a row is where it is, and which base item put it there. */
export function Why({ id, row, isLater, isDescending, by, writer }: WhyProps) {
  const place = ORDINALS[row] ?? `number ${row + 1}`;
  const isEdge = writer.source !== writer.target;
  return (
    <details class="why">
      <summary>Why is this here?</summary>
      <p>
        <bdi>{id}</bdi> is {place}
        {isLater && ' on this page'}, because {typeof by === 'string' ? by : <Values by={by} id={id} />}
        {isDescending && ', descending'}; the {isEdge ? 'item' : 'node'} <ItemLink {...writer} /> wrote it.
      </p>
    </details>
  );
}

function Values({
  by,
  id,
}: Pick<WhyProps, 'id'> & { by: readonly Pick<SortValue, 'name' | 'value' | 'isOfSource'>[] }) {
  if (by.length === 0) return <>the model computes a value that the list is sorted by</>;
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
