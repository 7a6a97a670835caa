import type { Mutant } from './mutant.ts';

const REDRIVE = 'src/repair/redrive.ts';
const QUARANTINE = 'src/plan/quarantine-entry.ts';

/** Planted in the redrive of what is quarantined. */
export const REDRIVE_MUTANTS: readonly Mutant[] = [
  {
    name: 'redrive-applies-image',
    rule: "A redrive settles by the base item as it is now, never by the record's image.",
    patches: [
      {
        file: QUARANTINE,
        find: '  return entryItem(graph, unit, unit.target, { code: codes,',
        replace:
          '  const { newImage } = unit.records[0]!;\n  const entry = entryItem(graph, unit, unit.target, { code: codes,',
      },
      {
        file: QUARANTINE,
        find: 'derivedKeys: unit.derivedKeys }, nowMs);',
        replace: 'derivedKeys: unit.derivedKeys }, nowMs);\n  return { ...entry, image: { M: newImage! } };',
      },
      {
        file: QUARANTINE,
        find: "    derivedKeys: keys !== undefined && 'SS' in keys ? keys.SS : [],",
        replace: "    derivedKeys: keys !== undefined && 'SS' in keys ? keys.SS : [],\n    image: item['image']?.M,",
      },
      {
        // The image stands in for the base item's reads where what is derived is not newer than the record.
        file: REDRIVE,
        find: '  const { source, target } = entry;\n  if (target === VIEW_KEY) {',
        replace:
          "  const { source, target } = entry;\n  if (target !== VIEW_KEY) {\n    const isBase = (key) => key.target === target;\n    const image = { item: entry.image, rcu: 0 };\n    const real = context.store;\n    context = {\n      ...context,\n      store: {\n        get: async (key, how) => (isBase(key) ? image : await real.get(key, how)),\n        getMany: async () => ({ items: [entry.image], rcu: 0, calls: 0 }),\n        update: async (update) => {\n          const condition = { kind: 'newer-than', watermark: watermark + '/' };\n          return { ...(await real.update({ ...update, condition })), applied: true };\n        },\n      },\n    };\n  }\n  if (target === VIEW_KEY) {",
      },
    ],
  },
];
