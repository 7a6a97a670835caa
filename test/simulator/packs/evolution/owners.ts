import type { ItemKey } from '../../../../src/core/store-port.ts';

/** Whose a derived item is, by its key, without a word of the product's. */

/** The projection that an index item belongs to; undefined for those that are looked at through readers alone. */
export function nameOfItem(source: string, rest: string): string | undefined {
  if (rest.startsWith('#includeTarget') || rest === '#list' || rest === '') return undefined;
  const [, part, ofPart] = /^#([A-Z]+)\/([^/]*)/.exec(rest) ?? [];
  if (part !== undefined) return `search:${source[0]}.${part}.${ofPart}`;
  if (rest.startsWith('#')) return `order:AB.${rest.slice(1, rest.indexOf('/'))}`;
  if (/^A[BC]-/.test(rest)) return `inbound:${rest.slice(0, 2)}`;
  return `search:${source[0]}.${rest.split('/')[0]}`;
}

/** The generation that a derived item belongs to by its key: its projection and its id; undefined for views and what has no generations. */
export function generationOf({ source, target }: ItemKey): { name: string; id: number } | undefined {
  const [, place = '', mark = '1', rest = ''] = /^~(ix|view|in|total|degree)\/(?:@(\d+)\/)?(.*)$/s.exec(target) ?? [];
  const id = Number(mark);
  if (place === 'ix') {
    const [, edgeType, order] = /^#includeTarget\/([A-Z]+)(?:\/(.*))?$/.exec(rest) ?? [];
    if (edgeType !== undefined) return { name: order ? `order:${edgeType}.${order}` : `inbound:${edgeType}`, id };
    return { name: nameOfItem(source, rest) ?? `list:${source[0]}`, id };
  }
  if (place === 'view') return { name: `part:${source[0]}.${rest}`, id };
  return place === '' ? undefined : { name: `inbound:${rest.slice(0, 2)}`, id };
}

/** Keys that items of a generation of a projection may have, and that no base item wants; none for views. */
export function keysOf(name: string, id: number): ItemKey[] {
  const [, kind, type = '', part = ''] = /^(\w+):(\w+)(?:\.(.*))?$/.exec(name) ?? [];
  const mark = id === 1 ? '' : `@${id}/`;
  if (kind === 'part') return [{ source: `${type}-9`, target: `~view/${mark}${part}` }];
  if (kind === 'list') return [{ source: `${type}-9`, target: `~ix/${mark}` }];
  if (kind === 'search') {
    // A search of a part names the part: STATE.mood.
    const [ofPart, attribute] = part.split('.');
    return [
      { source: `${type}-9`, target: `~ix/${mark}${attribute === undefined ? part : `#${ofPart}/${attribute}`}` },
    ];
  }
  const edge = `${type}-${type.slice(1)}-9`;
  if (kind === 'order') return [{ source: 'A-9', target: `~ix/${mark}#${part}/${edge}` }];
  if (kind !== 'inbound') return [];
  const target = `${type.slice(1)}-9`;
  return [
    { source: 'A-9', target: `~ix/${mark}${edge}` },
    { source: 'A-9', target: `~degree/${mark}${type}` },
    { source: target, target: `~total/${mark}${type}` },
    { source: target, target: `~in/${mark}${type}-A-8` },
  ];
}
