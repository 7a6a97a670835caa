import type { Item } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';

/** The label of the stream that tests' records come from. */
export const LABEL = '2026-01-01T00:00:00.000';

/** A base item as it is stored: its keys and attributes. */
export function baseItem(source: string, target: string, attributes: Item = {}): Item {
  return { source: { S: source }, target: { S: target }, ...attributes };
}

/** The record of one change; images are attributes without keys, undefined where the item is absent. */
export function change(
  source: string,
  target: string,
  before: Item | undefined,
  after: Item | undefined,
  sequence: number,
  label = LABEL,
): ChangeRecord {
  return {
    source,
    target,
    oldImage: before && baseItem(source, target, before),
    newImage: after && baseItem(source, target, after),
    stream: label,
    sequenceNumber: String(sequence),
    createdAtSeconds: 1_767_225_600 + sequence,
  };
}

/** The records of one item that goes through these states, the first of them where it begins. */
export function history(
  source: string,
  target: string,
  states: readonly (Item | undefined)[],
  firstSequence = 1,
): ChangeRecord[] {
  return states.slice(1).map((state, i) => change(source, target, states[i], state, firstSequence + i));
}
