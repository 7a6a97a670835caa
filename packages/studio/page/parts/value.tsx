import { isLosslessNumber, stringify } from 'lossless-json';
import { useState } from 'preact/hooks';
import { canonicalEntries } from '../base/canonical.ts';

const SHORT = 300;

/** Control characters, such as between the parts of a key. */
const SHAPELESS = /([\0-\x08\x0b-\x1f\x7f\u{10ffff}]+)/u;

function Characters({ text }: { text: string }) {
  return <>{text.split(SHAPELESS).map((part, i) => (i % 2 === 0 ? part : <span class="separator">·</span>))}</>;
}

export function Text({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= SHORT)
    return (
      <bdi class="value">
        <Characters text={text} />
      </bdi>
    );
  return (
    <>
      <bdi class="value">
        <Characters text={isWhole ? text : `${text.slice(0, SHORT)}…`} />
      </bdi>{' '}
      <button type="button" class="small" onClick={() => setWhole(!isWhole)}>
        {isWhole ? 'Show less' : `Show all ${text.length.toLocaleString('en')} characters`}
      </button>
    </>
  );
}

export function InlineValue({ value }: { value: unknown }) {
  return <Text text={typeof value === 'string' ? value : jsonText(value)} />;
}

const MOST_ENTRIES = 50;

export function AnyValue({ value }: { value: unknown }) {
  const entries = entriesOf(value);
  if (entries === undefined || entries.length === 0 || entries.length > MOST_ENTRIES)
    return <InlineValue value={value} />;
  if (Array.isArray(value)) {
    return (
      <ul class="nested">
        {value.map((one, i) => (
          <li key={i}>
            <AnyValue value={one} />
          </li>
        ))}
      </ul>
    );
  }
  return <NamedValues kind="nested" entries={entries} />;
}

/** Lossless numbers are objects, too. */
function entriesOf(value: unknown): [string, unknown][] | undefined {
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return undefined;
  return Object.entries(value);
}

export function jsonText(value: unknown, indent?: number): string {
  return stringify(value, undefined, indent) ?? 'null';
}

export function Attributes({ attributes }: { attributes: Record<string, unknown> }) {
  // Engines return attributes in any order.
  const entries = Object.entries(attributes).sort(([left], [right]) => (left < right ? -1 : 1));
  if (entries.length === 0) return <p class="quiet">No attributes.</p>;
  return <NamedValues kind="attributes" entries={entries} />;
}

/** Marks the difference; two maps are compared by attribute. Null: nothing. */
export function Difference({ expected, stored }: { expected: string | null; stored: string | null }) {
  const maps = [expected, stored].map((text) => (text === null ? new Map<string, string>() : canonicalEntries(text)));
  const [left, right] = maps;
  if (expected !== stored && left !== undefined && right !== undefined && left.size + right.size > 0) {
    return <DifferentEntries expected={left} stored={right} />;
  }
  const [start, end] = sameEnds(expected ?? '', stored ?? '');
  return (
    <dl class="difference">
      <div>
        <dt>expected</dt>
        <dd>{expected === null ? <em>nothing</em> : <Marked text={expected} start={start} end={end} isWanted />}</dd>
      </div>
      <div>
        <dt>stored</dt>
        <dd>{stored === null ? <em>nothing</em> : <Marked text={stored} start={start} end={end} />}</dd>
      </div>
    </dl>
  );
}

function DifferentEntries({
  expected,
  stored,
}: {
  expected: ReadonlyMap<string, string>;
  stored: ReadonlyMap<string, string>;
}) {
  const names = [...new Set([...expected.keys(), ...stored.keys()])].sort();
  return (
    <table class="difference">
      <thead>
        <tr>
          {['attribute', 'expected', 'stored'].map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {names.map((name) => {
          const [own, other] = [expected.get(name), stored.get(name)];
          const [start, end] = sameEnds(own ?? '', other ?? '');
          return (
            <tr key={name}>
              <th scope="row">
                <bdi>{name}</bdi>
              </th>
              <td>{own === undefined ? <em>nothing</em> : <Marked text={own} start={start} end={end} isWanted />}</td>
              <td>{other === undefined ? <em>nothing</em> : <Marked text={other} start={start} end={end} />}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Marked({
  text,
  start,
  end,
  isWanted = false,
}: {
  text: string;
  start: number;
  end: number;
  isWanted?: boolean;
}) {
  const middle = text.slice(start, text.length - end);
  const Mark = isWanted ? 'ins' : 'del';
  return (
    <bdi class="value">
      <Text text={text.slice(0, start)} />
      {middle !== '' && (
        <Mark>
          <Text text={middle} />
        </Mark>
      )}
      <Text text={text.slice(text.length - end)} />
    </bdi>
  );
}

/** The lengths of the common prefix and suffix. */
function sameEnds(left: string, right: string): [start: number, end: number] {
  const most = Math.min(left.length, right.length);
  let start = 0;
  while (start < most && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < most - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  return [start, end];
}

function NamedValues({ kind, entries }: { kind: 'nested' | 'attributes'; entries: readonly [string, unknown][] }) {
  return (
    <dl class={kind}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            <bdi>{name}</bdi>
          </dt>
          <dd>
            <AnyValue value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
