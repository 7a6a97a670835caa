import { type Item, numberOf } from '../items/attribute-value.ts';
import { COUNT, MODEL, REVISION } from '../items/derived-item.ts';
import { degreeKey } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { DerivedUpdate } from '../store/port.ts';

/** What has to be written for the count of a node's edges of a type. */

/** The update that moves the count of a node's edges of a type. */
export function countUpdate(graph: CompiledModel, source: string, countName: string, change: number): DerivedUpdate {
  return {
    key: { source, target: degreeKey(countName) },
    set: { [MODEL]: { S: graph.fingerprint } },
    unset: [],
    addCount: change,
    condition: { kind: 'none' },
  };
}

/** The update that sets such a count, as it was seen, to what was counted. */
export function settledCountUpdate(
  graph: CompiledModel,
  source: string,
  countName: string,
  current: Item | undefined,
  count: number,
): DerivedUpdate {
  return {
    key: { source, target: degreeKey(countName) },
    set: { [MODEL]: { S: graph.fingerprint }, [COUNT]: { N: String(count) } },
    unset: [graph.table.ttl],
    condition: { kind: 'revision', revision: numberOf(current?.[REVISION]) },
  };
}
