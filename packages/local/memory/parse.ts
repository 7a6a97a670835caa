import { invalid } from './refusal.ts';
import { isReserved } from './reserved-words.ts';
import { type Token, tokensOf } from './tokens.ts';
import { checkedItem, type Value, type Values } from './values.ts';

/** An attribute name, followed by map keys and list indexes. */
export type Path = readonly (string | number)[];

export type Operand = { path: Path } | { value: Value } | { size: Path };

export type Condition =
  | { kind: 'and' | 'or'; parts: Condition[] }
  | { kind: 'not'; part: Condition }
  | { kind: 'compare'; operator: Comparator; left: Operand; right: Operand }
  | { kind: 'between'; of: Operand; from: Operand; to: Operand }
  | { kind: 'in'; of: Operand; list: Operand[] }
  | { kind: 'exists'; path: Path; isAsked: boolean }
  | { kind: 'type'; path: Path; type: Operand }
  | { kind: 'begins' | 'contains'; left: Operand; right: Operand };

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type SetValue =
  | Operand
  | { ifNotExists: Path; or: SetValue }
  | { append: [SetValue, SetValue] }
  | { sum: [SetValue, SetValue]; sign: '+' | '-' };

export interface Update {
  set: { path: Path; value: SetValue }[];
  remove: Path[];
  add: { path: Path; value: Value }[];
  delete: { path: Path; value: Value }[];
}

/** The names and values that a call's expressions refer to. The call must use each of them. */
export class Names {
  private readonly names: Readonly<Record<string, string>>;
  private readonly values: Values;
  private readonly used = new Set<string>();

  constructor(names: unknown, values: unknown) {
    this.names = (names ?? {}) as Record<string, string>;
    this.values = values === undefined || values === null ? {} : checkedItem(values);
  }

  resolveName(token: string): string {
    const name = this.names[token];
    if (name === undefined) {
      throw invalid(`An expression attribute name used in the document path is not defined; attribute name: ${token}`);
    }
    this.used.add(token);
    return name;
  }

  resolveValue(token: string): Value {
    const value = this.values[token];
    if (value === undefined) {
      throw invalid(`An expression attribute value used in expression is not defined; attribute value: ${token}`);
    }
    this.used.add(token);
    return value;
  }

  checkUsed(): void {
    for (const [what, all] of [
      ['ExpressionAttributeNames', this.names],
      ['ExpressionAttributeValues', this.values],
    ] as const) {
      const unused = Object.keys(all).find((token) => !this.used.has(token));
      if (unused !== undefined) throw invalid(`Value provided in ${what} unused in expressions: keys: {${unused}}`);
    }
  }
}

const COMPARATORS: readonly string[] = ['=', '<>', '<', '<=', '>', '>='];
const FUNCTIONS_OF_CONDITIONS = [
  'attribute_exists',
  'attribute_not_exists',
  'attribute_type',
  'begins_with',
  'contains',
];
const FUNCTIONS: readonly string[] = [...FUNCTIONS_OF_CONDITIONS, 'size', 'if_not_exists', 'list_append'];

class Parser {
  private readonly tokens: Token[];
  private at = 0;

  constructor(
    expression: string,
    private readonly what: string,
    private readonly names: Names,
  ) {
    this.tokens = tokensOf(expression, what);
  }

  parseCondition(): Condition {
    return this.parseToEnd(() => this.parseOr());
  }

  parseProjection(): Path[] {
    return this.parseToEnd(() => this.parseList(() => this.parsePath()));
  }

  parseUpdate(): Update {
    const update: Update = { set: [], remove: [], add: [], delete: [] };
    const seen = new Set<string>();
    while (this.at < this.tokens.length) {
      const clause = this.takeToken().text.toUpperCase();
      if (seen.has(clause))
        throw invalid(`Invalid ${this.what}: The "${clause}" section can only be used once in an update expression;`);
      seen.add(clause);
      const change = () => ({ path: this.parsePath(), value: this.parseValue() });
      if (clause === 'SET')
        update.set = this.parseList(() => ({
          path: this.parsePath(),
          value: this.parseAfterSign('=', () => this.parseSetValue()),
        }));
      else if (clause === 'REMOVE') update.remove = this.parseList(() => this.parsePath());
      else if (clause === 'ADD') update.add = this.parseList(change);
      else if (clause === 'DELETE') update.delete = this.parseList(change);
      else throw this.unexpectedToken(this.at - 1);
    }
    return update;
  }

  private parseOr(): Condition {
    return this.parseJoined('or', () => this.parseJoined('and', () => this.parseOne()));
  }

  private parseJoined(kind: 'and' | 'or', parse: () => Condition): Condition {
    const parts = [parse()];
    while (this.takeWord(kind.toUpperCase())) parts.push(parse());
    return parts.length === 1 ? parts[0]! : { kind, parts };
  }

  private parseOne(): Condition {
    if (this.takeWord('NOT')) return { kind: 'not', part: this.parseOne() };
    if (this.isNextSign('(')) {
      this.at += 1;
      const inner = this.parseOr();
      this.takeSign(')');
      return inner;
    }
    const asked = this.takeCallStart(FUNCTIONS_OF_CONDITIONS);
    if (asked === undefined) return this.parseComparison(this.parseOperand());
    const condition = this.parseArguments(asked);
    this.takeSign(')');
    return condition;
  }

  private parseArguments(asked: string): Condition {
    if (asked === 'attribute_exists' || asked === 'attribute_not_exists') {
      return { kind: 'exists', path: this.parsePath(), isAsked: asked === 'attribute_exists' };
    }
    if (asked === 'attribute_type') {
      return { kind: 'type', path: this.parsePath(), type: this.parseAfterSign(',', () => this.parseOperand()) };
    }
    const kind = asked === 'contains' ? 'contains' : 'begins';
    return { kind, left: this.parseOperand(), right: this.parseAfterSign(',', () => this.parseOperand()) };
  }

  private parseComparison(left: Operand): Condition {
    if (this.takeWord('BETWEEN')) {
      const from = this.parseOperand();
      if (!this.takeWord('AND')) throw this.unexpectedToken(this.at);
      return { kind: 'between', of: left, from, to: this.parseOperand() };
    }
    if (this.takeWord('IN')) {
      this.takeSign('(');
      const list = this.parseList(() => this.parseOperand());
      this.takeSign(')');
      return { kind: 'in', of: left, list };
    }
    const token = this.takeToken();
    if (!COMPARATORS.includes(token.text)) throw this.unexpectedToken(this.at - 1);
    return { kind: 'compare', operator: token.text as Comparator, left, right: this.parseOperand() };
  }

  private parseOperand(): Operand {
    if (this.tokens[this.at]?.kind === 'value') return { value: this.parseValue() };
    if (this.takeCallStart(['size']) === undefined) return { path: this.parsePath() };
    const size = this.parsePath();
    this.takeSign(')');
    return { size };
  }

  private parseSetValue(): SetValue {
    const left = this.parseSetOperand();
    const sign = this.tokens[this.at]?.text;
    if (sign !== '+' && sign !== '-') return left;
    this.at += 1;
    return { sum: [left, this.parseSetOperand()], sign };
  }

  private parseSetOperand(): SetValue {
    const name = this.takeCallStart(['if_not_exists', 'list_append']);
    if (name === undefined) return this.parseOperand();
    if (name === 'if_not_exists') {
      const path = this.parsePath();
      const or = this.parseAfterSign(',', () => this.parseSetValue());
      this.takeSign(')');
      return { ifNotExists: path, or };
    }
    const first = this.parseSetValue();
    const second = this.parseAfterSign(',', () => this.parseSetValue());
    this.takeSign(')');
    return { append: [first, second] };
  }

  private parsePath(): Path {
    const path: (string | number)[] = [this.parseAttributeName()];
    for (;;) {
      const token = this.tokens[this.at];
      if (token?.kind === 'index') path.push(Number(token.text));
      else if (token?.kind === 'sign' && token.text === '.') {
        this.at += 1;
        path.push(this.parseAttributeName());
        continue;
      } else return path;
      this.at += 1;
    }
  }

  private parseAttributeName(): string {
    const { kind, text } = this.takeToken();
    if (kind === 'name') return this.names.resolveName(text);
    if (kind !== 'word') throw this.unexpectedToken(this.at - 1);
    if (isReserved(text)) {
      throw invalid(`Invalid ${this.what}: Attribute name is a reserved keyword; reserved keyword: ${text}`);
    }
    return text;
  }

  private parseValue(): Value {
    const { kind, text } = this.takeToken();
    if (kind !== 'value') throw this.unexpectedToken(this.at - 1);
    return this.names.resolveValue(text);
  }

  private takeCallStart(functions: readonly string[]): string | undefined {
    const token = this.tokens[this.at];
    const next = this.tokens[this.at + 1];
    if (token?.kind !== 'word' || next?.text !== '(' || !functions.includes(token.text)) {
      if (token?.kind === 'word' && next?.text === '(' && !FUNCTIONS.includes(token.text)) {
        throw invalid(`Invalid ${this.what}: Invalid function name; function: ${token.text}`);
      }
      return undefined;
    }
    this.at += 2;
    return token.text;
  }

  private takeWord(text: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== 'word' || token.text.toUpperCase() !== text) return false;
    this.at += 1;
    return true;
  }

  private isNextSign(text: string): boolean {
    const token = this.tokens[this.at];
    return token?.kind === 'sign' && token.text === text;
  }

  private parseAfterSign<T>(text: string, one: () => T): T {
    this.takeSign(text);
    return one();
  }

  private takeSign(text: string): void {
    if (!this.isNextSign(text)) throw this.unexpectedToken(this.at);
    this.at += 1;
  }

  private takeToken(): Token {
    const token = this.tokens[this.at];
    if (token === undefined) throw this.unexpectedToken(this.at);
    this.at += 1;
    return token;
  }

  private parseList<T>(one: () => T): T[] {
    const all = [one()];
    while (this.isNextSign(',')) {
      this.at += 1;
      all.push(one());
    }
    return all;
  }

  private parseToEnd<T>(parse: () => T): T {
    const parsed = parse();
    if (this.at < this.tokens.length) throw this.unexpectedToken(this.at);
    return parsed;
  }

  private unexpectedToken(at: number): Error {
    const text = this.tokens[at]?.text ?? '<EOF>';
    return invalid(`Invalid ${this.what}: Syntax error; token: "${text}"`);
  }
}

export function parseCondition(expression: string, what: string, names: Names): Condition {
  return new Parser(expression, what, names).parseCondition();
}

export function parseUpdate(expression: string, names: Names): Update {
  const update = new Parser(expression, 'UpdateExpression', names).parseUpdate();
  const paths = [...update.set, ...update.add, ...update.delete].map(({ path }) => path).concat(update.remove);
  for (const [i, path] of paths.entries()) {
    if (paths.slice(0, i).some((other) => overlaps(path, other))) {
      throw invalid(
        `Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [${path.join(', ')}]`,
      );
    }
  }
  return update;
}

export function parseProjection(expression: string, names: Names): Path[] {
  return new Parser(expression, 'ProjectionExpression', names).parseProjection();
}

function overlaps(left: Path, right: Path): boolean {
  const shorter = Math.min(left.length, right.length);
  return left.slice(0, shorter).every((step, i) => step === right[i]);
}
