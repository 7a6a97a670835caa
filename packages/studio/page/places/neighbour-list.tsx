import { useState } from 'preact/hooks';
import type { EdgeResult, Page } from '../../../../src/client/read/request/result.ts';
import { figureText } from '../../../../src/foundation/figure.ts';
import type { NeighbourGroup } from '../../base/neighbours.ts';
import { addressOf } from '../base/address.ts';
import { askStudio, type Failure } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { Counted } from '../parts/price.tsx';
import { Rows } from '../parts/rows.tsx';
import { FailureNote } from '../parts/told.tsx';

/** Edges of a type that are listed more at a time. */
const MORE = '100';
const LEADS = { outgoing: 'to', incoming: 'from' } as const;

/** The neighbourhood of a node. */
export function placeOf(id: string): string {
  return addressOf('/explore', { id, part: 'graph' });
}

/** The list of all edges of a group, page by page. */
export function listOf(id: string, { type, direction }: NeighbourGroup): string {
  return addressOf('/explore', { id, part: direction === 'outgoing' ? 'edges' : 'inbound', type });
}

/** The edges of a group that were read behind its first ones. */
interface MoreOfGroup {
  ids: string[];
  cursor: string | undefined;
}

/** The neighbours in a table, and more of them on request. */
export function NeighbourList({ id, groups }: { id: string; groups: readonly NeighbourGroup[] }) {
  const [more, setMore] = useState<Record<string, MoreOfGroup>>({});
  const [failure, setFailure] = useState<Failure>();
  const nameOf = ({ type, direction }: NeighbourGroup): string => `${direction} ${type}`;
  // Where the list has moved, its first part may end elsewhere: what comes again is left out.
  const idsOf = (group: NeighbourGroup): string[] => [...new Set([...group.ids, ...(more[nameOf(group)]?.ids ?? [])])];
  const cursorOf = (group: NeighbourGroup): string | undefined => {
    const own = more[nameOf(group)];
    return own === undefined ? group.cursor : own.cursor;
  };
  const read = (group: NeighbourGroup): void => {
    const { type, direction } = group;
    const path = direction === 'outgoing' ? '/api/edges' : '/api/inbound';
    askStudio<Page<EdgeResult>>(path, { id, type, limit: MORE, cursor: cursorOf(group) }).then(({ items, cursor }) => {
      const ids = items.map(({ source, target }) => (direction === 'outgoing' ? target : source));
      setFailure(undefined);
      setMore((before) => {
        return { ...before, [nameOf(group)]: { ids: [...(before[nameOf(group)]?.ids ?? []), ...ids], cursor } };
      });
    }, setFailure);
  };
  const left = groups.filter((group) => cursorOf(group) !== undefined);
  return (
    <>
      <Rows
        label="Neighbours"
        headings={['edge', 'leads', 'node']}
        rows={groups.flatMap((group) =>
          idsOf(group).map((one) => [group.type, LEADS[group.direction], <Neighbour id={one} />]),
        )}
        empty="The node has no neighbours."
      />
      {failure !== undefined && <FailureNote failure={failure} />}
      {left.map((group) => (
        <p key={nameOf(group)} class="row">
          <span>
            {group.type} {LEADS[group.direction]} others: {figureText(idsOf(group).length)} of{' '}
            <Counted id={id} type={group.type} direction={group.direction} counted={group} />
          </span>
          <button type="button" onClick={() => read(group)}>
            Show {MORE} more
          </button>
          <Link to={listOf(id, group)}>Page by page</Link>
        </p>
      ))}
    </>
  );
}

function Neighbour({ id }: { id: string }) {
  return (
    <Link to={placeOf(id)} class="key">
      <bdi>{id}</bdi>
    </Link>
  );
}
