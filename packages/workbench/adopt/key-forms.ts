import type { SampledItem } from './sampled-item.ts';
import { grouped, hasDigit } from './texts.ts';

/** Finds what the keys of a table are made of: words that stay, and places whose text varies. */

/** A key: words, and places, which are empty here. */
export type KeyForm = readonly (string | undefined)[];

/** The forms of the two keys of items, with the texts of their places. */
export interface KeyForms {
  forms: readonly [KeyForm, KeyForm];
  /** The texts of the places of both keys, in order. */
  values: readonly string[];
}

/** Characters that keys have between their words and ids, the likely ones first. */
const SEPARATORS = ['#', '|', ':', '/', '_', '-'];
/** Those that ids themselves hardly have. */
const SIGNS = SEPARATORS.slice(0, 4);
/** The most different words at one place that are taken for words, and not for ids. */
const MOST_WORDS = 20;
/** Items with twice the same key, from which on such keys are taken for ids, even without a digit. */
const LEAST_SELVES = 3;
/** The most parts of a key; those behind are one. */
const MOST_PARTS = 12;

/** The separator of most keys. */
export function separatorOf(items: readonly SampledItem[]): string {
  const count = (separator: string): number =>
    items.filter(({ keys }) => keys.some((key) => key.includes(separator))).length;
  const counted = SEPARATORS.map((separator) => [separator, count(separator)] as const);
  return counted.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

/**
 * Items by the separator of their keys: most have that of most keys. Others, if their partition keys have another sign that stands between
 * words, were written by other software.
 */
export function bySeparator(items: readonly SampledItem[]): [separator: string, items: SampledItem[]][] {
  const main = separatorOf(items);
  const signOf = ({ keys }: SampledItem): string | undefined =>
    keys.some((key) => key.includes(main)) ? main : SIGNS.find((sign) => keys[0].includes(sign));
  return [...grouped(items, (item) => signOf(item) ?? main)];
}

/** The forms of the keys of each item. */
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
    return item.keys.map((key, i) => words[i]!.parted(key.split(separator, MOST_PARTS * 100), isId, separator));
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
  /** True if it is an id whatever other keys have there. */
  isPlace: boolean;
  /** The words before it. */
  before: string;
}

interface Formed {
  form: KeyForm;
  values: string[];
}

/** The words that the keys of one kind have at each place. */
class Words {
  private readonly at = new Map<string, Set<string>>();

  parted(tokens: readonly string[], isId: (text: string) => boolean, separator: string): Part[] {
    const rest = tokens.slice(MOST_PARTS - 1).join(separator);
    const parts = tokens.length > MOST_PARTS ? [...tokens.slice(0, MOST_PARTS - 1), rest] : tokens;
    let before = '';
    return parts.map((text, i) => {
      const isLast = i > 0 && i === parts.length - 1;
      const isPlace = text !== '' && (isLast || isId(text));
      const part = { text, isPlace, before };
      if (!isPlace) {
        const found = this.at.get(before) ?? new Set();
        // More of them tell nothing more.
        if (found.size <= MOST_WORDS) found.add(text);
        this.at.set(before, found);
      }
      before += `\0${isPlace ? '' : text}`;
      return part;
    });
  }

  /** Places side by side are one. */
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

/** A pattern for keys of a form. */
export function patternOf(form: KeyForm, separator: string): RegExp {
  const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const parts = form.map((word) => (word === undefined ? '([^]+)' : escaped(word)));
  return new RegExp(`^${parts.join(escaped(separator))}$`);
}
