import type { SampledItem } from './sampled-item.ts';
import { grouped, hasDigit } from './texts.ts';

/** The fixed words of a key, with `undefined` for each place that varies. */
export type KeyForm = readonly (string | undefined)[];

export interface KeyForms {
  forms: readonly [KeyForm, KeyForm];
  /** The texts at the varying places of both keys, in order. */
  values: readonly string[];
}

/** Most likely first. */
const SEPARATORS = ['#', '|', ':', '/', '_', '-'];
/** Separators that ids hardly ever contain. */
const SIGNS = SEPARATORS.slice(0, 4);
/** If a position has more than this many different texts, they are ids, not words. */
const MOST_WORDS = 20;
/** If at least this many items have two equal keys, these keys are ids, even without a digit. */
const LEAST_SELVES = 3;
/** Any further parts of a key are joined to the last. */
const MOST_PARTS = 12;

export function separatorOf(items: readonly SampledItem[]): string {
  const count = (separator: string): number =>
    items.filter(({ keys }) => keys.some((key) => key.includes(separator))).length;
  const counted = SEPARATORS.map((separator) => [separator, count(separator)] as const);
  return counted.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

/**
 * Groups items by the separator of their keys. Keys without the most common separator probably come from other
 * software.
 */
export function bySeparator(items: readonly SampledItem[]): [separator: string, items: SampledItem[]][] {
  const main = separatorOf(items);
  const signOf = ({ keys }: SampledItem): string | undefined =>
    keys.some((key) => key.includes(main)) ? main : SIGNS.find((sign) => keys[0].includes(sign));
  return [...grouped(items, (item) => signOf(item) ?? main)];
}

export function keyForms(items: readonly SampledItem[], separator: string): Map<SampledItem, KeyForms> {
  const words = [new Words(), new Words()] as const;
  const selves = new Set(
    items.flatMap(({ keys: [source, target] }) => (source === target ? source.toLowerCase() : [])),
  );
  if (selves.size < LEAST_SELVES) selves.clear();
  const parted = items.map((item) => {
    const own = new Set([...item.texts.values()].map((text) => text.toLowerCase()));
    const isId = (text: string): boolean =>
      hasDigit(text) || own.has(text.toLowerCase()) || selves.has(text.toLowerCase());
    return item.keys.map((key, i) => words[i]!.addParts(key.split(separator, MOST_PARTS * 100), isId, separator));
  });
  return new Map(
    items.map((item, at) => {
      const [partition, sort] = parted[at]!.map((parts, i) => words[i]!.formOf(parts, separator)) as [Formed, Formed];
      return [item, { forms: [partition.form, sort.form], values: [...partition.values, ...sort.values] }];
    }),
  );
}

interface Part {
  text: string;
  /** True for an id, whatever other keys have at this position. */
  isPlace: boolean;
  before: string;
}

interface Formed {
  form: KeyForm;
  values: string[];
}

class Words {
  private readonly at = new Map<string, Set<string>>();

  addParts(tokens: readonly string[], isId: (text: string) => boolean, separator: string): Part[] {
    const rest = tokens.slice(MOST_PARTS - 1).join(separator);
    const parts = tokens.length > MOST_PARTS ? [...tokens.slice(0, MOST_PARTS - 1), rest] : tokens;
    let before = '';
    return parts.map((text, i) => {
      const isLast = i > 0 && i === parts.length - 1;
      const isPlace = text !== '' && (isLast || isId(text));
      const part = { text, isPlace, before };
      if (!isPlace) {
        const found = this.at.get(before) ?? new Set();
        // Beyond `MOST_WORDS`, more words don't matter.
        if (found.size <= MOST_WORDS) found.add(text);
        this.at.set(before, found);
      }
      before += `\0${isPlace ? '' : text}`;
      return part;
    });
  }

  formOf(parts: readonly Part[], separator: string): Formed {
    const form: (string | undefined)[] = [];
    const values: string[] = [];
    for (const { text, isPlace, before } of parts) {
      const isVarying = isPlace || (text !== '' && this.at.get(before)!.size > MOST_WORDS);
      if (!isVarying) form.push(text);
      else if (form.length > 0 && form.at(-1) === undefined) values.push(`${values.pop()}${separator}${text}`);
      else {
        form.push(undefined);
        values.push(text);
      }
    }
    return { form, values };
  }
}

export function patternOf(form: KeyForm, separator: string): RegExp {
  const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const parts = form.map((word) => (word === undefined ? '([^]+)' : escaped(word)));
  return new RegExp(`^${parts.join(escaped(separator))}$`);
}
