import type { EdgeResult, Page } from '../../../../src/client/read/request/result.ts';
import { countText } from '../../../../src/foundation/figure.ts';
import { unitsOfShards } from '../../base/price.ts';
import { addressOf, type PlaceParameters } from '../base/address.ts';
import { useAnswer } from '../base/ask.ts';
import { FIRST_ROWS, useLive } from '../base/live.ts';
import { Link, NodeLink } from '../base/place.tsx';
import { useTouches } from '../base/touches.ts';
import { PagedRows } from '../parts/paged-rows.tsx';
import { Priced } from '../parts/price.tsx';
import { Card, type NodePartProps } from '../parts/told.tsx';
import { Totals } from '../parts/totals.tsx';
import { LevelsForm, LevelsPage } from './levels.tsx';

/** The edges that enter a node, in each order of each type, and what is next to their sources. */
export function Inbound({ model, id, parameters }: NodePartProps) {
  const type = id.slice(0, id.indexOf('-'));
  const choices = model.edges
    .filter(({ to }) => to.includes(type))
    .flatMap((edge) => edge.orders.map((order) => ({ edge: edge.type, order: order.name, from: order.from })));
  const [first] = choices;
  const unordered = model.edges.filter(({ to, orders }) => to.includes(type) && orders.length === 0);
  const unlisted = unordered.length > 0 && (
    <p class="quiet">
      Edges without an order enter nodes of this type too, and no list has them:{' '}
      {unordered.map((one) => one.type).join(', ')}. Each is with its source.
    </p>
  );
  if (first === undefined) return unlisted || <p class="quiet">No edge type enters nodes of this type.</p>;
  const edge = parameters.get('type') ?? first.edge;
  const order = parameters.get('order') ?? choices.find((one) => one.edge === edge)?.order;
  const reverse = parameters.get('reverse') ?? undefined;
  const levels = parameters.getAll('with');
  const place = { id, part: 'inbound', type: edge, order, reverse };
  const withLevels = { ...place, with: levels, maxNodes: parameters.get('maxNodes') ?? undefined };
  const cursor = parameters.get('cursor') ?? undefined;
  const shards = model.edges.find((one) => one.type === edge)?.shards ?? 1;
  const isTotalled = model.edges.some(({ type: one, totals }) => one === edge && totals.inbound !== undefined);
  return (
    <Card title="Edges that enter the node">
      <nav class="parts" aria-label="Orders">
        {choices.map((one) => (
          <Link
            key={`${one.edge} ${one.order}`}
            to={addressOf('/explore', { ...place, type: one.edge, order: one.order })}
            aria-current={one.edge === edge && one.order === order ? 'page' : undefined}
          >
            {one.edge} by {one.from} ({one.order})
          </Link>
        ))}
        <Link to={addressOf('/explore', { ...withLevels, reverse: reverse === undefined ? 'true' : undefined })}>
          {reverse === undefined ? 'Ascending ⇅' : 'Descending ⇅'}
        </Link>
      </nav>
      {isTotalled && <LiveTotals id={id} type={edge} />}
      <Priced key={edge} units={unitsOfShards(shards)} doing={`Read a page of ${countText(shards, 'shard')}`}>
        {levels.length === 0 ? (
          <List place={place} cursor={cursor} />
        ) : (
          <LevelsPage model={model} place={withLevels} levels={levels} cursor={cursor} />
        )}
      </Priced>
      {unlisted}
      <h3>Nodes next to those of the list</h3>
      <LevelsForm {...{ model, edge, levels, place: withLevels }} />
    </Card>
  );
}

function LiveTotals({ id, type }: { id: string; type: string }) {
  const { count } = useTouches({ sources: [id] });
  return <Totals id={id} type={type} touches={count} />;
}

function List({ place, cursor }: { place: PlaceParameters; cursor: string | undefined }) {
  const { part: _, ...query } = place;
  const asked = useAnswer<Page<EdgeResult>>('/api/inbound', { ...query, cursor });
  const isFirst = asked.answer !== undefined && cursor === undefined;
  const live = useLive<EdgeResult>(isFirst ? { ...query, limit: FIRST_ROWS } : undefined);
  return (
    <PagedRows
      {...{ asked, cursor, path: '/explore', parameters: place }}
      {...(isFirst && { live })}
      label="Inbound edges"
      headings={['source']}
      row={({ source }) => [<NodeLink id={source} />]}
      attributesOf={({ attributes }) => attributes}
      empty="No edge enters the node in this order."
    />
  );
}
