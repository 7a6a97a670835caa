import { figureText } from '../../../src/foundation/figure.ts';
import { inPlace } from './in-place.ts';
import { LIBRARIES } from './kinds.ts';
import { edgeTypes, unplaced } from './mapping.ts';
import { mappingText, modelText } from './proposal-text.ts';
import { type LeftOut, propose } from './propose.ts';
import type { SampledItem } from './sampled-item.ts';
import { type DescribedTable, withFreeNames } from './table-facts.ts';

/** How much of a table was read. */
export interface Extent {
  /** Items read. */
  read: number;
  /** Whether these were all items of the table. */
  isWhole: boolean;
}

/** The file that is proposed for a table, with what a person has to look at: a model and a mapping, or the model alone. */
export function proposedFile(items: readonly SampledItem[], described: DescribedTable, { read, isWhole }: Extent) {
  const { keys, keyAttributes, ttl, options } = described;
  const table = options.name;
  const tableItems = isWhole ? read : Math.max(described.items, read + 1);
  const notes = [
    ...described.notes,
    ...(isWhole
      ? []
      : ['Some items were not read. Kinds and attributes that are rare may be missing: --sample reads more.']),
  ];
  const all = isWhole ? `all ${figureText(read)}` : `${figureText(read)} of about ${figureText(tableItems)}`;
  const extent = items.length < read ? `${figureText(items.length)} items, chosen from ${all}` : `${all} items`;
  const found = keys.length === 2 ? inPlace(items) : undefined;
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
  const unsure = proposal.kinds.flatMap(({ items, unsure: doubts }) =>
    doubts.map((reason): LeftOut => ({ items: items.length, example: items[0]!.keys, reason })),
  );
  return { layout, nodes: proposal.nodes, edges, leftOut, unsure, tableItems, notes, text };
}
