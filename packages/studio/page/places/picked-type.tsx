import type { ComponentChildren } from 'preact';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedEdge, DescribedNode, DescribedSearch } from '../../base/describe-model.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { Link } from '../base/place.tsx';
import { questionOfType } from '../base/question.ts';
import { sampledText } from '../base/words.ts';
import { Badge } from '../parts/told.tsx';
import { Fact } from '../parts/value.tsx';
import { placeOfType } from './model-boxes.ts';
import { Shards } from './shards.tsx';
import { WhatIf } from './what-if.tsx';

const BY_DYNAMODB = ', maintained by DynamoDB';

export interface PickedTypeProps {
  model: ModelAnswer;
  sample: SampleAnswer | undefined;
  /** Such as `node USER`. */
  chosen: string;
}

export function PickedType({ model, sample, chosen }: PickedTypeProps) {
  const node = model.nodes.find(({ type }) => chosen === `node ${type}`);
  const edge = model.edges.find(({ type }) => chosen === `edge ${type}`);
  const type = node?.type ?? edge?.type ?? '';
  const count = node === undefined ? sample?.edges[type]?.count : sample?.nodes[type]?.count;
  return (
    <section class="picked" aria-label={`Picked: ${type}`}>
      <h3>
        <Badge kind="plain">{node === undefined ? 'edge type' : 'node type'}</Badge> {type}{' '}
        {sample !== undefined && count !== undefined && <span class="quiet">{sampledText(count, sample)}</span>}{' '}
        <Link to="/" class="close">
          Show all types
        </Link>
      </h3>
      <dl>
        {node !== undefined && <NodeFacts model={model} node={node} />}
        {edge !== undefined && <EdgeFacts edge={edge} />}
      </dl>
      {node?.searches.filter(hasShards).map((search) => (
        <Shards key={search.name} search={search} choices={sample?.nodes[type]?.values[search.partition ?? ''] ?? []} />
      ))}
      <WhatIf model={model} chosen={chosen} />
    </section>
  );
}

function hasShards(search: DescribedSearch): search is DescribedSearch & { shards: number } {
  return search.shards !== 'value' && search.shards > 1 && !search.isNative;
}

function NodeFacts({ model, node: { type, view, searches } }: { model: ModelAnswer; node: DescribedNode }) {
  const question = questionOfType(model, type);
  const leaving = model.edges.filter(({ from }) => from.includes(type));
  const entering = model.edges.filter(({ to }) => to.includes(type));
  return (
    <>
      {question !== undefined && (
        <Fact name="nodes">
          <Link to={addressOf('/query', question)}>List them</Link>
        </Fact>
      )}
      <Fact name="view">{view}</Fact>
      <Entries name="searches">
        {searches.map((search) => (
          <li key={search.name}>
            <Link to={addressOf('/query', { search: search.name })}>{search.name.slice(type.length + 1)}</Link>{' '}
            <span class="quiet">
              by {search.from}
              {search.isNative ? BY_DYNAMODB : search.shards === 'value' && ', by value'}
            </span>
          </li>
        ))}
      </Entries>
      <Entries name="outgoing edges">{leaving.map((edge) => entryOf('edge', edge.type))}</Entries>
      <Entries name="incoming edges">{entering.map((edge) => entryOf('edge', edge.type))}</Entries>
    </>
  );
}

function entryOf(kind: 'node' | 'edge', type: string) {
  return (
    <li key={type}>
      <Link to={placeOfType(kind, type)}>{type}</Link>
    </li>
  );
}

function EdgeFacts({ edge }: { edge: DescribedEdge }) {
  const { type, from, to, orders, shards, isNative } = edge;
  return (
    <>
      <Entries name="from">{from.map((one) => entryOf('node', one))}</Entries>
      <Entries name="to">{to.map((one) => entryOf('node', one))}</Entries>
      <Entries name={`orders${isNative ? BY_DYNAMODB : shards > 1 ? `, ${shards} shards` : ''}`}>
        {orders.map(({ name, from: by }) => (
          <li key={name}>
            <code>{name}</code> <span class="quiet">by {by}</span>
          </li>
        ))}
      </Entries>
      {orders.length > 0 && (
        <Fact name="query">
          <Link to={addressOf('/query', { type })}>Show its lists</Link>
        </Fact>
      )}
    </>
  );
}

function Entries({ name, children }: { name: string; children: ComponentChildren[] | ComponentChildren }) {
  const entries = [children].flat();
  return <Fact name={name}>{entries.length === 0 ? 'none' : <ul class="entries">{entries}</ul>}</Fact>;
}
