import type { Page, SearchResult } from '../../../read/request/result.ts';
import { addressOf } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { NodeLink } from '../base/place.tsx';
import { Pager, Rows } from '../parts/rows.tsx';
import { Card, Told } from '../parts/told.tsx';
import { AnyValue } from '../parts/value.tsx';

const ARGUMENTS = ['eq', 'prefix', 'from', 'to', 'partition', 'reverse'] as const;

/** A page of what a search finds. */
export function SearchResults({ parameters }: { parameters: URLSearchParams }) {
  const name = parameters.get('search') ?? '';
  const asked = Object.fromEntries(ARGUMENTS.map((one) => [one, parameters.get(one) ?? undefined]));
  const path = parameters.getAll('path');
  const cursor = parameters.get('cursor') ?? undefined;
  const found = useAnswer<Page<SearchResult>>('/api/search', { name, ...asked, path, cursor });
  const place = { search: name, ...asked, path };
  return (
    <Card title={`Results of ${name}`}>
      <Told asked={found}>
        {({ items, cursor: next }) => (
          <>
            <Rows
              label="Results"
              headings={['id', 'value', 'attributes']}
              rows={items.map(({ id, value, attributes }) => [
                <NodeLink id={id} />,
                <AnyValue value={value} />,
                Object.keys(attributes).length === 0 ? '' : <AnyValue value={attributes} />,
              ])}
              empty="Nothing is found."
            />
            <Pager
              first={cursor && addressOf('/explore', place)}
              next={next && addressOf('/explore', { ...place, cursor: next })}
            />
          </>
        )}
      </Told>
    </Card>
  );
}
