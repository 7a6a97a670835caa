import type { ComponentChildren } from 'preact';
import { addressOf, type PlaceParameters } from '../base/address.ts';
import type { Asked } from '../base/ask.ts';
import { attributeColumns, type Columns } from './columns.tsx';
import { Pager, Rows } from './rows.tsx';
import { Told } from './told.tsx';

/** Properties of a list with pages. */
export interface PagedRowsProps<T> {
  asked: Asked<{ items: T[]; cursor?: string }>;
  /** Names the table to screen readers. */
  label: string;
  headings: string[];
  row: (item: T) => readonly ComponentChildren[];
  /** The attributes of an item, for a column each. */
  attributesOf?: (item: T) => Record<string, unknown>;
  /** The attributes that come first. */
  first?: readonly string[];
  empty: string;
  /** Where the list is: the first page of it. */
  path: string;
  parameters: PlaceParameters;
  /** The cursor of this page; undefined: it is the first. */
  cursor: string | undefined;
}

/** A page of a list, and how to go on: each page has its address. */
export function PagedRows<T>(props: PagedRowsProps<T>) {
  const { asked, label, headings, row, attributesOf, first, empty, path, parameters, cursor } = props;
  return (
    <Told asked={asked}>
      {({ items, cursor: next }) => (
        <>
          <AttributeRows {...{ items, label, own: { headings, row }, attributesOf, first, empty }} />
          <Pager
            first={cursor && addressOf(path, parameters)}
            next={next && addressOf(path, { ...parameters, cursor: next })}
          />
        </>
      )}
    </Told>
  );
}

/** A table of items with a column for each of their attributes. */
export function AttributeRows<T>({
  items,
  label,
  own,
  attributesOf,
  first,
  empty,
}: {
  items: readonly T[];
  label: string;
  /** The columns before the attributes. */
  own: Columns<T>;
  attributesOf: ((item: T) => Record<string, unknown>) | undefined;
  first?: readonly string[] | undefined;
  empty: string;
}) {
  const { headings, row } = attributesOf === undefined ? own : attributeColumns(items, own, attributesOf, first);
  return <Rows label={label} headings={headings} rows={items.map(row)} empty={empty} />;
}
