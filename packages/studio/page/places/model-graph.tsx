import { useMemo } from 'preact/hooks';
import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { DescribedSearch } from '../../base/describe-model.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { useSample } from '../base/ask.ts';
import { Link } from '../base/place.tsx';
import { sampledText } from '../base/words.ts';
import { Badge } from '../parts/basics.tsx';
import { type Box, Layers, type Way } from '../parts/layers.tsx';
import { Shards } from './shards.tsx';
import { WhatIf } from './what-if.tsx';

const NODE = 'node ';
const EDGE = 'edge ';

/** `chosen`: a kind and type, such as `node USER`. */
export function ModelGraph({ model, chosen }: { model: ModelAnswer; chosen: string | undefined }) {
  const { answer: sample } = useSample();
  const { boxes, ways } = useMemo(() => modelBoxes(model, sample), [model, sample]);
  const types = model.nodes.map(({ type }) => type).join(', ');
  return (
    <>
      <Layers
        label={`The model as a graph of the node types ${types}; choose a type to see its details`}
        {...{ boxes, ways, chosen }}
      />
      <PickedType key={chosen} model={model} chosen={chosen} />
    </>
  );
}

function PickedType({ model, chosen }: { model: ModelAnswer; chosen: string | undefined }) {
  const node = model.nodes.find(({ type }) => chosen === NODE + type);
  const edge = model.edges.find(({ type }) => chosen === EDGE + type);
  const type = node?.type ?? edge?.type;
  if (type === undefined) return null;
  return (
    <section class="picked" aria-label={`Picked: ${type}`}>
      <h3>
        <Badge kind="plain">{node === undefined ? 'edge type' : 'node type'}</Badge> {type} <Link to="/">Close</Link>
      </h3>
      {node?.isListed && <Link to={addressOf('/query', { nodes: type })}>List the nodes</Link>}
      {node?.searches.filter(hasShards).map((search) => (
        <Shards key={search.name} search={search} />
      ))}
      <WhatIf node={node} edge={edge} />
    </section>
  );
}

function hasShards(search: DescribedSearch): search is DescribedSearch & { shards: number } {
  return search.shards !== 'value' && search.shards > 1 && !search.isNative;
}

function placeOfType(kind: 'node' | 'edge', type: string): string {
  return addressOf('/', { picked: `${kind} ${type}` });
}

/** Box ids contain the kind, because node and edge types may share a name. */
function modelBoxes({ nodes, edges }: ModelAnswer, sample: SampleAnswer | undefined): { boxes: Box[]; ways: Way[] } {
  const countOf = (count: number | undefined): string | undefined =>
    sample === undefined || count === undefined ? undefined : sampledText(count, sample);
  const ofNodes = nodes.map(({ type, searches }): Box => {
    const lines = searches.map(({ name }) => {
      return { text: name.slice(type.length + 1), to: addressOf('/query', { search: name }) };
    });
    const count = countOf(sample?.nodes[type]);
    return { id: NODE + type, title: type, count, kind: 'node', to: placeOfType('node', type), lines };
  });
  const ofEdges = edges.map(({ type, orders }): Box => {
    const lines = orders.map(({ name, from }) => {
      return { text: `${name}: ${from}`, to: addressOf('/query', { type, order: name }) };
    });
    const count = countOf(sample?.edges[type]?.count);
    return { id: EDGE + type, title: type, count, kind: 'edge', to: placeOfType('edge', type), lines };
  });
  const ways = edges.flatMap(({ type, from, to }): Way[] => [
    ...from.map((one) => ({ from: NODE + one, to: EDGE + type, hasHead: false })),
    ...to.map((one) => ({ from: EDGE + type, to: NODE + one, hasHead: true })),
  ]);
  return { boxes: [...ofNodes, ...ofEdges], ways };
}
