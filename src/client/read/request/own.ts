import { parseNodeId } from '../../../core/items/keys.ts';
import type { ItemKey } from '../../../core/store-port.ts';
import {
  type Agreement,
  type AgreementContext,
  agreementOf,
  hasFannedOut,
} from '../../../stream/progress/agreement.ts';
import { type OwnWrites, readOwnWrites } from '../../session/own-writes.ts';
import type { ReadContext } from './read-context.ts';

export const NO_OWN_WRITES: OwnWrites = { writes: [], parents: new Map(), calls: 0 };

/** The own writes that a request depends on, read once before everything else. */
export async function readRelevantOwnWrites(
  context: ReadContext,
  isRelevant: (key: ItemKey) => boolean,
): Promise<OwnWrites> {
  const { session, graph, store } = context;
  if (session === undefined) return NO_OWN_WRITES;
  const looking = agreementContext(context);
  await session.refresh(
    async (key) => (looking === undefined ? UNKNOWN : await agreementOf(looking, key)),
    async (key) => looking !== undefined && (await hasFannedOut(looking, key)),
  );
  return readOwnWrites(graph, store, session.keys().filter(isRelevant));
}

/** For a key that can't be compared: it may agree or not. */
const UNKNOWN: Agreement = { agrees: false, revisions: '' };

/**
 * The context of looks after which a session forgets a key. They compare everything that writers maintain, not just
 * what this reader's lease allows: a forgotten key doesn't come back, and the next reader of the session may have
 * another model. Undefined if this reader can't compile all of that.
 */
function agreementContext({ stored: store, projections }: ReadContext): AgreementContext | undefined {
  // rule: session-compares-all-that-is-kept
  const kept = projections.kept;
  return kept && { graph: kept, store };
}

/** The own writes that may show in views: of the nodes, their edges, and copied nodes. */
export function readOwnWritesOfViews(context: ReadContext, ids: Iterable<string>): Promise<OwnWrites> {
  const asked = new Set(ids);
  const copied = new Set(
    [...context.graph.edges.values()].flatMap(({ copy, to }) => (copy === undefined ? [] : [...to])),
  );
  return readRelevantOwnWrites(context, ({ source, target }) => {
    return asked.has(source) || (source === target && copied.has(parseNodeId(source)?.type ?? ''));
  });
}

/** Says if an answer may lack own writes. */
export function noticeOfOwnWrites({ session }: ReadContext): { ownWrites?: 'unknown' } {
  return session?.ownWrites === 'unknown' ? { ownWrites: 'unknown' } : {};
}

/** Whether a read of base items has to be consistent to show own writes. */
export function mustReadConsistently({ session }: ReadContext, isRelevant: (key: ItemKey) => boolean): boolean {
  return session !== undefined && (session.ownWrites === 'unknown' || session.keys().some(isRelevant));
}
