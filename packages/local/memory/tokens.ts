import { invalid } from './refusal.ts';

/** `text` includes the `#` or `:` of a placeholder. */
export interface Token {
  kind: 'word' | 'name' | 'value' | 'index' | 'sign';
  text: string;
}

/** DynamoDB's limit for an expression. */
const MOST_BYTES = 4096;
const TOKEN = /\s{0,4096}(?:(#\w{1,4096})|(:\w{1,4096})|\[(\d{1,10})\]|(<=|>=|<>|[=<>(),.+-])|([A-Za-z_]\w{0,4096}))/y;

export function tokensOf(expression: string, what: string): Token[] {
  if (typeof expression !== 'string') throw invalid(`Invalid ${what}: a text is expected`);
  if (expression.trim() === '') throw invalid(`Invalid ${what}: The expression can not be empty;`);
  if (Buffer.byteLength(expression) > MOST_BYTES) {
    throw invalid(
      `Invalid ${what}: Expression size has exceeded the maximum allowed size; expression size: ${expression.length}`,
    );
  }
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = expression.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(expression);
    if (match === null) {
      throw invalid(`Invalid ${what}: Syntax error; token: "${expression.slice(from, from + 10).trim()}"`);
    }
    const [, name, value, index, sign, word] = match;
    if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else if (value !== undefined) tokens.push({ kind: 'value', text: value });
    else if (index !== undefined) tokens.push({ kind: 'index', text: index });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
    else tokens.push({ kind: 'word', text: word! });
  }
  return tokens;
}
