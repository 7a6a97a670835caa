/** Filters as people write them, on the command line and in the studio: `status=open`, `points>=3`. */

const CONDITION = /^([^=<>!]+)(!=|<=|>=|=|<|>)/;
const COMPARISONS: Readonly<Record<string, string>> = { '!=': 'not', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' };

/** The signs between attribute and value. */
export const SIGNS = ['=', ...Object.keys(COMPARISONS)] as const;

/** A condition that is taken apart; undefined for a text that is none. */
export function conditionOf(text: string): { name: string; sign: string; value: string } | undefined {
  const [start, name, sign] = CONDITION.exec(text) ?? [];
  return start === undefined ? undefined : { name: name!, sign: sign!, value: text.slice(start.length) };
}

/**
 * The `where` that conditions come to: several comparisons of an attribute hold together, and of several values the last one counts.
 *
 * @param read gives the value of a text.
 * @param refusal the error for a text that is no condition.
 */
export function whereOfTexts<Value>(
  texts: readonly string[],
  read: (text: string) => Value,
  refusal: (text: string) => Error,
): Record<string, Value | Record<string, Value>> {
  const where = new Map<string, Value | Record<string, Value>>();
  const comparisons = new Map<string, Record<string, Value>>();
  for (const text of texts) {
    const condition = conditionOf(text);
    if (condition === undefined) throw refusal(text);
    const { name, sign, value } = condition;
    const comparison = COMPARISONS[sign];
    if (comparison === undefined) {
      where.set(name, read(value));
      continue;
    }
    const all = { ...comparisons.get(name), [comparison]: read(value) };
    comparisons.set(name, all);
    where.set(name, all);
  }
  return Object.fromEntries(where);
}
