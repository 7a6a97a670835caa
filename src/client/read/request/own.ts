import { parseNodeId } from '../../../core/items/keys.ts';
import type { ItemKey } from '../../../core/store-port.ts';
import { type AgreementContext, agreementOf, hasFannedOut } from '../../../stream/progress/agreement.ts';
import { type OwnWrites, readOwnWrites } from '../../session/own-writes.ts';
import type { ReadContext } from './read-context.ts';

export const NO_OWN_WRITES: OwnWrites = { writes: [], parents: new Map() };

export async function readRelevantOwnWrites(
  context: ReadContext,
  isRelevant: (key: ItemKey) => boolean,
): Promise<OwnWrites> {
  const { session, graph, store } = context;
  if (session === undefined) return NO_OWN_WRITES;
  const looking = agreementContext(context);
  await session.refresh(
    async (key) => (looking === undefined ? { agrees: false, revisions: '' } : await agreementOf(looking, key)),
    async (key) => looking !== undefined && (await hasFannedOut(looking, key)),
  );
  return readOwnWrites(graph, store, session.keys().filter(isRelevant));
}

/**
 * Covers every maintained projection, not only those that this reader's lease allows, because the session's next reader
 * may have another model. Returns undefined if this reader can't compile the model in use.
 */
function agreementContext({ stored: store, projections }: ReadContext): AgreementContext | undefined {
  // rule: session-compares-all-that-is-kept
  const kept = projections.kept;
  return kept && { graph: kept, store };
}

export function readOwnWritesOfViews(context: ReadContext, ids: Iterable<string>): Promise<OwnWrites> {
  const asked = new Set(ids);
  const copied = new Set(
    [...context.graph.edges.values()].flatMap(({ copy, to }) => (copy === undefined ? [] : [...to])),
  );
  return readRelevantOwnWrites(context, ({ source, target }) => {
    return asked.has(source) || (source === target && copied.has(parseNodeId(source)?.type ?? ''));
  });
}

export function noticeOfOwnWrites({ session }: ReadContext): { ownWrites?: 'unknown' } {
  return session?.ownWrites === 'unknown' ? { ownWrites: 'unknown' } : {};
}

export function mustReadConsistently({ session }: ReadContext, isRelevant: (key: ItemKey) => boolean): boolean {
  return session !== undefined && (session.ownWrites === 'unknown' || session.keys().some(isRelevant));
}
