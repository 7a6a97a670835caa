import type { ComponentChildren } from 'preact';
import { addressOf, type PlaceParameters } from '../base/address.ts';
import type { Asked } from '../base/ask.ts';
import type { Moving } from '../base/events.ts';
import type { Live } from '../base/live.ts';
import { attributeColumns, type Columns } from './columns.tsx';
import { Pager, Rows } from './rows.tsx';
import { Badge, Told } from './told.tsx';

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
  /** The first page as it moves. */
  live?: Live<T>;
}

/** A page of a list, and how to go on: each page has its address. */
export function PagedRows<T>(props: PagedRowsProps<T>) {
  const { asked, label, headings, row, attributesOf, first, empty, path, parameters, cursor, live } = props;
  return (
    <Told asked={asked}>
      {({ items, cursor: next }) => (
        <>
          <AttributeRows {...{ items, label, own: { headings, row }, attributesOf, first, empty, live }} />
          <Pager
            first={cursor && addressOf(path, parameters)}
            next={next && addressOf(path, { ...parameters, cursor: next })}
          />
        </>
      )}
    </Told>
  );
}

/** Tells whether a list moves, and why it does not. */
export function LiveMark({ live: { isLive, failure } }: { live: Moving }) {
  if (failure !== undefined) return <p class="quiet">It does not move: {failure}</p>;
  return <p class="live">{isLive && <Badge kind="good">live</Badge>}</p>;
}

/** A table of items with a column for each of their attributes. */
export function AttributeRows<T>({
  items: read,
  label,
  own,
  attributesOf,
  first,
  empty,
  live,
}: {
  /** The items as they were read. */
  items: readonly T[];
  label: string;
  /** The columns before the attributes. */
  own: Columns<T>;
  attributesOf: ((item: T) => Record<string, unknown>) | undefined;
  first?: readonly string[] | undefined;
  empty: string;
  /** The items as they move. */
  live?: Live<T> | undefined;
}) {
  const items = live?.rows?.map(({ item }) => item) ?? read;
  const { headings, row } = attributesOf === undefined ? own : attributeColumns(items, own, attributesOf, first);
  return (
    <>
      {live !== undefined && <LiveMark live={live} />}
      <Rows label={label} headings={headings} rows={items.map(row)} marks={live?.rows} empty={empty} />
    </>
  );
}
