import { addressOf, type PlaceParameters } from '../base/address.ts';
import type { Asked } from '../base/ask.ts';
import { Grid, type GridProps } from './grid.tsx';
import { Pager } from './rows.tsx';
import { Told } from './told.tsx';

/** Properties of a list with pages. */
export interface PagedRowsProps<T> extends Omit<GridProps<T>, 'items'> {
  asked: Asked<{ items: T[]; cursor?: string }>;
  /** Where the list is: the first page of it. */
  path: string;
  parameters: PlaceParameters;
  /** The cursor of this page; undefined: it is the first. */
  cursor: string | undefined;
}

/** A page of a list, and how to go on: each page has its address. */
export function PagedRows<T>({ asked, path, parameters, cursor, ...grid }: PagedRowsProps<T>) {
  return (
    <Told asked={asked}>
      {({ items, cursor: next }) => (
        <>
          <Grid {...grid} items={items} />
          <Pager
            first={cursor && addressOf(path, parameters)}
            next={next && addressOf(path, { ...parameters, cursor: next })}
          />
        </>
      )}
    </Told>
  );
}
