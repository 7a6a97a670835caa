/** Reads filters as typed in the command line and the studio, such as `status=open` or `points>=3`. */

const CONDITION = /^([^=<>!]+)(!=|<=|>=|=|<|>)/;
const COMPARISONS: Readonly<Record<string, string>> = { '!=': 'not', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' };

function conditionOf(text: string): { name: string; sign: string; value: string } | undefined {
  const [start, name, sign] = CONDITION.exec(text) ?? [];
  return start === undefined ? undefined : { name: name!, sign: sign!, value: text.slice(start.length) };
}

type Equal<Value> = Value | { in: Value[] };
type Condition<Value> = Equal<Value> | Record<string, Equal<Value>>;

/**
 * Refuses a repeated comparison, and `=` with any other comparison, since one of the two would be lost.
 *
 * @param readings returns the values that a text may mean, such as the boolean and the string `true`. `=` matches any
 *   of them, `!=` none of them, and the other comparisons use the first.
 */
export function whereOfTexts<Value>(
  texts: readonly string[],
  readings: (text: string) => readonly [Value, ...Value[]],
  refusal: (text: string, reason: string) => Error,
): Record<string, Condition<Value>> {
  const values = new Map<string, Equal<Value>>();
  const comparisons = new Map<string, Record<string, Equal<Value>>>();
  for (const text of texts) {
    const condition = conditionOf(text);
    if (condition === undefined) throw refusal(text, 'is no condition');
    const { name, sign, value } = condition;
    const own = comparisons.get(name);
    const comparison = COMPARISONS[sign];
    const isSecond =
      values.has(name) || (own !== undefined && (comparison === undefined || Object.hasOwn(own, comparison)));
    if (isSecond) throw refusal(text, `is a second condition of ${name} that does not go with the first`);
    const read = readings(value);
    if (comparison === undefined) values.set(name, equalTo(read));
    else if (comparison === 'not') comparisons.set(name, { ...own, not: equalTo(read) });
    else comparisons.set(name, { ...own, [comparison]: read[0] });
  }
  return Object.fromEntries<Condition<Value>>([...values, ...comparisons]);
}

function equalTo<Value>(readings: readonly [Value, ...Value[]]): Equal<Value> {
  return readings.length === 1 ? readings[0] : { in: [...readings] };
}
