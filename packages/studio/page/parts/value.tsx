import { stringify } from 'lossless-json';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { byKey } from '../../../../src/foundation/entries.ts';
import { canonicalEntries } from '../base/canonical.ts';
import { Rows } from './rows.tsx';

const SHORT = 300;

/** Control characters, such as those between the parts of a key, and the last code point. */
const SHAPELESS = /([\0-\x08\x0b-\x1f\x7f\u{10ffff}]+)/u;

/** Shows a string from the table in its own direction. Shortens long strings. */
export function Text({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > SHORT;
  const shown = isLong && !isWhole ? `${text.slice(0, SHORT)}…` : text;
  return (
    <>
      <bdi class="value">
        {shown.split(SHAPELESS).map((part, i) => (i % 2 === 0 ? part : <span class="separator">·</span>))}
      </bdi>
      {isLong && ' '}
      {isLong && (
        <button type="button" class="small" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${text.length.toLocaleString('en')} characters`}
        </button>
      )}
    </>
  );
}

export function Value({ value, indent }: { value: unknown; indent?: number }) {
  return <Text text={typeof value === 'string' ? value : jsonText(value, indent)} />;
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>
        <bdi>{name}</bdi>
      </dt>
      <dd>{children}</dd>
    </>
  );
}

export function jsonText(value: unknown, indent?: number): string {
  return stringify(value, withSortedNames, indent) ?? 'null';
}

/** Engines return attributes and the entries of maps in any order. The studio's server sorts sets before it sends them. */
function withSortedNames(_name: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isObject ? Object.fromEntries(Object.entries(value).sort(byKey)) : value;
}

export function Attributes({ attributes }: { attributes: Record<string, unknown> }) {
  const entries = Object.entries(attributes).sort(byKey);
  if (entries.length === 0) return <p class="quiet">No attributes.</p>;
  return (
    <dl>
      {entries.map(([name, value]) => (
        <Fact key={name} name={name}>
          <Value value={value} indent={2} />
        </Fact>
      ))}
    </dl>
  );
}

/** For two maps, shows only attributes that differ. Null means no item. */
export function Difference({ of, expected, stored }: { of: ItemKey; expected: string | null; stored: string | null }) {
  const [left, right] = [expected, stored].map((text) =>
    text === null ? new Map<string, string>() : canonicalEntries(text),
  );
  const texts: [name: string, expected: string | null, stored: string | null][] =
    left === undefined || right === undefined
      ? [['', expected, stored]]
      : [...new Set([...left.keys(), ...right.keys()])]
          .sort()
          .filter((name) => left.get(name) !== right.get(name))
          .map((name) => [name, left.get(name) ?? null, right.get(name) ?? null]);
  return (
    <Rows
      label={`Difference of ${of.source} ${of.target}`}
      headings={['attribute', 'expected', 'stored']}
      rows={texts.map(([name, own, other]) => [<bdi>{name}</bdi>, marked('ins', own), marked('del', other)])}
    />
  );
}

function marked(Mark: 'ins' | 'del', text: string | null) {
  if (text === null) return <em>nothing</em>;
  return (
    <Mark>
      <Text text={text} />
    </Mark>
  );
}
