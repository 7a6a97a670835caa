import { typePrefix } from '../../core/items/keys.ts';
import { classifyKey, misfitText } from '../../core/model/base-item.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions } from '../../foundation/options.ts';
import { type Abortable, sleep } from '../../foundation/runtime.ts';
import {
  compareInForce,
  type EdgesPlace,
  isProjectedKind,
  type ProjectedKind,
} from '../../stream/progress/agreement.ts';
import { checkedEdgeKey, checkSource, findEdge } from './request/lookup.ts';
import type { ReadContext } from './request/read-context.ts';

/** Options of `waitForProjection`. */
export interface WaitOptions extends Abortable {
  /** Maximum wait in milliseconds; the projection is compared at least once. Default: 10,000. */
  timeoutMs?: number | undefined;
  /** Reads derived items with strong consistency. Default: true. */
  consistent?: boolean | undefined;
  /**
   * Returns the time, in milliseconds since 1970, before which every record has been applied. With this option, waits
   * at least until that time is later than the call.
   */
  lowWatermark?: (() => Promise<number | undefined>) | undefined;
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1_000;
const PAUSE_GROWTH = 1.5;

export function waitArguments(
  { graph }: ReadContext,
  [source, second, target, options]: readonly unknown[],
): { bases: ItemKey[]; options: WaitOptions | undefined } {
  const id = source as string;
  checkSource(graph, id);
  if (typeof second === 'string') {
    const key = checkedEdgeKey(graph, id, second, target as string);
    return { bases: [{ source: id, target: key }], options: options as WaitOptions | undefined };
  }
  const parts = graph.nodes.get(typePrefix(id) ?? '')?.parts.keys() ?? [];
  const bases = [id, ...parts].map((key) => ({ source: id, target: key }));
  return { bases, options: second as WaitOptions | undefined };
}

export async function waitForProjection(
  context: ReadContext,
  bases: readonly ItemKey[],
  options: WaitOptions = {},
): Promise<void> {
  checkOptions('waitForProjection', options, {
    timeoutMs: 'milliseconds',
    consistent: 'boolean',
    lowWatermark: 'function',
    signal: true,
  });
  const { timeoutMs = 10_000, consistent = true, lowWatermark, signal } = options;
  const waits = bases.map((base) => ({ base, kind: requireProjectedKind(context, base), place: {} as EdgesPlace }));
  const calledAtMs = Date.now();
  const deadline = performance.now() + timeoutMs;
  let wasPassed = false;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * PAUSE_GROWTH)) {
    // Read the low watermark before the items: once it is later than the call, no earlier record can change an item
    // that agrees.
    const isPassed = lowWatermark === undefined || ((await lowWatermark()) ?? 0) > calledAtMs;
    // Edges that agreed before the low watermark passed the call may differ now, so compare all again.
    if (isPassed && !wasPassed) for (const wait of waits) wait.place = {};
    wasPassed = isPassed;
    const differing: string[] = [];
    for (const { base, kind, place } of waits)
      differing.push(...(await namesOfDifferences(context, base, kind, { consistent, place })));
    if (isPassed && differing.length === 0) return;
    const left = deadline - performance.now();
    if (left <= 0) {
      const missing =
        differing.length > 0
          ? `still different: ${[...new Set(differing)].join(', ')}`
          : 'what is derived agrees, but the stream is not applied up to the call';
      const [{ source, target } = { source: '', target: '' }] = bases;
      throw new EdgeloomError(
        'projection-timeout',
        `After ${timeoutMs} ms ${source} ${target} is not projected yet; ${missing}.`,
        'Check that the projector runs and how far behind it is, or wait longer.',
      );
    }
    await sleep(Math.min(pause, left), signal);
  }
}

/** Refuses an item that the model doesn't project, since the wait would never end. */
function requireProjectedKind({ graph }: ReadContext, { source, target }: ItemKey): ProjectedKind {
  checkSource(graph, source);
  const kind = classifyKey(graph, source, target);
  if (isProjectedKind(kind)) return kind;
  if (kind.kind === 'misfit') throw notDerivableError({ source, target }, misfitText(kind));
  const edgeType = typePrefix(target);
  if (edgeType !== undefined) findEdge(graph, edgeType);
  throw new EdgeloomError(
    'invalid-key',
    `${source} ${target} is not a base item of the model.`,
    "A node's target is its own id; an edge's is its type, a dash and the id of the node it enters.",
  );
}

async function namesOfDifferences(
  context: ReadContext,
  base: ItemKey,
  kind: ProjectedKind,
  options: { consistent: boolean; place: EdgesPlace },
): Promise<string[]> {
  const { problems, differing } = await compareInForce(context, base, kind, options);
  if (problems.length > 0) throw notDerivableError(base, problems.map(({ message }) => message).join('; '));
  return differing;
}

function notDerivableError({ source, target }: ItemKey, reason: string): EdgeloomError {
  return new EdgeloomError(
    'not-derivable',
    `${source} ${target} cannot be projected in full: ${reason}.`,
    'Correct the base item; until then it is in quarantine and waiting would not end.',
  );
}
