import { type AttributeValue, bytesOfBase64, typeOf } from './attribute-value.ts';
import { compareKeys, typeName } from './encoding.ts';
import { isHashedName } from './hashed-key.ts';

/**
 * An element looks like `GOALMEMBERSHIP-USER-U1|memberRole=LEAD`. A label is its name, a mark for the type, and the
 * value. `%` and `|` are percent-encoded, and in names also the marks. A hashed key doesn't contain the target, so the
 * element names the target in a label that no model can declare: `FRIEND-#95db…|target=USER-U2`.
 */

/** Every entry of an edge set has these fields, so no label may be named after one. */
export const ENTRY_FIELDS: ReadonlySet<string> = new Set(['type', 'target', 'copy']);

export interface EdgeElement {
  type: string;
  target: string;
  labels: [name: string, value: AttributeValue][];
}

export class LabelError extends Error {}

const TARGET_LABEL = 'target';

const MARKS = { S: '=', N: ':', BOOL: '?', NULL: '!', B: '*' } as const;
const MARK = /[=:?!*]/;

export function encodeElement(edgeKey: string, labels: readonly (readonly [string, AttributeValue])[]): string {
  let element = escapeText(edgeKey);
  for (const [name, value] of labels) element += labelEncoder(name)(value);
  return element;
}

const REMEMBERED_VALUES = 100;
const REMEMBERED_CHARACTERS = 40;

export function labelEncoder(name: string): (value: AttributeValue) => string {
  const start = `|${name.replace(/[%|=:?!*]/g, percentEncoded)}`;
  const remembered = new Map<string, string>();
  return (value) => {
    if (!('S' in value) || value.S.length > REMEMBERED_CHARACTERS) return start + encodeLabelValue(value);
    let text = remembered.get(value.S);
    if (text === undefined) {
      text = start + encodeLabelValue(value);
      if (remembered.size < REMEMBERED_VALUES) remembered.set(value.S, text);
    }
    return text;
  };
}

export function escapedEdgeOfElement(element: string): string {
  const end = element.indexOf('|');
  return end < 0 ? element : element.slice(0, end);
}

export function isElementOf(escapedEdgeKey: string, element: string): boolean {
  if (!element.startsWith(escapedEdgeKey)) return false;
  return element.length === escapedEdgeKey.length || element[escapedEdgeKey.length] === '|';
}

export function escapedEdge(edgeKey: string): string {
  return escapeText(edgeKey);
}

export function escapedHashedEdge(edgeKey: string, target: string): string {
  return escapedEdge(edgeKey) + labelEncoder(TARGET_LABEL)({ S: target });
}

export function decodeElement(element: string): EdgeElement | undefined {
  const [edge, ...parts] = element.split('|');
  const key = unescapeText(edge!);
  const dash = key.indexOf('-');
  if (dash <= 0) return undefined;
  const labels: EdgeElement['labels'] = [];
  for (const part of parts) {
    const mark = part.search(MARK);
    if (mark < 0) return undefined;
    const value = decodeLabel(part[mark]!, part.slice(mark + 1));
    if (value === undefined) return undefined;
    labels.push([unescapeText(part.slice(0, mark)), value]);
  }
  const type = key.slice(0, dash);
  const name = key.slice(dash + 1);
  if (!isHashedName(name)) return { type, target: name, labels };
  const [label, target] = labels.shift() ?? [];
  return label === TARGET_LABEL && target !== undefined && 'S' in target
    ? { type, target: target.S, labels }
    : undefined;
}

/** `name` must not contain characters that need escaping. */
export function lastLabel(element: string, name: string): AttributeValue | undefined {
  const start = element.lastIndexOf('|') + 1;
  if (start === 0 || !element.startsWith(name, start)) return undefined;
  return decodeLabel(element[start + name.length]!, element.slice(start + name.length + 1));
}

export function compareElements(left: EdgeElement, right: EdgeElement): number {
  return compareKeys(left.type, right.type) || compareKeys(left.target, right.target);
}

export function edgeKeyOfElement(element: string): string {
  return unescapeText(escapedEdgeOfElement(element));
}

function encodeLabelValue(value: AttributeValue): string {
  if ('S' in value) return MARKS.S + escapeText(value.S);
  if ('N' in value) return MARKS.N + value.N;
  if ('BOOL' in value) return MARKS.BOOL + (value.BOOL ? '1' : '0');
  if ('NULL' in value) return MARKS.NULL;
  if ('B' in value) return MARKS.B + Buffer.from(value.B).toString('base64');
  throw new LabelError(`is ${typeName(typeOf(value))}; a label is a string, number, boolean, null or binary`);
}

function decodeLabel(mark: string, text: string): AttributeValue | undefined {
  if (mark === MARKS.S) return { S: unescapeText(text) };
  if (mark === MARKS.N) return { N: text };
  if (mark === MARKS.BOOL) return { BOOL: text === '1' };
  if (mark === MARKS.NULL) return { NULL: true };
  const bytes = mark === MARKS.B ? bytesOfBase64(text) : undefined;
  return bytes && { B: bytes };
}

function escapeText(text: string): string {
  return text.includes('%') || text.includes('|') ? text.replace(/[%|]/g, percentEncoded) : text;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function unescapeText(text: string): string {
  return text.includes('%')
    ? text.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
}
