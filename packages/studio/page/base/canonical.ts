type Shown = string | ReadonlyMap<string, Shown> | Shown[] | Json;

class Json {
  constructor(readonly text: string) {}
}

/**
 * Attributes of a canonical text such as `M{"name":{"S":"Ada"},"age":N36e2}`, as people write them. Undefined: not canonical.
 */
export function canonicalEntries(text: string): Map<string, string> | undefined {
  try {
    const reader = new CanonicalReader(text);
    const entries = reader.map();
    return reader.isAtEnd ? new Map(entries.map(([name, value]) => [name, shownText(value)])) : undefined;
  } catch (error) {
    if (error instanceof NotCanonical) return undefined;
    throw error;
  }
}

class NotCanonical extends Error {}

class CanonicalReader {
  private at = 0;

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.at === this.text.length;
  }

  map(): [string, Shown][] {
    return this.list('M{', '}', () => {
      const name = JSON.parse(this.take(/"(?:[^"\\]|\\.)*"/y)) as string;
      this.take(/:/y);
      return [name, this.value()];
    });
  }

  private value(): Shown {
    const [kind] = this.text.slice(this.at, this.at + 1);
    if (kind === 'N' && this.text[this.at + 1] !== 'S') return this.number();
    if (kind === 'M') return new Map(this.map());
    if (kind === 'L') return this.list('L[', ']', () => this.value());
    if (kind === 'B') return this.take(/B(?:S\[[^\]]*\]|[A-Za-z0-9+/=]*)/y).slice(1);
    if (kind === 'S' || kind === 'N') return this.set();
    const [[type, value] = []] = Object.entries(
      JSON.parse(this.take(/\{"\w+":(?:"(?:[^"\\]|\\.)*"|\w+)\}/y)) as object,
    );
    return type === 'S' ? (value as string) : new Json(type === 'NULL' ? 'null' : String(value));
  }

  private set(): Shown {
    const text = this.take(/[SN]S\[(?:"(?:[^"\\]|\\.)*",?)*\]/y);
    const values = JSON.parse(text.slice(2)) as string[];
    return text.startsWith('N') ? values.map((value) => new Json(decimalText(value))) : values;
  }

  private number(): Shown {
    return new Json(decimalText(this.take(/N-?\d*e-?\d+/y).slice(1)));
  }

  private list<T>(start: string, end: string, one: () => T): T[] {
    if (!this.text.startsWith(start, this.at)) throw new NotCanonical();
    this.at += start.length;
    const all: T[] = [];
    while (this.text[this.at] !== end) {
      if (all.length > 0) this.take(/,/y);
      all.push(one());
    }
    this.at += end.length;
    return all;
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [];
    if (found === undefined) throw new NotCanonical();
    this.at += found.length;
    return found;
  }
}

/** `15e1` is 0.15 × 10¹, so `1.5`. */
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

function shownText(value: Shown): string {
  return typeof value === 'string' ? value : jsonOf(value);
}

function jsonOf(value: Shown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (value instanceof Json) return value.text;
  const entries = [...value].map(([name, one]) => `${JSON.stringify(name)}:${jsonOf(one)}`);
  return `{${entries.join(',')}}`;
}
