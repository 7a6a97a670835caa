const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const TOKEN = new RegExp(
  [
    String.raw`(?<set>[SN]S)(?<list>\[(?:${STRING},?)*\])`,
    String.raw`B(?<binary>S\[[^\]]*\]|[A-Za-z0-9+/=]*)`,
    String.raw`N(?<number>-?\d*e-?\d+)`,
    String.raw`\{"S":(?<text>${STRING})\}`,
    String.raw`\{"BOOL":(?<bool>true|false)\}|(?<nothing>\{"NULL":true\})`,
    `(?<name>${STRING})`,
    '[ML]?(?<open>[{[])',
    String.raw`(?<close>[}\]])`,
    '[,:]',
  ].join('|'),
  'gy',
);

/**
 * Parses a canonical text such as `M{"name":{"S":"Ada"},"age":N36e2}` for display: strings unquoted, other values as JSON. Returns
 * undefined for other text.
 */
export function canonicalEntries(text: string): Map<string, string> | undefined {
  const tokens = [...text.matchAll(TOKEN)];
  const length = tokens.reduce((sum, [token]) => sum + token.length, 0);
  if (tokens[0]?.[0] !== 'M{' || length !== text.length) return undefined;
  const entries = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let value = '';
  for (const { 0: token, groups = {} } of tokens.slice(1)) {
    if (depth === 0 && name === undefined) {
      if (groups['name'] !== undefined) name = JSON.parse(groups['name']) as string;
    } else if (depth === 0 && (token === ',' || token === '}')) {
      entries.set(name!, value);
      [name, value] = [undefined, ''];
    } else if (depth > 0 || token !== ':') {
      const { text: own = groups['binary'] } = groups;
      const isText = depth === 0 && own !== undefined;
      value += isText ? (groups['text'] === undefined ? own : (JSON.parse(own) as string)) : jsonOf(token, groups);
      if (groups['open'] !== undefined) depth += 1;
      if (groups['close'] !== undefined) depth -= 1;
    }
  }
  return entries;
}

function jsonOf(token: string, groups: Partial<Record<string, string>>): string {
  const { set, list, binary, number, text, bool, nothing, open } = groups;
  if (list !== undefined) return set === 'NS' ? list.replace(/"(.*?)"/g, (_, one: string) => decimalText(one)) : list;
  if (binary !== undefined) return JSON.stringify(binary);
  if (number !== undefined) return decimalText(number);
  if (nothing !== undefined) return 'null';
  return text ?? bool ?? open ?? token;
}

/** `15e1` stands for 0.15 × 10¹, which is `1.5`. */
function decimalText(canonical: string): string {
  const [, sign = '', digits = '', power = '0'] = /^(-?)(\d*)e(-?\d+)$/.exec(canonical) ?? [];
  const exponent = Number(power);
  if (digits === '') return '0';
  if (exponent > 38 || exponent < -9) return `${sign}0.${digits}e${exponent}`;
  if (exponent <= 0) return `${sign}0.${'0'.repeat(-exponent)}${digits}`;
  const whole = digits.slice(0, exponent).padEnd(exponent, '0');
  const fraction = digits.slice(exponent);
  return sign + whole + (fraction === '' ? '' : `.${fraction}`);
}
