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
 * type under the same keys: then one goes, and one comes.
 */
export function changedItems(table: TableNames, { dynamodb }: RawRecord): ChangedItem[] {
  const { partitionKey, sortKey, rawKeys } = table;
  const source = textOfUntrusted(dynamodb?.Keys?.[partitionKey]);
  const target = textOfUntrusted(dynamodb?.Keys?.[sortKey]);
  if (source === undefined || target === undefined) return [];
  const { OldImage: oldImage, NewImage: newImage } = dynamodb ?? {};
  if (rawKeys === undefined) return [{ source, target, oldImage, newImage }];
  const known = (image: Item | undefined): ItemKey => rawKeys.fromRaw({ source, target }, imageOf(image));
  const [before, after] = [known(oldImage ?? newImage), known(newImage ?? oldImage)];
  const image = (of: Item | undefined, key: ItemKey): Item | undefined =>
    imageOf(of) && { ...of, [partitionKey]: { S: key.source }, [sortKey]: { S: key.target } };
  const [old, present] = [image(oldImage, before), image(newImage, after)];
  if (before.target === after.target) return [{ ...after, oldImage: old ?? oldImage, newImage: present ?? newImage }];
  return [
    { ...before, oldImage: old },
    { ...after, newImage: present },
  ];
}

/** An image, where it is one: a record that was made by hand may hold anything. */
function imageOf(image: unknown): Item | undefined {
  return typeof image === 'object' && image !== null ? (image as Item) : undefined;
}
