import type { ModelAnswer } from '../../api/model-and-status.ts';
import type { SampleAnswer } from '../../base/table-sample.ts';
import { addressOf } from '../base/address.ts';
import { sampledText } from '../base/words.ts';
import type { Box, Way } from '../parts/layers.tsx';

const NODE = 'node ';
const EDGE = 'edge ';

export function placeOfType(kind: 'node' | 'edge', type: string): string {
  return addressOf('/', { picked: `${kind} ${type}` });
}

/** Node and edge types may share a name. */
export function modelBoxes(
  { nodes, edges }: ModelAnswer,
  sample: SampleAnswer | undefined,
): { boxes: Box[]; ways: Way[] } {
  const countOf = (count: number | undefined): string | undefined =>
    sample === undefined || count === undefined ? undefined : sampledText(count, sample);
  const ofNodes = nodes.map(({ type, searches }): Box => {
    const lines = searches.map(({ name }) => {
      return { text: name.slice(type.length + 1), to: addressOf('/query', { search: name }) };
    });
    const count = countOf(sample?.nodes[type]?.count);
    return { id: NODE + type, title: type, count, kind: 'node', to: placeOfType('node', type), lines };
  });
  const ofEdges = edges.map(({ type, orders }): Box => {
    const lines = orders.map(({ name, from }) => ({ text: `${name}: ${from}` }));
    const count = countOf(sample?.edges[type]?.count);
    return { id: EDGE + type, title: type, count, kind: 'edge', to: placeOfType('edge', type), lines };
  });
  const ways = edges.flatMap(({ type, from, to }): Way[] => [
    ...from.map((one) => ({ from: NODE + one, to: EDGE + type, hasHead: false })),
    ...to.map((one) => ({ from: EDGE + type, to: NODE + one, hasHead: true })),
  ]);
  return { boxes: [...ofNodes, ...ofEdges], ways };
}

/** The neighbours of a box; of a node, also the other ends of its edges. */
export function boxesNextTo(ways: readonly Way[], chosen: string): ReadonlySet<string> {
  const around = (ids: ReadonlySet<string>): string[] =>
    ways.flatMap(({ from, to }) => (ids.has(from) ? [to] : ids.has(to) ? [from] : []));
  const first = new Set([chosen, ...around(new Set([chosen]))]);
  if (chosen.startsWith(EDGE)) return first;
  return new Set([...first, ...around(new Set([...first].filter((id) => id.startsWith(EDGE))))]);
}
