import type { Item } from '../items/attribute-value.ts';
import {
  decodeElement,
  edgeKeyOfElement,
  escapedEdge,
  escapedHashedEdge,
  LabelError,
  labelEncoder,
} from '../items/element.ts';
import { isWellFormed } from '../items/encoding.ts';
import { VIEW_KEY } from '../items/keys.ts';
import { elementsByEdge } from '../items/stored-view.ts';
import type { LabelModel } from '../model/compiled.ts';
import { ENDS } from '../model/ends.ts';
import type { ItemKey } from '../store-port.ts';
import { type DecidedBy, type Difference, digestOfImages } from './difference.ts';
import { PartError, type Subject } from './parts/subject.ts';

export function elementDifference(
  { elements, isEvicted }: { elements: ReadonlyMap<string, readonly string[]>; isEvicted: boolean },
  base: ItemKey,
  decided: DecidedBy,
): Difference[] {
  const { target } = base;
  const expected = isEvicted ? null : (decided.derivedOf(base).element ?? null);
  const stored = elements.get(escapedEdge(target))?.join(', ') ?? null;
  if (expected === stored) return [];
  return [{ kind: 'element', about: target, expected, stored, base: digestOfImages([decided.imageOf(base)]) }];
}

export function garbageElements(view: Item | undefined): string[] {
  return [...elementsByEdge(view)].flatMap(([edge, elements]) => {
    return edgeOfElements(edge, elements) === undefined ? elements : [];
  });
}

/** Returns the edge that these elements name; undefined unless they are stored under its escaped key. */
export function edgeOfElements(edge: string, [first]: readonly string[]): string | undefined {
  if (first === undefined || decodeElement(first) === undefined) return undefined;
  const target = edgeKeyOfElement(first);
  return escapedEdge(target) === edge ? target : undefined;
}

const encodeEnd = labelEncoder(ENDS);

/** Returns a label encoded for an element, or an empty string if the edge lacks the value. */
export type LabelWriter = (subject: Subject) => string;

export function labelWriter({ name, from }: LabelModel): LabelWriter {
  const purpose = `label ${name} of the edge set`;
  const encodeLabel = labelEncoder(name);
  if (from.kind === 'derive') {
    return (subject) => {
      const text = subject.computeText(from.compute, purpose);
      if (text === undefined) return '';
      // A lone surrogate would be stored as another string, so the element would differ from the expected one forever.
      if (!isWellFormed(text)) throw new PartError('derive-failed', `derive for ${purpose} gave a lone surrogate`);
      return encodeLabel({ S: text });
    };
  }
  const { attribute } = from;
  return (subject) => {
    const value = subject.attribute(attribute);
    if (value === undefined) return '';
    try {
      return encodeLabel(value);
    } catch (error) {
      if (!(error instanceof LabelError)) throw error;
      throw new PartError('wrong-type', `attribute ${attribute}, needed for ${purpose}, ${error.message}`, attribute);
    }
  };
}

export function elementOfEdge(
  labels: readonly LabelWriter[],
  { sortKey, escapedEdge, target }: { sortKey: string; escapedEdge: string; target?: string },
  subject: Subject,
): string | undefined {
  try {
    let element = target !== undefined ? escapedHashedEdge(sortKey, target) : escapedEdge;
    for (const label of labels) element += label(subject);
    const { end, outcomes } = subject;
    outcomes?.add(lineOfSet(subject), VIEW_KEY);
    return end === undefined ? element : element + encodeEnd(end);
  } catch (error) {
    const { message } = subject.noteProblem(error);
    subject.outcomes?.addFault(lineOfSet(subject), VIEW_KEY, message);
    return undefined;
  }
}

export function lineOfSet({ type }: { type: string }): string {
  return `edges.${type}.edgeSet`;
}
