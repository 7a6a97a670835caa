const WORD_CHARACTER = /[\p{L}\p{N}]/u;

export function isOfWord(character: string | undefined): boolean {
  return character !== undefined && WORD_CHARACTER.test(character);
}

/** Returns where the first word and its separator end, or undefined if nothing follows them. */
export function endOfFirstWord(text: string): number | undefined {
  let at = 0;
  while (at < text.length && !isOfWord(text[at])) at += 1;
  while (at < text.length && isOfWord(text[at])) at += 1;
  return at > 0 && at + 1 < text.length ? at + 1 : undefined;
}

export function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (isOfWord(character)) word += character;
    else {
      if (word !== '') words.push(word);
      word = '';
    }
  }
  return word === '' ? words : [...words, word];
}

export function hasDigit(text: string): boolean {
  return /\d/.test(text);
}

export function withoutId(name: string): string {
  return name.replace(/[_-]?id$/i, '') || name;
}

const MOST_CHARACTERS = 40;

/** Turns `OrderItem` into `ORDER_ITEM`. */
export function typeNameOf(text: string): string {
  const parted = text.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
  const plain = parted.replace(/[^A-Z0-9]/g, '_').replace(/_{2,64}/g, '_');
  const trimmed = plain.slice(0, MOST_CHARACTERS).replace(/^_/, '').replace(/_$/, '');
  if (trimmed === '') return 'TYPE';
  return /^[A-Z]/.test(trimmed) ? trimmed : `TYPE_${trimmed}`;
}

/** Numbers repeated names: the second `USER` becomes `USER_2`. */
export class UniqueNames {
  private readonly taken = new Set<string>();
  private readonly last = new Map<string, number>();

  take(name: string): string {
    let given = name;
    for (let i = this.last.get(name) ?? 2; this.taken.has(given); i++) {
      given = `${name}_${i}`;
      this.last.set(name, i + 1);
    }
    this.taken.add(given);
    return given;
  }
}

export function tally<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

export function grouped<T>(values: Iterable<T>, nameOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const name = nameOf(value);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [value]);
    else group.push(value);
  }
  return groups;
}
