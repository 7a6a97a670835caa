import { invalid } from './refusal.ts';
import { isReserved } from './reserved-words.ts';
import { type Token, tokensOf } from './tokens.ts';
import { checkedItem, type Value, type Values } from './values.ts';

/** A place in an item: the attribute's name, then names of maps and numbers of lists. */
export type Path = readonly (string | number)[];

/** One side of a comparison. */
export type Operand = { path: Path } | { value: Value } | { size: Path };

/** A condition. */
export type Condition =
  | { kind: 'and' | 'or'; parts: Condition[] }
  | { kind: 'not'; part: Condition }
  | { kind: 'compare'; operator: Comparator; left: Operand; right: Operand }
  | { kind: 'between'; of: Operand; from: Operand; to: Operand }
  | { kind: 'in'; of: Operand; list: Operand[] }
  | { kind: 'exists'; path: Path; isAsked: boolean }
  | { kind: 'type'; path: Path; type: Operand }
  | { kind: 'begins' | 'contains'; left: Operand; right: Operand };

/** A comparison's sign. */
export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** The value that an action of an update sets. */
export type SetValue =
  | Operand
  | { ifNotExists: Path; or: SetValue }
  | { append: [SetValue, SetValue] }
  | { sum: [SetValue, SetValue]; sign: '+' | '-' };

/** An update: each part is a list of its actions. */
export interface Update {
  set: { path: Path; value: SetValue }[];
  remove: Path[];
  add: { path: Path; value: Value }[];
  delete: { path: Path; value: Value }[];
}

/** The names and values of a call's expressions. Each of them has to be used. */
export class Names {
  private readonly names: Readonly<Record<string, string>>;
  private readonly values: Values;
  private readonly used = new Set<string>();

  constructor(names: unknown, values: unknown) {
    this.names = (names ?? {}) as Record<string, string>;
    this.values = values === undefined || values === null ? {} : checkedItem(values);
  }

  name(token: string): string {
    const name = this.names[token];
    if (name === undefined) {
      throw invalid(`An expression attribute name used in the document path is not defined; attribute name: ${token}`);
    }
    this.used.add(token);
    return name;
  }

  value(token: string): Value {
    const value = this.values[token];
    if (value === undefined) {
      throw invalid(`An expression attribute value used in expression is not defined; attribute value: ${token}`);
    }
    this.used.add(token);
    return value;
  }

  /** Refuses a call with a name or a value that no expression uses. */
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
const FUNCTIONS: readonly string[] = [
  'attribute_exists',
  'attribute_not_exists',
  'attribute_type',
  'begins_with',
  'contains',
  'size',
];

/** Parses one expression from its beginning to its end. */
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

  condition(): Condition {
    return this.whole(() => this.either());
  }

  projection(): Path[] {
    return this.whole(() => this.separated(() => this.path()));
  }

  update(): Update {
    const update: Update = { set: [], remove: [], add: [], delete: [] };
    const seen = new Set<string>();
    while (this.at < this.tokens.length) {
      const clause = this.take().text.toUpperCase();
      if (seen.has(clause))
        throw invalid(`Invalid ${this.what}: The "${clause}" section can only be used once in an update expression;`);
      seen.add(clause);
      if (clause === 'SET')
        update.set = this.separated(() => ({ path: this.path(), value: this.behind('=', () => this.setValue()) }));
      else if (clause === 'REMOVE') update.remove = this.separated(() => this.path());
      else if (clause === 'ADD') update.add = this.separated(() => ({ path: this.path(), value: this.value() }));
      else if (clause === 'DELETE') update.delete = this.separated(() => ({ path: this.path(), value: this.value() }));
      else throw this.unexpected(this.at - 1);
    }
    return update;
  }

  private either(): Condition {
    const parts = [this.all()];
    while (this.word('OR')) parts.push(this.all());
    return parts.length === 1 ? parts[0]! : { kind: 'or', parts };
  }

  private all(): Condition {
    const parts = [this.single()];
    while (this.word('AND')) parts.push(this.single());
    return parts.length === 1 ? parts[0]! : { kind: 'and', parts };
  }

  private single(): Condition {
    if (this.word('NOT')) return { kind: 'not', part: this.single() };
    if (this.isSign('(')) {
      this.at += 1;
      const inner = this.either();
      this.sign(')');
      return inner;
    }
    const asked = this.call(['attribute_exists', 'attribute_not_exists']);
    if (asked !== undefined) {
      const path = this.path();
      this.sign(')');
      return { kind: 'exists', path, isAsked: asked === 'attribute_exists' };
    }
    if (this.call(['attribute_type']) !== undefined) {
      const path = this.path();
      const type = this.behind(',', () => this.operand());
      this.sign(')');
      return { kind: 'type', path, type };
    }
    const kind = this.call(['begins_with', 'contains']);
    if (kind !== undefined) {
      const left = this.operand();
      const right = this.behind(',', () => this.operand());
      this.sign(')');
      return { kind: kind === 'contains' ? 'contains' : 'begins', left, right };
    }
    return this.comparison(this.operand());
  }

  private comparison(left: Operand): Condition {
    if (this.word('BETWEEN')) {
      const from = this.operand();
      if (!this.word('AND')) throw this.unexpected(this.at);
      return { kind: 'between', of: left, from, to: this.operand() };
    }
    if (this.word('IN')) {
      this.sign('(');
      const list = this.separated(() => this.operand());
      this.sign(')');
      return { kind: 'in', of: left, list };
    }
    const token = this.take();
    if (!COMPARATORS.includes(token.text)) throw this.unexpected(this.at - 1);
    return { kind: 'compare', operator: token.text as Comparator, left, right: this.operand() };
  }

  private operand(): Operand {
    if (this.tokens[this.at]?.kind === 'value') return { value: this.value() };
    if (this.call(['size']) === undefined) return { path: this.path() };
    const size = this.path();
    this.sign(')');
    return { size };
  }

  private setValue(): SetValue {
    const left = this.setOperand();
    const sign = this.tokens[this.at]?.text;
    if (sign !== '+' && sign !== '-') return left;
    this.at += 1;
    return { sum: [left, this.setOperand()], sign };
  }

  private setOperand(): SetValue {
    const name = this.call(['if_not_exists', 'list_append']);
    if (name === undefined) return this.operand();
    if (name === 'if_not_exists') {
      const path = this.path();
      const or = this.behind(',', () => this.setValue());
      this.sign(')');
      return { ifNotExists: path, or };
    }
    const first = this.setValue();
    const second = this.behind(',', () => this.setValue());
    this.sign(')');
    return { append: [first, second] };
  }

  private path(): Path {
    const path: (string | number)[] = [this.attribute()];
    for (;;) {
      const token = this.tokens[this.at];
      if (token?.kind === 'index') path.push(Number(token.text));
      else if (token?.kind === 'sign' && token.text === '.') {
        this.at += 1;
        path.push(this.attribute());
        continue;
      } else return path;
      this.at += 1;
    }
  }

  private attribute(): string {
    const { kind, text } = this.take();
    if (kind === 'name') return this.names.name(text);
    if (kind !== 'word') throw this.unexpected(this.at - 1);
    if (isReserved(text)) {
      throw invalid(`Invalid ${this.what}: Attribute name is a reserved keyword; reserved keyword: ${text}`);
    }
    return text;
  }

  private value(): Value {
    const { kind, text } = this.take();
    if (kind !== 'value') throw this.unexpected(this.at - 1);
    return this.names.value(text);
  }

  /** Takes the beginning of a call of one of some functions. */
  private call(functions: readonly string[]): string | undefined {
    const token = this.tokens[this.at];
    const next = this.tokens[this.at + 1];
    if (token?.kind !== 'word' || next?.text !== '(' || !functions.includes(token.text)) {
      if (
        token?.kind === 'word' &&
        next?.text === '(' &&
        ![...FUNCTIONS, 'if_not_exists', 'list_append'].includes(token.text)
      ) {
        throw invalid(`Invalid ${this.what}: Invalid function name; function: ${token.text}`);
      }
      return undefined;
    }
    this.at += 2;
    return token.text;
  }

  private word(text: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== 'word' || token.text.toUpperCase() !== text) return false;
    this.at += 1;
    return true;
  }

  private isSign(text: string): boolean {
    const token = this.tokens[this.at];
    return token?.kind === 'sign' && token.text === text;
  }

  private behind<T>(text: string, one: () => T): T {
    this.sign(text);
    return one();
  }

  private sign(text: string): void {
    if (!this.isSign(text)) throw this.unexpected(this.at);
    this.at += 1;
  }

  private take(): Token {
    const token = this.tokens[this.at];
    if (token === undefined) throw this.unexpected(this.at);
    this.at += 1;
    return token;
  }

  private separated<T>(one: () => T): T[] {
    const all = [one()];
    while (this.isSign(',')) {
      this.at += 1;
      all.push(one());
    }
    return all;
  }

  private whole<T>(parse: () => T): T {
    const parsed = parse();
    if (this.at < this.tokens.length) throw this.unexpected(this.at);
    return parsed;
  }

  private unexpected(at: number): Error {
    const text = this.tokens[at]?.text ?? '<EOF>';
    return invalid(`Invalid ${this.what}: Syntax error; token: "${text}"`);
  }
}

/** Parses a condition, a filter or a condition of a key. @param what the parameter's name. */
export function parseCondition(expression: string, what: string, names: Names): Condition {
  return new Parser(expression, what, names).condition();
}

/** Parses an update. Two actions on one place are refused. */
export function parseUpdate(expression: string, names: Names): Update {
  const update = new Parser(expression, 'UpdateExpression', names).update();
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

/** Parses the places that a projection names. */
export function parseProjection(expression: string, names: Names): Path[] {
  return new Parser(expression, 'ProjectionExpression', names).projection();
}

function overlaps(left: Path, right: Path): boolean {
  const shorter = Math.min(left.length, right.length);
  return left.slice(0, shorter).every((step, i) => step === right[i]);
}
