/** Reads filters as typed in the command line and the studio, such as `status=open` or `points>=3`. */

const CONDITION = /^([^=<>!]+)(!=|<=|>=|=|<|>)/;
const COMPARISONS: Readonly<Record<string, string>> = { '!=': 'not', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' };

function conditionOf(text: string): { name: string; sign: string; value: string } | undefined {
  const [start, name, sign] = CONDITION.exec(text) ?? [];
  return start === undefined ? undefined : { name: name!, sign: sign!, value: text.slice(start.length) };
}

/** Refuses a repeated comparison, and `=` besides any other, since one of the two would be lost. */
export function whereOfTexts<Value>(
  texts: readonly string[],
  read: (text: string) => Value,
  refusal: (text: string, reason: string) => Error,
): Record<string, Value | Record<string, Value>> {
  const values = new Map<string, Value>();
  const comparisons = new Map<string, Record<string, Value>>();
  for (const text of texts) {
    const condition = conditionOf(text);
    if (condition === undefined) throw refusal(text, 'is no condition');
    const { name, sign, value } = condition;
    const own = comparisons.get(name);
    const comparison = COMPARISONS[sign];
    const isSecond =
      values.has(name) || (own !== undefined && (comparison === undefined || Object.hasOwn(own, comparison)));
    if (isSecond) throw refusal(text, `is a second condition of ${name} that does not go with the first`);
    if (comparison === undefined) values.set(name, read(value));
    else comparisons.set(name, { ...own, [comparison]: read(value) });
  }
  return Object.fromEntries<Value | Record<string, Value>>([...values, ...comparisons]);
}
