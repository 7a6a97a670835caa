import type { ComponentChildren } from 'preact';
import { addressOf, type PlaceParameters } from '../base/address.ts';
import type { Asked } from '../base/ask.ts';
import { Pager, Rows } from './rows.tsx';
import { Told } from './told.tsx';

/** Properties of a list with pages. */
export interface PagedRowsProps<T> {
  asked: Asked<{ items: T[]; cursor?: string }>;
  /** Names the table to screen readers. */
  label: string;
  headings: readonly string[];
  row: (item: T) => readonly ComponentChildren[];
  empty: string;
  /** Where the list is: the first page of it. */
  path: string;
  parameters: PlaceParameters;
  /** The cursor of this page; undefined: it is the first. */
  cursor: string | undefined;
}

/** A page of a list, and how to go on: each page has its address. */
export function PagedRows<T>(props: PagedRowsProps<T>) {
  const { asked, label, headings, row, empty, path, parameters, cursor } = props;
  return (
    <Told asked={asked}>
      {({ items, cursor: next }) => (
        <>
          <Rows label={label} headings={headings} rows={items.map(row)} empty={empty} />
          <Pager
            first={cursor && addressOf(path, parameters)}
            next={next && addressOf(path, { ...parameters, cursor: next })}
          />
        </>
      )}
    </Told>
  );
}
