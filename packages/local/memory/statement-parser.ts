import { invalid, type Refusal } from './refusal.ts';

type Parameter = number;

export type Statement =
  | { kind: 'insert'; table: string; values: [name: string, value: Parameter][] }
  | {
      kind: 'update';
      table: string;
      set: [name: string, value: Parameter][];
      remove: string[];
      where: [name: string, value: Parameter][];
    };

interface Token {
  kind: 'name' | 'text' | 'word' | 'sign';
  text: string;
}

const TOKEN = /\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|(\w+)|([?{}:,=]))/y;

/**
 * Parses an insert or update with a parameter for each value: `INSERT INTO "t" VALUE {'a': ?}`,
 * `UPDATE "t" SET "a" = ? REMOVE "b" WHERE "k" = ? AND "r" = ?`. SET and REMOVE may be repeated.
 */
export function parseStatement(text: string): Statement {
  return new StatementParser(text).parse();
}

export function parametersOf(statement: Statement): number {
  return statement.kind === 'insert' ? statement.values.length : statement.set.length + statement.where.length;
}

class StatementParser {
  private readonly tokens: Token[];
  private at = 0;
  private parameters = 0;

  constructor(private readonly text: string) {
    this.tokens = this.split();
  }

  parse(): Statement {
    if (this.takeWord('INSERT')) return this.parseInsert();
    if (this.takeWord('UPDATE')) return this.parseUpdate();
    throw malformed(`${this.text}: the engine in memory takes INSERT and UPDATE`);
  }

  private parseInsert(): Statement {
    this.expectWord('INTO');
    const table = this.takeName();
    this.expectWord('VALUE');
    this.expectSign('{');
    const values: [string, Parameter][] = [];
    do {
      const name = this.take('text');
      this.expectSign(':');
      values.push([name, this.takeParameter()]);
    } while (this.takeSign(','));
    this.expectSign('}');
    this.expectEnd();
    const names = values.map(([name]) => name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw invalid(`Duplicate keys in tuple. Key: ${twice} under root`);
    return { kind: 'insert', table, values };
  }

  private parseUpdate(): Statement {
    const table = this.takeName();
    const set: [string, Parameter][] = [];
    const remove: string[] = [];
    for (;;) {
      if (this.takeWord('SET')) {
        do set.push(this.takeEquation());
        while (this.takeSign(','));
      } else if (this.takeWord('REMOVE')) remove.push(this.takeName());
      else break;
    }
    if (set.length + remove.length === 0) throw this.unexpected();
    this.expectWord('WHERE');
    const where = [this.takeEquation()];
    while (this.takeWord('AND')) where.push(this.takeEquation());
    this.expectEnd();
    return { kind: 'update', table, set, remove, where };
  }

  private takeEquation(): [string, Parameter] {
    const name = this.takeName();
    this.expectSign('=');
    return [name, this.takeParameter()];
  }

  private takeParameter(): Parameter {
    this.expectSign('?');
    return this.parameters++;
  }

  private takeName(): string {
    return this.tokens[this.at]?.kind === 'word' ? this.take('word') : this.take('name');
  }

  private take(kind: Token['kind']): string {
    const token = this.tokens[this.at];
    if (token?.kind !== kind) throw this.unexpected();
    this.at += 1;
    return token.text;
  }

  private takeWord(text: string): boolean {
    const token = this.tokens[this.at];
    return this.takeIf(token?.kind === 'word' && token.text.toUpperCase() === text);
  }

  private takeSign(text: string): boolean {
    const token = this.tokens[this.at];
    return this.takeIf(token?.kind === 'sign' && token.text === text);
  }

  private takeIf(isThere: boolean): boolean {
    if (isThere) this.at += 1;
    return isThere;
  }

  private expectWord(text: string): void {
    if (!this.takeWord(text)) throw this.unexpected();
  }

  private expectSign(text: string): void {
    if (!this.takeSign(text)) throw this.unexpected();
  }

  private expectEnd(): void {
    if (this.at < this.tokens.length) throw this.unexpected();
  }

  private unexpected(): Refusal {
    return malformed(this.text);
  }

  private split(): Token[] {
    const tokens: Token[] = [];
    const end = this.text.trimEnd().length;
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < end) {
      const match = TOKEN.exec(this.text);
      if (match === null) throw malformed(this.text);
      const [, name, text, word, sign] = match;
      if (name !== undefined) tokens.push({ kind: 'name', text: name.replaceAll('""', '"') });
      else if (text !== undefined) tokens.push({ kind: 'text', text: text.replaceAll("''", "'") });
      else if (word !== undefined) tokens.push({ kind: 'word', text: word });
      else tokens.push({ kind: 'sign', text: sign! });
    }
    return tokens;
  }
}

function malformed(detail: string): Refusal {
  return invalid(`Statement wasn't well formed, can't be processed: ${detail}`);
}
