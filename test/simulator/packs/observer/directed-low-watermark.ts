import type { Item } from '../../../../src/core/items/attribute-value.ts';
import { StoreError } from '../../../../src/foundation/errors.ts';
import { withReplacedCalls } from '../../../../src/store/wrapped.ts';
import type { Claim } from '../../../../src/stream/progress/claims.ts';
import { claimsItem } from '../../../../src/stream/progress/claims.ts';
import { lowWatermarkOfStream } from '../../../../src/stream/progress/low-watermark.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { baseItem, LABEL } from '../../../support/records.ts';
import { ScriptedStream } from '../../../support/scripted-stream.ts';
import { recordOf } from '../../kernel/shown-stream.ts';
import { textOf } from '../../kernel/values.ts';
import { graphOf, PLAIN_OPTIONS } from '../projecting/models.ts';
import { SECOND } from '../projecting/time.ts';
import type { WrittenSchedule } from './stage.ts';

/** Written schedules of the low watermark that several processes move. */

const START_MS = Date.parse('2026-01-02T00:00:00Z');
/** Longer than the lease of a process that moves the low watermark. */
const HOUR_S = 3_600;

export const LOW_WATERMARKS: Readonly<Record<string, WrittenSchedule>> = {
  'a batch is claimed as a whole after its first record, and another process moves the low watermark past it': {
    // The first process has dropped the first record, and so cannot use the claim of the whole batch; its place was not saved.
    bug: 'walk-goes-on-after-another-mover',
    shows: 'stalled',
    async play() {
      const graph = graphOf(PLAIN_OPTIONS);
      const table = new MemoryStore(graph.table);
      const stream = new ScriptedStream(table, LABEL);
      stream.open('S');
      let second = 0;
      let failsToSave = true;
      const now = (): number => START_MS + second * SECOND;
      const store = withReplacedCalls(table, {
        put: async (item: Item) => {
          if (!failsToSave || textOf(item['target']) !== 'mark/S') return await table.put(item);
          failsToSave = false;
          throw new StoreError('retryable', 'ThrottlingException', 'Too many writes.');
        },
      });
      const claim = async (first: number, last: number): Promise<void> => {
        const claimed: Claim = { first: `${first}`, last: `${last}`, records: last - first + 1, stream: LABEL };
        await table.put(claimsItem(graph.table, `batch-${first}-${last}`, [claimed], now()));
      };
      const lowWatermark = () => lowWatermarkOfStream({ graph, store, source: stream, now }, 0);
      const [one, other] = [lowWatermark(), lowWatermark()];

      for (let number = 1; number <= 3; number++) {
        second = number;
        const name = `GOAL-${number}`;
        const change = { key: { source: name, target: name }, before: undefined, after: baseItem(name, name) };
        stream.appendRaw('S', recordOf(change, `${number}`, now() / SECOND));
      }
      second = 10;
      await claim(1, 1);
      await one();
      second = 20;
      await claim(1, 3);
      for (const move of [other, one]) {
        second += HOUR_S;
        await move();
      }
      const lowWatermarkMs = (await one()) ?? 0;
      const behind = (now() - lowWatermarkMs) / SECOND;
      return behind === 0 ? [] : [{ kind: 'stalled', message: `the low watermark is ${behind} seconds behind` }];
    },
  },
};
