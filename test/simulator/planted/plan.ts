import type { Mutant } from './mutant.ts';

const UNITS = 'src/plan/units.ts';
const WRITES = 'src/plan/writes/updates.ts';
const INDEX_ITEM = 'src/apply/index-item.ts';

/** Planted in folding and planning. */
export const PLAN_MUTANTS: readonly Mutant[] = [
  {
    name: 'net-zero-view',
    rule: 'A view unit is left out only if each of its records leaves the view as it is, not if their sum does.',
    patches: [
      {
        file: UNITS,
        find: '  if (oldest === undefined) return undefined;',
        replace: '  if (oldest === undefined || sameInView(steps[0]!.before, steps.at(-1)!.after)) return undefined;',
      },
    ],
  },
  {
    name: 'net-zero-index',
    rule: 'An index unit is left out only if each of its records leaves the index item as it is.',
    patches: [
      {
        file: 'src/plan/index-units.ts',
        find: '    if (records === undefined) continue;',
        replace:
          '    if (records === undefined || sameItem(fieldsOf(steps[0]!.before, sortKey), fieldsOf(final, sortKey))) continue;',
      },
    ],
  },
  {
    name: 'netted-chain',
    rule: 'Every element that any record of the batch mentions goes, not only the one before its first record.',
    patches: [
      {
        file: UNITS,
        find: '  const { element, attributes } = steps.at(-1)!.after;',
        replace:
          '  const changing = steps.filter(({ before, after }) => !sameInView(before, after));\n  all = new Set([...elementsOf(changing[0]!.before, changing.at(-1)!.after)]);\n  const { element, attributes } = steps.at(-1)!.after;',
      },
    ],
  },
  {
    name: 'removal-unseen',
    rule: 'Removing an index item writes its tombstone even where no item is seen.',
    patches: [
      {
        file: INDEX_ITEM,
        find: '  let result = await updateItem',
        replace:
          '  if (unit.wanted === undefined && (await context.store.get({ source: unit.source, target: unit.sortKey }, { consistent: true })).item === undefined) return;\n  let result = await updateItem',
      },
    ],
  },
  {
    name: 'node-attributes-difference',
    rule: "A node's attributes go into the view whole, not as what the batch changed in them.",
    patches: [
      {
        file: UNITS,
        find: '  return byBase ? { ...change, byBase } : change;',
        replace:
          '  const first = steps.find(({ before, after }) => !sameInView(before, after))!.before.attributes;\n  return {\n    ...change,\n    attributes: attributes && Object.fromEntries(Object.entries(attributes).filter(([name, value]) => first === undefined || JSON.stringify(first[name]) !== JSON.stringify(value))),\n    gone: Object.keys(first ?? {}).filter((name) => attributes?.[name] === undefined),\n    byBase,\n  };',
      },
      {
        file: WRITES,
        find: 'if (change.attributes === undefined) return undefined;',
        replace: 'return undefined;',
      },
      {
        file: WRITES,
        find: '      attributes = truth.attributes;',
        replace:
          '      attributes = truth.attributes && truths.get(change.target) === undefined ? { ...attributes, ...truth.attributes } : truth.attributes;\n      if (truths.get(change.target) === undefined) for (const name of change.gone) if (attributes !== undefined) delete attributes[name];',
      },
    ],
  },
  {
    name: 'node-without-attributes',
    rule: "The view's attributes are present exactly when the node is, also where there is none to show.",
    patches: [
      {
        file: 'src/plan/item-planner.ts',
        find: '  return { attributes, keys, fields, places,',
        replace:
          '  return { attributes: Object.keys(attributes).length === 0 ? undefined : attributes, keys, fields, places,',
      },
    ],
  },
  {
    name: 'elements-by-label',
    rule: 'An element tells its edge without its labels.',
    patches: [
      {
        file: 'src/items/element.ts',
        find: 'return end < 0 ? element : element.slice(0, end);',
        replace: 'return element;',
      },
    ],
  },
  {
    name: 'old-image-poison',
    rule: 'What of an old image can be derived counts, also if a part of it cannot.',
    patches: [
      {
        file: 'src/plan/steps.ts',
        find: 'before: planner.derive(record.oldImage),',
        replace:
          'before: [planner.derive(record.oldImage)].map((before) => (before.problems.length === 0 ? before : { keys: [], fields: [], problems: [] }))[0]!,',
      },
    ],
  },
  {
    name: 'watermark-unpadded',
    rule: 'Sequence numbers are padded, since they are texts of varying length.',
    patches: [
      {
        file: 'src/items/watermark.ts',
        find: "'0'.repeat(SEQUENCE_DIGITS - this.digits)",
        replace: "''",
      },
    ],
  },
  {
    name: 'watermark-without-label',
    rule: 'A watermark begins with the label of its stream, so that a re-created stream sorts later.',
    patches: [{ file: 'src/items/watermark.ts', find: '{this.streamLabel}/$', replace: "{''}/$" }],
  },
  {
    name: 'hashed-key-unchecked',
    rule: "An edge whose hashed key is not its target's is quarantined.",
    patches: [
      {
        file: 'src/model/base-item.ts',
        find: '  if (hashedSortKey(edge.type, targetId) !== sortKey) {',
        replace: "  if (sortKey === '') {",
      },
    ],
  },
  {
    name: 'hashed-element-nameless',
    rule: 'The element of an edge with a hashed key names its target.',
    patches: [
      {
        file: 'src/plan/item-planner.ts',
        find: 'element = owner.isHashed ?',
        replace: 'element = !owner.isHashed ?',
      },
    ],
  },
];
