import { figureText } from '../../../src/foundation/figure.ts';
import { inPlace } from './in-place.ts';
import { LIBRARIES } from './kinds.ts';
import { edgeTypes, unplaced } from './mapping.ts';
import { mappingText, modelText } from './proposal-text.ts';
import { type LeftOut, propose } from './propose.ts';
import type { SampledItem } from './sampled-item.ts';
import { type DescribedTable, withFreeNames } from './table-facts.ts';

export interface Extent {
  read: number;
  isWhole: boolean;
}

/** Returns the file's text: a model and, unless the table already holds nodes and edges, a mapping. */
export function proposedFile(items: readonly SampledItem[], described: DescribedTable, { read, isWhole }: Extent) {
  const { keys, keyAttributes, ttl, options, streamView } = described;
  const table = options.name;
  const tableItems = isWhole ? read : Math.max(described.items, read + 1);
  const found = keys.length === 2 ? inPlace(items) : undefined;
  const notes = [
    ...described.notes,
    ...streamNotes(streamView, found !== undefined),
    ...(isWhole
      ? []
      : ['Some items were not read. Kinds and attributes that are rare may be missing: --sample reads more.']),
  ];
  const all = isWhole ? `all ${figureText(read)}` : `${figureText(read)} of about ${figureText(tableItems)}`;
  const extent = items.length < read ? `${figureText(items.length)} items, chosen from ${all}` : `${all} items`;
  if (found !== undefined) {
    const free = withFreeNames(described, new Set(items.flatMap(({ names }) => names)));
    const { nodes, edges, leftOut } = found;
    const text = modelText(found, free.options, { table, sampled: items.length, extent, notes, leftOut });
    const types = { nodes: [...nodes.keys()], edges: [...edges.keys()] };
    return { layout: 'in place', ...types, leftOut, unsure: [] as LeftOut[], tableItems, notes, text };
  }
  const proposal = propose(items, keys);
  const leftOut = unplaced(proposal, table, keyAttributes);
  const text = mappingText(proposal, { table, sampled: items.length, extent, ttl, notes, leftOut }, keyAttributes);
  const layout = proposal.library === undefined ? 'by hand' : LIBRARIES[proposal.library];
  const edges = [...edgeTypes(proposal).keys()];
  const unsure = proposal.kinds
    .filter(({ node, edges: own }) => node !== undefined || own.length > 0)
    .flatMap(({ items: own, unsure: doubts }) =>
      doubts.map((reason): LeftOut => ({ items: own.length, example: own[0]!.keys, reason })),
    );
  return { layout, nodes: proposal.nodes, edges, leftOut, unsure, tableItems, notes, text };
}

/** A mapping needs only the keys of changed items. */
function streamNotes(view: string | undefined, isInPlace: boolean): string[] {
  if (!isInPlace) return view === undefined ? ['The table lacks a stream: switch one on. KEYS_ONLY is enough.'] : [];
  if (view === 'NEW_AND_OLD_IMAGES') return [];
  return ['The table lacks a stream of new and old images (NEW_AND_OLD_IMAGES): switch it on.'];
}
