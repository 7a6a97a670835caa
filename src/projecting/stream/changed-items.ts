import { type Item, textOfUntrusted } from '../../core/items/attribute-value.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import type { ItemKey } from '../../core/store-port.ts';
import type { RawRecord } from './raw-record.ts';

/** A change of one item, under its key in Edgeloom's form. */
export interface ChangedItem extends ItemKey {
  oldImage?: Item | undefined;
  newImage?: Item | undefined;
}

/**
 * The items that a stream record is about; none where it has no text keys. In a table with raw keys an item may become one of another
 * type, or of another id, under the same keys: then one goes, and one comes. A node comes with the edges that its attributes make.
 */
export function changedItems(table: TableNames, { dynamodb }: RawRecord): ChangedItem[] {
  const { partitionKey, sortKey, rawKeys } = table;
  const source = textOfUntrusted(dynamodb?.Keys?.[partitionKey]);
  const target = textOfUntrusted(dynamodb?.Keys?.[sortKey]);
  if (source === undefined || target === undefined) return [];
  const { OldImage: oldImage, NewImage: newImage } = dynamodb ?? {};
  if (rawKeys === undefined) return [{ source, target, oldImage, newImage }];
  const known = (image: Item | undefined): ItemKey[] => rawKeys.allFromRaw({ source, target }, imageOf(image));
  const [before, after] = [known(oldImage ?? newImage), known(newImage ?? oldImage)];
  const image = (of: Item | undefined, key: ItemKey): Item | undefined =>
    imageOf(of) && { ...of, [partitionKey]: { S: key.source }, [sortKey]: { S: key.target } };
  const isIn = (keys: readonly ItemKey[], key: ItemKey): boolean =>
    keys.some((other) => other.source === key.source && other.target === key.target);
  const gone = before.filter((key) => !isIn(after, key));
  return [
    ...gone.map((key) => ({ ...key, oldImage: image(oldImage, key) })),
    ...after.map((key) => {
      const present = image(newImage, key);
      if (!isIn(before, key)) return { ...key, newImage: present };
      return { ...key, oldImage: image(oldImage, key) ?? oldImage, newImage: present ?? newImage };
    }),
  ];
}

/** An image, where it is one: a record that was made by hand may hold anything. */
function imageOf(image: unknown): Item | undefined {
  return typeof image === 'object' && image !== null ? (image as Item) : undefined;
}
