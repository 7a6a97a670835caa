import { type Item, textOfUntrusted } from '../core/items/attribute-value.ts';
import type { TableNames } from '../core/model/compiled.ts';
import type { ItemKey } from '../core/store-port.ts';
import type { RawRecord } from './raw-record.ts';

/** A change of one item, under its key in Edgeloom's form. */
export interface ChangedItem extends ItemKey {
  oldImage?: Item | undefined;
  newImage?: Item | undefined;
  /** How the images contradict the name of the event. The record then says only which item changed. */
  contradiction?: string | undefined;
}

/**
 * The images of a stream record, by the name of its event: an insert has no old one and a removal no new one, whatever is there. An
 * empty image is none: an item has its keys at least.
 */
export function imagesOf({ eventName, dynamodb }: RawRecord): Omit<ChangedItem, keyof ItemKey> {
  const { OldImage, NewImage } = dynamodb ?? {};
  const [before, after] = [imageOf(OldImage), imageOf(NewImage)];
  const [hasOld, hasNew] = [eventName !== 'INSERT', eventName !== 'REMOVE'];
  const images = { oldImage: hasOld ? before : undefined, newImage: hasNew ? after : undefined };
  const wrong = wrongImage(hasOld, OldImage, before, 'old') ?? wrongImage(hasNew, NewImage, after, 'new');
  if (wrong === undefined) return images;
  return { ...images, contradiction: `the stream's ${eventName ?? 'unnamed'} record ${wrong}` };
}

/** Says how an image contradicts its event, which comes with such an image or without; undefined: it does not. */
function wrongImage(has: boolean, image: unknown, item: Item | undefined, name: 'old' | 'new'): string | undefined {
  if (!has) return item === undefined ? undefined : `has ${name === 'old' ? 'an old' : 'a new'} image`;
  return image === undefined || item !== undefined ? undefined : `has no item as its ${name} image`;
}

/**
 * The items that a stream record is about; none if its keys are no texts. In a table with raw keys an item may become one of another type,
 * or of another id, under the same keys: the record then removes one item and adds another, and both are returned. A node comes with the
 * edges that its attributes make.
 */
export function changedItems(table: TableNames, record: RawRecord): ChangedItem[] {
  const { partitionKey, sortKey, rawKeys } = table;
  const { dynamodb } = record;
  const source = textOfUntrusted(dynamodb?.Keys?.[partitionKey]);
  const target = textOfUntrusted(dynamodb?.Keys?.[sortKey]);
  if (source === undefined || target === undefined) return [];
  const images = imagesOf(record);
  const { oldImage, newImage, ...rest } = images;
  if (rawKeys === undefined) return [{ source, target, ...images }];
  const known = (image: Item | undefined): ItemKey[] => rawKeys.allFromRaw({ source, target }, image);
  const [before, after] = [known(oldImage ?? newImage), known(newImage ?? oldImage)];
  const image = (of: Item | undefined, key: ItemKey): Item | undefined =>
    of && { ...of, [partitionKey]: { S: key.source }, [sortKey]: { S: key.target } };
  const isIn = (keys: readonly ItemKey[], key: ItemKey): boolean =>
    keys.some((other) => other.source === key.source && other.target === key.target);
  const gone = before.filter((key) => !isIn(after, key));
  return [
    ...gone.map((key) => ({ ...key, ...rest, oldImage: image(oldImage, key) })),
    ...after.map((key) => {
      const present = image(newImage, key);
      if (!isIn(before, key)) return { ...key, ...rest, newImage: present };
      return { ...key, ...rest, oldImage: image(oldImage, key), newImage: present };
    }),
  ];
}

/** An image, where it is one: a record that was made by hand may hold anything. An item has its keys at least. */
function imageOf(image: unknown): Item | undefined {
  if (typeof image !== 'object' || image === null || Array.isArray(image)) return undefined;
  const item = Object.hasOwn(image, '__proto__') ? withoutLost(image as Item) : (image as Item);
  for (const _name in item) return item;
  return undefined;
}

/** The SDK loses an attribute of this name, so that no read of the base item has it. */
function withoutLost({ ['__proto__']: _lost, ...item }: Item): Item {
  return item;
}
