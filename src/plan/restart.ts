import { type Item, numberOf, stringOf } from '../items/attribute-value.ts';
import { AFTER, MODEL, REVISION, TOMBSTONE_HOURS, WATERMARK } from '../items/derived-item.ts';
import { classifyDerivedKey } from '../items/derived-key.ts';
import { reversePrefix } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { DerivedUpdate, ItemKey } from '../store/port.ts';
import type { EpochSeconds } from './unit.ts';

/**
 * The update that has a stuck fan-out go on: the continuation is written as it is, so that the record that was lost is made
 * again and drives the next page. It is not buried: where its record is only late that would end a fan-out that is alive,
 * and keep the rest of the children from the change for good. One that holds no place becomes a tombstone; one whose
 * place cannot be begins at the first child.
 *
 * @param watermark the one it shall have.
 */
export function restartUpdate(
  graph: CompiledModel,
  key: ItemKey,
  current: Item | undefined,
  watermark: string,
  now: EpochSeconds,
): DerivedUpdate {
  const first = reversePrefix(classifyDerivedKey(key.target)?.edgeType ?? '');
  const stored = stringOf(current?.[AFTER]);
  const after = stored?.startsWith(first) === true ? stored : first;
  const stamp: Item = { [WATERMARK]: { S: watermark }, [MODEL]: { S: graph.fingerprint } };
  const expiry: Item = { [graph.table.ttl]: { N: String(now + TOMBSTONE_HOURS * 3600) } };
  const isOpen = current?.[AFTER] !== undefined;
  return {
    key,
    set: { ...stamp, ...(isOpen ? { [AFTER]: { S: after } } : expiry) },
    unset: [isOpen ? graph.table.ttl : AFTER],
    condition: { kind: 'revision', revision: numberOf(current?.[REVISION]) },
  };
}
