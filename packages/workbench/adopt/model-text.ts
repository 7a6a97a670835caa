import type { IdAttribute } from '../../../src/core/model/keys/key-option.ts';
import { countText, figureText } from '../../../src/foundation/figure.ts';
import { printable } from '../../../src/foundation/printable.ts';
import type { LeftOut, Proposal } from './propose-model.ts';
import type { ProposedEdge, ProposedNode } from './proposed-types.ts';

/** Facts of a sample that the model file names in comments. */
export interface ModelTextFacts {
  /** Items of the sample, and of the table. */
  sampled: number;
  tableItems: number;
  /** Sentences about the table, such as its indexes. */
  notes: readonly string[];
}

/** Attributes that a comment names, and characters of one of its lines. */
const [MOST_ATTRIBUTES, WIDTH] = [12, 200];
/** Reasons that comments name. */
const MOST_REASONS = 40;

/** The model file of a proposal. Comments with UNSURE say what is a guess. */
export function modelText(proposal: Proposal, { sampled, tableItems, notes }: ModelTextFacts): string {
  const { table, nodes, edges, leftOut } = proposal;
  const hasParts = [...nodes.values()].some(({ parts }) => parts.length > 0);
  const hasIds = [...nodes.values(), ...edges.values()].some(({ key }) => Object.values(key).some(isIdAttribute));
  const imports = [
    ...(hasIds ? ['attribute'] : []),
    'defineGraph',
    ...(edges.size > 0 ? ['edge'] : []),
    'node',
    ...(hasParts ? ['part'] : []),
  ];
  const left = leftOut.reduce((sum, { items }) => sum + items, 0);
  return [
    `import { ${imports.join(', ')} } from 'edgeloom';`,
    '',
    ...comment(
      `Proposed from ${figureText(sampled)} of about ${figureText(tableItems)} items of ${table.name}: read it, and correct it.`,
    ),
    ...comment(`${figureText(sampled - left)} of them are of a type of this model, ${figureText(left)} of none.`),
    ...notes.flatMap((note) => comment(note)),
    'export default defineGraph({',
    ...(nodes.size === 0 ? comment('UNSURE: no node type fits the keys of the sample.') : []),
    `  table: ${literal(table)},`,
    '  nodes: {',
    ...[...nodes].flatMap(([type, one]) => typeText(type, one, nodeOptions(one))),
    '  },',
    ...(edges.size === 0
      ? []
      : ['  edges: {', ...[...edges].flatMap(([type, one]) => typeText(type, one, edgeOptions(one))), '  },']),
    '});',
    ...leftOutText(leftOut),
    '',
  ].join('\n');
}

function typeText(type: string, { items, attributes, unsure }: ProposedNode | ProposedEdge, options: string): string[] {
  const named = [...attributes].slice(0, MOST_ATTRIBUTES).map(([name, count]) => {
    return count === items ? name : `${name} (${figureText(count)})`;
  });
  const more = attributes.size > MOST_ATTRIBUTES ? ', …' : '';
  const have = named.length === 0 ? '' : `: ${named.join(', ')}${more}`;
  return [
    ...comment(`${countText(items, 'item')}${have}`, '    '),
    ...unsure.flatMap((doubt) => comment(`UNSURE: ${doubt}.`, '    ')),
    `    ${type}: ${options},`,
  ];
}

function nodeOptions({ key, parts }: ProposedNode): string {
  const ofParts = parts.length === 0 ? '' : `, parts: { ${parts.map((name) => `${name}: part({})`).join(', ')} }`;
  return `node({ key: ${literal(key)}${ofParts} })`;
}

function edgeOptions({ from, to, key }: ProposedEdge): string {
  const ends = literal({ from: from.length === 1 ? from[0]! : from, to });
  return `edge({ ${ends.slice(2, -2)}, key: ${literal(key)} })`;
}

function leftOutText(leftOut: readonly LeftOut[]): string[] {
  if (leftOut.length === 0) return [];
  const rest = leftOut.slice(MOST_REASONS);
  const lines = leftOut.slice(0, MOST_REASONS).flatMap(({ items, example, reason }) => {
    return comment(`${countText(items, 'item')}, such as ${example.source} ${example.target}: ${reason}.`);
  });
  const others = rest.reduce((sum, { items }) => sum + items, 0);
  return [
    '',
    ...comment('Not placed:'),
    ...lines,
    ...(rest.length > 0 ? comment(`${countText(others, 'item')} for other reasons.`) : []),
  ];
}

/** A comment line; nothing that a key or a name holds ends it. */
function comment(text: string, indent = ''): string[] {
  const shown = printable(text);
  return [`${indent}// ${shown.length > WIDTH * 2 ? `${shown.slice(0, WIDTH * 2)}…` : shown}`];
}

type Plain = string | readonly string[] | { readonly [name: string]: Plain | undefined };

/** A value as TypeScript. */
function literal(value: Plain | object): string {
  if (typeof value === 'string') return quoted(value);
  if (isIdAttribute(value)) return `attribute(${quoted(value.attribute)})`;
  if (Array.isArray(value)) return `[${(value as string[]).map(quoted).join(', ')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{ ${members.map(([name, member]) => `${nameText(name)}: ${literal(member as Plain)}`).join(', ')} }`;
}

function isIdAttribute(value: unknown): value is IdAttribute {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'attribute';
}

function nameText(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]{0,100}$/.test(name) ? name : quoted(name);
}

function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1);
  return `'${printable(inner.replaceAll('\\"', '"').replaceAll("'", "\\'"))}'`;
}
