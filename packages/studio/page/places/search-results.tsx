import type { Page, SearchResult } from '../../../../src/client/read/request/result.ts';
import { useAnswer } from '../base/ask.ts';
import { FIRST_ROWS, useLive } from '../base/live.ts';
import { NodeLink } from '../base/place.tsx';
import { PagedRows } from '../parts/paged-rows.tsx';
import { Card } from '../parts/told.tsx';
import { AnyValue } from '../parts/value.tsx';

const ARGUMENTS = ['eq', 'prefix', 'from', 'to', 'partition', 'reverse'] as const;

/** A page of what a search finds. */
export function SearchResults({ parameters }: { parameters: URLSearchParams }) {
  const name = parameters.get('search') ?? '';
  const asked: Partial<Record<(typeof ARGUMENTS)[number], string>> = Object.fromEntries(
    ARGUMENTS.flatMap((one) => (parameters.has(one) ? [[one, parameters.get(one)!]] : [])),
  );
  const path = parameters.getAll('path');
  const cursor = parameters.get('cursor') ?? undefined;
  const found = useAnswer<Page<SearchResult>>('/api/search', { name, ...asked, path, cursor });
  const { eq, prefix, ...others } = asked;
  const isFirst = found.answer !== undefined && cursor === undefined;
  const question = { search: name, equals: eq, beginsWith: prefix, ...others, path, limit: FIRST_ROWS };
  const live = useLive<SearchResult>(isFirst ? question : undefined);
  return (
    <Card title={`Results of ${name}`}>
      <PagedRows
        {...{ asked: found, cursor, path: '/explore', parameters: { search: name, ...asked, path } }}
        {...(isFirst && { live })}
        label="Results"
        headings={['id', 'value']}
        row={({ id, value }) => [<NodeLink id={id} />, <AnyValue value={value} />]}
        attributesOf={({ attributes }) => attributes}
        empty="Nothing is found."
      />
    </Card>
  );
}
