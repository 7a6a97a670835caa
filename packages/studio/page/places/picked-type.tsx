import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedSearch } from '../../base/describe-model.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { Link } from '../base/place.tsx';
import { questionOfType } from '../base/question.ts';
import { sampledText } from '../base/words.ts';
import { Badge } from '../parts/told.tsx';
import { Shards } from './shards.tsx';
import { WhatIf } from './what-if.tsx';

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
  const question = questionOfType(model, type);
  const count = node === undefined ? sample?.edges[type]?.count : sample?.nodes[type]?.count;
  return (
    <section class="picked" aria-label={`Picked: ${type}`}>
      <h3>
        <Badge kind="plain">{node === undefined ? 'edge type' : 'node type'}</Badge> {type}{' '}
        {sample !== undefined && count !== undefined && <span class="quiet">{sampledText(count, sample)}</span>}{' '}
        <Link to="/">Close</Link>
      </h3>
      {edge !== undefined && (
        <p>
          From {edge.from.join(', ')} to {edge.to.join(', ')}.{edge.isNative && ' DynamoDB keeps its lists.'}
        </p>
      )}
      {node !== undefined && (
        <p>
          View: {node.view}. {question !== undefined && <Link to={addressOf('/query', question)}>List the nodes</Link>}
        </p>
      )}
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
