import type { Command } from 'commander';
import { isViewless } from '../../../../src/client/read/nodes/views.ts';
import { checkSource } from '../../../../src/client/read/request/lookup.ts';
import { byKey } from '../../../../src/foundation/entries.ts';
import { EdgeloomError } from '../../../../src/foundation/errors.ts';
import { printable } from '../../../../src/foundation/printable.ts';
import { examples, withExpired } from '../../shared/options.ts';
import { cellText } from '../../shared/output.ts';
import { sessionReader } from '../../shared/table-session.ts';
import { type Bind, edgeTable, printing, type ReadSession } from './answer.ts';

interface GetFlags {
  stored?: boolean;
  consistent?: boolean;
  includeExpired?: boolean;
}

type StoredRead = Required<Pick<GetFlags, 'consistent' | 'includeExpired'>>;

export function getCommand(command: Command, bind: Bind = printing): void {
  withExpired(command)
    .argument('<words...>', 'node ids, such as USER-U1, or SOURCE TYPE TARGET of an edge')
    .option('--stored', 'show nodes as they were written, with all attributes')
    .option('--consistent', 'read consistently, at twice the capacity (with --stored, or of an edge)')
    .addHelpText(
      'after',
      examples(
        'get USER-U1',
        'get GOAL-G1 GOAL-G2 --json',
        'get GOAL-G1 --stored',
        'get GOAL-G1 GOALMEMBERSHIP USER-U1',
      ),
    )
    .action(
      bind(async (session, words: string[], options: GetFlags) => {
        const { stored = false, consistent = false, includeExpired = false } = options;
        const read = { consistent, includeExpired };
        const [source, type, target] = words as [string, string, string];
        if (isEdge(words)) return await oneEdge(session, { source, type, target }, read);
        if (stored) return await storedNodes(session, words, read);
        if (!consistent) return await views(session, words, includeExpired);
        throw new EdgeloomError('usage', 'A view is never strongly consistent.', 'Give --stored too, or name an edge.');
      }),
    );
}

function isEdge(words: readonly string[]): boolean {
  return words.length === 3 && !words[1]!.includes('-');
}

async function views(session: ReadSession, ids: readonly string[], includeExpired: boolean) {
  // The library accepts any string as an id. On the command line, an unknown type is probably a typo.
  for (const id of ids) checkSource(session.graph, id);
  const withViews = ids.filter((id) => !isViewless(session.graph, id));
  // If no id can have a view, ask for all of them, so that the library's error explains why.
  const read = withViews.length === 0 ? ids : withViews;
  session.announce({ nodes: read.length });
  const views = await sessionReader(session).getViews([...read], { includeExpired });
  const viewOf = new Map(read.map((id, at) => [id, views[at] ?? null]));
  const found = ids.map((id) => viewOf.get(id) ?? null);
  const text = found
    .filter((view) => view !== null)
    .map(({ id, attributes, edgeSet, truncated = [] }) =>
      [
        nodeText(id, attributes),
        ...edgeSet.map((element) => `  -> ${elementText(element)}`),
        ...truncated.map((type) => `  -> more of ${type}: edgeloom list edges ${id} ${type}`),
      ].join('\n'),
    );
  const absent = ids
    .filter((id) => (viewOf.get(id) ?? null) === null)
    .map((id) => (viewOf.has(id) ? `There is no view of ${id}.` : `${id} is of a type without views: add --stored.`));
  return { json: found, text: text.join('\n'), absent, found: idsOf(found) };
}

async function storedNodes(session: ReadSession, ids: readonly string[], read: StoredRead) {
  const reader = sessionReader(session);
  session.announce({ nodes: ids.length });
  const nodes = await Promise.all(ids.map((id) => reader.getNode(id, read)));
  const text = nodes.filter((node) => node !== null).map(({ id, attributes }) => nodeText(id, attributes));
  const absent = ids.filter((_, at) => nodes[at] === null).map((id) => `There is no node ${id}.`);
  return { json: nodes, text: text.join('\n'), absent, found: idsOf(nodes) };
}

async function oneEdge(
  session: ReadSession,
  { source, type, target }: { source: string; type: string; target: string },
  read: StoredRead,
) {
  const edge = await sessionReader(session).getEdge(source, type, target, read);
  if (edge === null)
    return { json: null, text: '', absent: [`There is no edge ${source} ${type} ${target}.`], found: [] };
  return { json: edge, text: edgeTable({ items: [edge] }), found: [source] };
}

function idsOf(nodes: readonly ({ id: string } | null)[]): string[] {
  return nodes.flatMap((node) => (node === null ? [] : [node.id]));
}

function nodeText(id: string, attributes: object | null): string {
  // Engines return attributes in any order.
  const entries = Object.entries(attributes ?? {}).sort(byKey);
  const lines = entries.map(([name, value]) => `  ${printable(name)}: ${cellText(value)}`);
  return [printable(id), ...lines].join('\n');
}

export function elementText({ type, target, ...labels }: { type: string; target: string }): string {
  const rest = Object.keys(labels).length === 0 ? '' : ` ${cellText(labels)}`;
  return `${printable(type)} ${printable(target)}${rest}`;
}
