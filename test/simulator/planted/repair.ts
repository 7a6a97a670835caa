import type { Mutant } from './mutant.ts';

const CONTEXT = 'src/repair/settle/context.ts';
const INDEX_ITEM = 'src/repair/settle/index-item.ts';
const VIEW = 'src/repair/settle/view.ts';
const MEND = 'src/repair/mend.ts';

const STALE = 'src/plan/writes/stale.ts';
const WRITES = 'src/plan/writes/updates.ts';
const WITHOUT_FENCE = {
  file: CONTEXT,
  find: '  if (fenceMs === undefined) return update;',
  replace: '  if (fenceMs !== undefined) return update;',
};

/** Planted in repair and rebuild. */
export const REPAIR_MUTANTS: readonly Mutant[] = [
  {
    name: 'repair-truth-kept-across-retries',
    rule: 'Where a repair was overtaken, it reads the base item again.',
    patches: [
      {
        file: INDEX_ITEM,
        find: '    const item = await readItem(context, { source: base.source, target: base.target });',
        replace:
          '    const item = (unit.kept ??= [await readItem(context, { source: base.source, target: base.target })])[0];',
      },
    ],
  },
  {
    name: 'repair-base-before-derived',
    rule: 'A repair reads the derived item first: a write that comes between the two reads has to be seen.',
    patches: [
      {
        file: INDEX_ITEM,
        find: '  let current = await readItem(context, { source, target: sortKey });',
        replace:
          '  unit.early = [await readItem(context, { source: base.source, target: base.target })];\n  let current = await readItem(context, { source, target: sortKey });',
      },
      {
        file: INDEX_ITEM,
        find: '    const item = await readItem(context, { source: base.source, target: base.target });',
        replace:
          '    const item = unit.early !== undefined ? unit.early[0] : await readItem(context, { source: base.source, target: base.target });\n    unit.early = undefined;',
      },
    ],
  },
  {
    name: 'repair-index-revision-ignored',
    rule: 'A repair writes under the revision that it has seen, never over a newer projection.',
    patches: [
      {
        file: INDEX_ITEM,
        find: '    const update = fenced(context, settled);',
        replace:
          "    const update = { ...fenced(context, settled), condition: { kind: 'newer-than', watermark: '~' } };",
      },
    ],
  },
  {
    name: 'repair-view-revision-ignored',
    rule: 'The same holds for a view.',
    patches: [
      {
        file: VIEW,
        find: '      fenced(context, slowViewUpdate(graph, unit, seen, truths, epochSeconds(context), parents, corrections)),',
        replace:
          "      { ...slowViewUpdate(graph, unit, seen, truths, epochSeconds(context), parents, corrections), condition: { kind: 'newer-than', watermark: '~', notEvicted: [] } },",
      },
    ],
  },
  {
    name: 'repair-drops-watermark',
    rule: 'A repair keeps the watermark that it has seen, or sets a fence: one of the two is enough.',
    patches: [
      {
        file: CONTEXT,
        find: '  if (current === undefined || (await stream.isPlausible(current[WATERMARK]))) return current;',
        replace: '  if (current === undefined || stream === undefined) return current;',
      },
      WITHOUT_FENCE,
    ],
  },
  {
    name: 'repair-keeps-odd-watermark',
    rule: 'A watermark that cannot be does not survive a repair.',
    patches: [
      {
        file: CONTEXT,
        find: '  if (current === undefined || (await stream.isPlausible(current[WATERMARK]))) return current;',
        replace: '  if (current === undefined || stream !== undefined) return current;',
      },
    ],
  },
  {
    name: 'repair-readmits-in-part',
    rule: 'An edge type that comes back into the set comes with all of its edges.',
    patches: [{ file: VIEW, find: '(const type of corrections?.unmark ?? []) {', replace: '(const type of []) {' }],
  },
  {
    name: 'repair-buries-the-living',
    rule: 'A tombstone is buried only if nothing has been written since it was read.',
    patches: [
      {
        file: MEND,
        find: '>= now()) return false;\n    const { applied } = await store.delete(key, unchanged(item, graph.table.ttl));',
        replace: '>= now()) return false;\n    const { applied } = await store.delete(key);',
      },
    ],
  },
  {
    name: 'rebuild-drops-the-rest',
    rule: 'The last suspects of a partition are settled too.',
    patches: [{ file: 'src/check/inspect.ts', find: '        if (chunk.length > 0) send();\n', replace: '' }],
  },
  {
    name: 'repair-named-order-by-node',
    rule: 'The index item of a named order is mended by the edge that its sort key names.',
    patches: [
      {
        file: 'src/items/derived-key.ts',
        find: "  return key.of === 'edge' ? key.edge.text : undefined;",
        replace: "  return key.of === 'edge' && key.order === undefined ? key.edge.text : source;",
      },
    ],
  },
  {
    name: 'repair-owner-by-no-item',
    rule: 'A node among its own edges is mended by the node.',
    patches: [
      {
        file: 'src/items/derived-key.ts',
        find: "  if (key?.kind !== 'index-item' || key.of === 'search') return source;",
        replace: "  if (key?.kind !== 'index-item') return undefined;\n  if (key.of === 'search') return source;",
      },
    ],
  },
  {
    name: 'repair-without-fence',
    rule: 'What a repair has mended has a fence: its watermark may have been lost with it.',
    patches: [WITHOUT_FENCE],
  },
  {
    name: 'fence-without-margin',
    rule: 'A record that is younger than the fence by less than the clocks may differ is settled by its base item.',
    patches: [{ file: STALE, find: 'oldest * 1000 - FENCE_MARGIN_MS', replace: 'oldest * 1000' }],
  },
  {
    name: 'fence-of-view-ignored',
    rule: 'The fast path of a view stops at a fence.',
    patches: [
      {
        file: WRITES,
        find: '      fenceBefore: beyondFences(unit.records),\n    },\n  };\n}\n',
        replace: '    },\n  };\n}\n',
      },
    ],
  },
  {
    name: 'fence-of-index-item-ignored',
    rule: 'The first update of an index item stops at a fence.',
    patches: [
      {
        file: WRITES,
        find: 'watermark: unit.newest, fenceBefore: beyondFences(unit.records) }',
        replace: 'watermark: unit.newest }',
      },
    ],
  },
  {
    name: 'fence-ignored-where-seen',
    rule: 'Where a view or a counted item was seen, its fence counts as well.',
    patches: [
      {
        file: STALE,
        find: '  const value = current?.[FENCE];\n  if (value === undefined) return false;',
        replace: '  const value = current?.[FENCE];\n  if (value !== undefined || records.length === 0) return false;',
      },
    ],
  },
  {
    name: 'fence-of-counted-item-ignored',
    rule: 'The fence of a counted item stops a record that agrees with nothing.',
    patches: [{ file: 'src/apply/counted.ts', find: ' || isFenced(unit.records, currents[i])', replace: '' }],
  },
];
