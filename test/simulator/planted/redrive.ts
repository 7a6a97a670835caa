import { insertBefore, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in the redrive of what is quarantined. */
export const REDRIVE_MUTANTS: readonly Mutant[] = [
  {
    name: 'redrive-applies-image',
    rule: "A redrive settles by the base item as it is now, never by the record's image.",
    changes: [
      setValue('entry-keeps-no-image', (old) => `{ ...${old}, image: { M: unit.records[0]!.newImage! } }`),
      setValue(
        'redrive-reconciles-by-the-base-item, first',
        (old) => `Object.assign(${old}, { image: item['image'] })`,
      ),
      // The image stands in for the base item's reads where what is derived is not newer than the record.
      insertBefore(
        'redrive-reconciles-by-the-base-item, then',
        `if (target !== VIEW_KEY) {
    const { image: kept } = entry as { image?: Item[string] };
    const image = kept !== undefined && 'M' in kept ? kept.M : undefined;
    const real = context.store;
    const store: Store = Object.create(real);
    store.get = async (key, how) => (key.target === target ? { item: image, rcu: 0 } : await real.get(key, how));
    store.getMany = async () => ({ items: [image], rcu: 0, calls: 0 });
    store.update = async (update) => {
      const condition = { kind: 'newer-than', watermark: \`\${watermark}/\` } as const;
      return { ...(await real.update({ ...update, condition })), applied: true };
    };
    context = { ...context, store };
  }`,
      ),
    ],
  },
];
