import type { Page, SearchResult } from '../../../client/read/request/result.ts';
import { useAnswer } from '../base/ask.ts';
import { NodeLink } from '../base/place.tsx';
import { PagedRows } from '../parts/paged-rows.tsx';
import { Card } from '../parts/told.tsx';
import { AnyValue } from '../parts/value.tsx';

const ARGUMENTS = ['eq', 'prefix', 'from', 'to', 'partition', 'reverse'] as const;

/** A page of what a search finds. */
export function SearchResults({ parameters }: { parameters: URLSearchParams }) {
  const name = parameters.get('search') ?? '';
  const asked = Object.fromEntries(ARGUMENTS.map((one) => [one, parameters.get(one) ?? undefined]));
  const path = parameters.getAll('path');
  const cursor = parameters.get('cursor') ?? undefined;
  const found = useAnswer<Page<SearchResult>>('/api/search', { name, ...asked, path, cursor });
  return (
    <Card title={`Results of ${name}`}>
      <PagedRows
        {...{ asked: found, cursor, path: '/explore', parameters: { search: name, ...asked, path } }}
        label="Results"
        headings={['id', 'value', 'attributes']}
        row={({ id, value, attributes }) => [
          <NodeLink id={id} />,
          <AnyValue value={value} />,
          Object.keys(attributes).length === 0 ? '' : <AnyValue value={attributes} />,
        ]}
        empty="Nothing is found."
      />
    </Card>
  );
}
