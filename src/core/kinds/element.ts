import type { Item } from '../items/attribute-value.ts';
import { escapedEdge, escapedHashedEdge, LabelError, labelEncoder } from '../items/element.ts';
import { isWellFormed } from '../items/encoding.ts';
import { typePrefix, VIEW_KEY } from '../items/keys.ts';
import { elementsByEdge, evictedTypes, hasEdgeSet } from '../items/stored-view.ts';
import type { LabelModel } from '../model/compiled.ts';
import { ENDS } from '../model/ends.ts';
import type { Part, PartKind } from './part.ts';
import { PartError, type Subject } from './parts/subject.ts';

export const element: PartKind<Extract<Part, { kind: 'element' }>> = {
  isContent: true,
  decidingKeys: (_context, { source, part }) => [{ source, target: part.target }],
  compare({ graph, derivedOf }, { suspect: { source, part }, derived, items }) {
    const expected = derivedOf(graph, source, part.target, items[0]).element;
    const stored = elementsByEdge(derived).get(escapedEdge(part.target)) ?? [];
    const isEvicted = evictedTypes(derived).has(typePrefix(part.target) ?? '');
    return {
      expected: isEvicted ? null : (expected ?? null),
      stored: stored.length === 0 ? null : stored.join(', '),
    };
  },
  repairInView: ({ targets }, _graph, { part }) => targets.add(part.target),
};

/** Stands for an edge set that isn't a string set. No element has this text. */
export const NO_SET = 'a set that is no string set';

/** An element that names no edge, so no base item asks for it. */
export const garbage: PartKind<Extract<Part, { kind: 'garbage' }>> = {
  isContent: true,
  decidingKeys: () => [],
  compare: (_context, { suspect: { part }, derived }) => ({
    expected: null,
    stored: holdsElement(derived, part.element) ? part.element : null,
  }),
  // Any write of a view makes its edge set a string set again.
  repairInView({ drop }, _graph, { part }) {
    if (part.element !== NO_SET) drop.push(part.element);
  },
};

/** For `NO_SET`: whether the edge set isn't a string set. */
function holdsElement(view: Item | undefined, text: string): boolean {
  if (!hasEdgeSet(view)) return text === NO_SET;
  return [...elementsByEdge(view).values()].some((elements) => elements.includes(text));
}

const encodeEnd = labelEncoder(ENDS);

/** A label in an element's form; empty if the edge has none. */
export type LabelWriter = (subject: Subject) => string;

export function labelWriter({ name, from }: LabelModel): LabelWriter {
  const purpose = `label ${name} of the edge set`;
  const encodeLabel = labelEncoder(name);
  if (from.kind === 'derive') {
    return (subject) => {
      const text = subject.computeText(from.compute, purpose);
      if (text === undefined) return '';
      // A lone surrogate would be stored as another text, and differ from the expected one forever.
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

/**
 * Undefined, with a problem noted, if a label can't be derived.
 *
 * @param target the target of an edge with a hashed key.
 */
export function elementOfEdge(
  labels: readonly LabelWriter[],
  { sortKey, escapedEdge, target }: { sortKey: string; escapedEdge: string; target?: string },
  subject: Subject,
): string | undefined {
  try {
    // rule: hashed-element-names-its-target
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

/** The line of the model that has an edge type in edge sets. */
export function lineOfSet({ type }: { type: string }): string {
  return `edges.${type}.edgeSet`;
}
