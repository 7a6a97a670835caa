import { type Item, textOfUntrusted } from '../core/items/attribute-value.ts';
import type { TableNames } from '../core/model/compiled.ts';
import type { ItemKey } from '../core/store-port.ts';
import type { RawRecord } from './raw-record.ts';

/** A change of one item. */
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

/** The item that a stream record is about; undefined if its keys are no texts. */
export function changedItem({ partitionKey, sortKey }: TableNames, record: RawRecord): ChangedItem | undefined {
  const source = textOfUntrusted(record.dynamodb?.Keys?.[partitionKey]);
  const target = textOfUntrusted(record.dynamodb?.Keys?.[sortKey]);
  return source === undefined || target === undefined ? undefined : { source, target, ...imagesOf(record) };
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
