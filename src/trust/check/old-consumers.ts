import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { EdgeloomError, WRONG_INPUT } from '../../foundation/errors.ts';
import { readHead } from '../../registry/head.ts';
import { readConsumers } from '../../stream/progress/consumers.ts';

/** A consumer reports its progress at least every 20 s while it applies batches. */
const SEEN_MS = 60_000;

/**
 * Throws `old-consumers` if the table has no registry and a consumer with another model was seen within the last
 * minute. That consumer would undo what a rebuild writes, and write items that this model doesn't have. With a
 * registry, all consumers maintain the projections that it lists.
 */
export async function refuseOldConsumers(
  graph: CompiledModel,
  store: Pick<Store, 'get' | 'query'>,
  nowMs: number,
): Promise<void> {
  if ((await readHead({ store, stats: { rcu: 0 } })) !== undefined) return;
  const consumers = await readConsumers(store, graph.table, nowMs);
  const old = consumers.find(
    ({ isStopped, model, seenAtMs }) => !isStopped && model !== graph.fingerprint && nowMs - seenAtMs < SEEN_MS,
  );
  if (old === undefined) return;
  const error = new EdgeloomError(
    'old-consumers',
    `The consumer ${old.id} projects a different model (${old.model}) than this one (${graph.fingerprint}); it was seen ${Math.round((nowMs - old.seenAtMs) / 1000)} s ago.`,
    'Deploy this model to every consumer, wait until no other has been seen for a minute, and rebuild then; or run edgeloom rebuild --force.',
  );
  // This name tells the state machine not to retry.
  throw Object.assign(error, { name: WRONG_INPUT });
}
