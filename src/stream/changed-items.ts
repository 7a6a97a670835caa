import { type Item, textOfUntrusted } from '../core/items/attribute-value.ts';
import type { TableNames } from '../core/model/compiled.ts';
import type { ItemKey } from '../core/store-port.ts';
import type { RawRecord } from './raw-record.ts';

export interface ChangedItem extends ItemKey {
  oldImage?: Item | undefined;
  newImage?: Item | undefined;
  /** How the images contradict the event's name. The record then only tells which item has changed. */
  contradiction?: string | undefined;
}

/** An empty image counts as absent, because every item has keys. */
function imagesOf({ eventName, dynamodb }: RawRecord): Omit<ChangedItem, keyof ItemKey> {
  const { OldImage, NewImage } = dynamodb ?? {};
  const [before, after] = [imageOf(OldImage), imageOf(NewImage)];
  const [hasOld, hasNew] = [eventName !== 'INSERT', eventName !== 'REMOVE'];
  const images = { oldImage: hasOld ? before : undefined, newImage: hasNew ? after : undefined };
  const wrong = wrongImage(hasOld, OldImage, before, 'old') ?? wrongImage(hasNew, NewImage, after, 'new');
  if (wrong === undefined) return images;
  return { ...images, contradiction: `the stream's ${eventName ?? 'unnamed'} record ${wrong}` };
}

function wrongImage(has: boolean, image: unknown, item: Item | undefined, name: 'old' | 'new'): string | undefined {
  if (!has) return item === undefined ? undefined : `has ${name === 'old' ? 'an old' : 'a new'} image`;
  return image === undefined || item !== undefined ? undefined : `has no item as its ${name} image`;
}

export function changedItem({ partitionKey, sortKey }: TableNames, record: RawRecord): ChangedItem | undefined {
  const source = textOfUntrusted(record.dynamodb?.Keys?.[partitionKey]);
  const target = textOfUntrusted(record.dynamodb?.Keys?.[sortKey]);
  return source === undefined || target === undefined ? undefined : { source, target, ...imagesOf(record) };
}

/** A hand-written record may contain anything. */
function imageOf(image: unknown): Item | undefined {
  if (typeof image !== 'object' || image === null || Array.isArray(image)) return undefined;
  const item = Object.hasOwn(image, '__proto__') ? withoutLost(image as Item) : (image as Item);
  for (const _name in item) return item;
  return undefined;
}

/** Removes the attribute that the SDK loses, so that the image equals the base item as it is read. */
function withoutLost({ ['__proto__']: _lost, ...item }: Item): Item {
  return item;
}
