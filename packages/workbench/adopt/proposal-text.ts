import type { TableOptions } from '../../../src/core/model/table-options.ts';
import { tableBeside } from '../../../src/deployment/stack/project/project.ts';
import { countText, figureText } from '../../../src/foundation/figure.ts';
import { printable } from '../../../src/foundation/printable.ts';
import { escapeOf } from '../../../src/sources/layouts/layout.ts';
import type { InPlace } from './in-place.ts';
import { type Field, LIBRARIES } from './kinds.ts';
import { attributesOf, edgeTypes, endsOfKind, layoutArguments, RESERVED, TTL } from './mapping.ts';
import type { LeftOut, Proposal, ProposedKind, Reference } from './propose.ts';
import { OF_LIBRARIES } from './sampled-item.ts';

export interface SampleFacts {
  table: string;
  sampled: number;
  extent: string;
  ttl?: string | undefined;
  notes: readonly string[];
  leftOut: readonly LeftOut[];
}

/** Maximum attributes named in a comment, and maximum characters of a comment line. */
const [MOST_ATTRIBUTES, WIDTH] = [12, 400];
const MOST_REASONS = 40;

export function mappingText(proposal: Proposal, facts: SampleFacts, indexKeys: ReadonlySet<string>): string {
  const { library, kinds, nodes, keys } = proposal;
  const edges = edgeTypes(proposal);
  const makesNodes = library === undefined && kinds.some(({ node }) => node !== undefined);
  const makesEdges = library === undefined && edges.size > 0;
  const endsOf = (kind: ProposedKind | undefined) => (kind === undefined ? {} : endsOfKind(kind, facts.ttl));
  const edgeLine = ([type, ends]: [string, object]): string => {
    const whole = kinds.find((kind) => kind.edges.some((edge) => edge.type === type && edge.isWhole));
    return `    ${type}: edge(${literal({ ...ends, ...endsOf(whole) })}),`;
  };
  const hasPartial = library === undefined && attributeFields(kinds).some(({ prefix }) => prefix === undefined);
  const imports = [
    ...['defineGraph', ...(hasPartial ? ['ExactNumber'] : [])],
    ...(edges.size > 0 ? ['edge'] : []),
    'node',
  ];
  const [partitionKey, sortKey] = keys;
  const ofKeys = literal({ partitionKey, ...(sortKey !== undefined && { sortKey }) });
  const ofAdmin = [
    ...(library === undefined ? [] : [LIBRARIES[library]]),
    ...(makesEdges ? ['mappedEdge'] : []),
    ...(makesNodes ? ['mappedNode'] : []),
    'sourceTable',
  ];
  return file([imports, ofAdmin], facts, [
    'export default defineGraph({',
    `  table: ${literal({ name: tableBeside(facts.table), ttl: TTL })},`,
    '  nodes: {',
    ...nodes.map((type) => nodeLine(type, [], endsOf(kinds.find(({ node }) => node?.type === type)))),
    '  },',
    ...(edges.size === 0 ? [] : ['  edges: {', ...[...edges].map(edgeLine), '  },']),
    `  mirrored: [${[...nodes, ...edges.keys()].map(quoted).join(', ')}],`,
    '});',
    '',
    ...(library === undefined ? casesText(proposal, indexKeys) : layoutText(proposal, indexKeys)),
    '',
    `export const sources = [sourceTable(${quoted(facts.table)}, { map, keys: ${ofKeys} })];`,
  ]);
}

export function modelText({ nodes, edges }: InPlace, table: TableOptions, facts: SampleFacts): string {
  const hasParts = [...nodes.values()].some((parts) => parts.size > 0);
  const imports = ['defineGraph', ...(edges.size > 0 ? ['edge'] : []), 'node', ...(hasParts ? ['part'] : [])];
  const oneOrMore = (names: ReadonlySet<string>): string | string[] => (names.size === 1 ? [...names][0]! : [...names]);
  return file([imports], facts, [
    'export default defineGraph({',
    `  table: ${literal(table)},`,
    '  nodes: {',
    ...[...nodes].map(([type, parts]) => nodeLine(type, [...parts])),
    '  },',
    ...(edges.size === 0
      ? []
      : [
          '  edges: {',
          ...[...edges].map(([type, { from, to, isHashed }]) => {
            const ends = literal({ from: oneOrMore(from), to: oneOrMore(to), ...(isHashed && { keys: 'hashed' }) });
            return `    ${type}: edge(${ends}),`;
          }),
          '  },',
        ]),
    '});',
  ]);
}

/** Shows all attributes in the view until the user chooses some. */
function nodeLine(type: string, parts: readonly string[], ends: Readonly<Record<string, string>> = {}): string {
  const ofParts = parts.map((name) => `${name}: part()`).join(', ');
  const ofEnds = Object.entries(ends).map(([option, name]) => `, ${option}: ${quoted(name)}`);
  return `    ${type}: node({ view: 'ALL'${ofEnds.join('')}${parts.length === 0 ? '' : `, parts: { ${ofParts} }`} }),`;
}

function file([imports, ofAdmin]: readonly [string[], string[]?], facts: SampleFacts, body: readonly string[]): string {
  const { table, sampled, extent, notes, leftOut } = facts;
  const left = leftOut.reduce((sum, { items }) => sum + items, 0);
  return [
    `import { ${imports.join(', ')} } from 'edgeloom';`,
    ...(ofAdmin === undefined ? [] : [`import { ${ofAdmin.join(', ')} } from 'edgeloom/admin';`]),
    '',
    ...comment(`Proposed from ${extent} of ${table}: read it, and correct it.`),
    ...comment(
      `Items of the graph: ${figureText(sampled - left)}; not of it, as the end of this file says: ${figureText(left)}.`,
    ),
    ...notes.flatMap((note) => comment(note)),
    ...body,
    ...leftOutText(leftOut),
    '',
  ].join('\n');
}

function layoutText(proposal: Proposal, indexKeys: ReadonlySet<string>): string[] {
  const given = layoutArguments(proposal, indexKeys);
  const name = LIBRARIES[proposal.library!];
  const entities = given.find(Array.isArray) as object[];
  const list = entities.flatMap((entity, i) => [...aboutKind(proposal.kinds[i]!, '  '), `  ${literal(entity)},`]);
  const texts = given.map((one) => (one === entities ? ['[', ...list, ']'].join('\n') : literal(one as Plain)));
  const hasSchema = proposal.library !== '_et';
  return [
    ...(hasSchema ? comment('The schemas are made from the sample: your own can take their place.') : []),
    `export const map = ${name}(${texts.join(', ')});`,
  ];
}

function casesText(
  { kinds, keys: [partitionKey, sortKey], separator }: Proposal,
  indexKeys: ReadonlySet<string>,
): string[] {
  const hasPlaces = kinds.length > 0;
  const hasAttributes = kinds.some(({ node, edges }) => node !== undefined || edges.some(({ isWhole }) => isWhole));
  const named = attributeFields(kinds);
  const references = kinds.flatMap(({ node, edges }) => [node, ...edges.flatMap(({ from, to }) => [from, to])]);
  const escapes = [separator, escapeOf(separator)].map(quoted).join(', ');
  const isJoined = references.some((one) => one !== undefined && one.id.length > 1);
  // Items outside the sample may use names that the graph reserves.
  const hidden = [partitionKey, ...(sortKey === undefined ? [] : [sortKey]), ...indexKeys, ...RESERVED];
  const left = [...new Set([...hidden, ...OF_LIBRARIES])];
  const sort = sortKey === undefined ? "''" : `String(item[${quoted(sortKey)}])`;
  const helpers: [isUsed: boolean, lines: string[]][] = [
    [
      hasPlaces,
      [
        "/** The variable parts of an item's keys, or null if the keys have another form. */",
        'function places(item: Item, partition: RegExp, sort: RegExp): string[] | null {',
        `  const [first, second] = [partition.exec(String(item[${quoted(partitionKey)}])), sort.exec(${sort})];`,
        '  return first && second && [...first.slice(1), ...second.slice(1)];',
        '}',
      ],
    ],
    [
      hasAttributes,
      [
        "/** An item's attributes, without its keys and the names that the graph reserves. */",
        `const HIDDEN = [${left.map(quoted).join(', ')}];`,
        'const attributes = (item: Item) =>',
        "  Object.fromEntries(Object.entries(item).filter(([name]) => !HIDDEN.includes(name) && name[0] !== '~'));",
      ],
    ],
    [
      named.some(({ prefix }) => prefix === undefined),
      [
        '/** Whether a value can be an id: a string or a number. */',
        'const isId = (value: unknown) =>',
        "  (typeof value === 'string' && value !== '') ||",
        "  ['number', 'bigint'].includes(typeof value) ||",
        '  value instanceof ExactNumber;',
      ],
    ],
    [
      named.some(({ prefix }) => prefix !== undefined),
      [
        '/** The id in a key that an attribute holds, or an empty string if the attribute holds another kind of key. */',
        'const idIn = (value: unknown, prefix: string) =>',
        "  typeof value === 'string' && value.startsWith(prefix) ? value.slice(prefix.length) : '';",
      ],
    ],
    [
      isJoined,
      [
        '/** An id of several parts. Separators inside a part are escaped, so that no two items get the same id. */',
        'const joined = (...parts: unknown[]) =>',
        `  parts.map((part) => String(part).replaceAll('%', '%25').replaceAll(${escapes})).join(${quoted(separator)});`,
      ],
    ],
  ];
  return [
    'type Item = Readonly<Record<string, unknown>>;',
    '',
    ...helpers.flatMap(([isUsed, lines]) => (isUsed ? [...lines, ''] : [])),
    'export function map(item: Item) {',
    ...(hasPlaces ? ['  let of: string[] | null;'] : []),
    ...kinds.flatMap((kind) => caseText(kind, [partitionKey, sortKey])),
    '  return [];',
    '}',
  ];
}

function caseText(kind: ProposedKind, [partitionKey, sortKey]: readonly [string, string?]): string[] {
  const { patterns, mark, isSelf, node, edges } = kind;
  const [partition, sort] = patterns!.map((pattern) => `/${printable(pattern.source)}/`);
  const conditions = [
    `(of = places(item, ${partition}, ${sort}))`,
    ...(mark === undefined ? [] : [`item[${quoted(mark.attribute)}] === ${quoted(mark.value)}`]),
    // Compared as text, because one key may be a number and the other a string.
    ...(isSelf === true
      ? [`String(item[${quoted(partitionKey)}]) === String(item[${quoted(sortKey ?? partitionKey)}])`]
      : []),
  ];
  const fieldText = ({ name, place, prefix }: Field): string => {
    if (place !== undefined) return `of[${place}]`;
    const value = `item[${quoted(name)}]`;
    return prefix === undefined ? value : `idIn(${value}, ${quoted(prefix)})`;
  };
  const idOf = ({ type, id }: Reference): string => {
    const values = id.map(fieldText).join(', ');
    return `\`${type}-\${${id.length === 1 ? values : `joined(${values})`}}\``;
  };
  const partial = new Set(partialEdges(kind));
  const made = [
    ...(node === undefined ? [] : [`mappedNode(${idOf(node)}, attributes(item))`]),
    ...edges.map((edge) => {
      const { type, from, to, isWhole } = edge;
      const text = `mappedEdge(${idOf(from)}, ${quoted(type)}, ${idOf(to)}${isWhole ? ', attributes(item)' : ''})`;
      const names = attributeFieldsOf(to).map((field) =>
        field.prefix === undefined ? `isId(${fieldText(field)})` : `${fieldText(field)} !== ''`,
      );
      return partial.has(edge) ? `...(${names.join(' && ')} ? [${text}] : [])` : text;
    }),
  ];
  const body =
    made.length === 0 ? ['    return [];'] : ['    return [', ...made.map((one) => `      ${one},`), '    ];'];
  return [...aboutKind(kind, '  '), `  if (${conditions.join(' && ')}) {`, ...body, '  }'];
}

/** Returns edges whose target is in an attribute, which some items may lack. */
function partialEdges({ edges }: ProposedKind): ProposedKind['edges'] {
  return edges.filter(({ to }) => attributeFieldsOf(to).length > 0);
}

function attributeFieldsOf({ id }: Reference): Field[] {
  return id.filter(({ place }) => place === undefined);
}

function attributeFields(kinds: readonly ProposedKind[]): Field[] {
  return kinds.flatMap(({ edges }) => edges.flatMap(({ to }) => attributeFieldsOf(to)));
}

function aboutKind(kind: ProposedKind, indent: string): string[] {
  const { items, unsure, edges } = kind;
  const attributes = attributesOf(kind);
  const named = [...attributes].slice(0, MOST_ATTRIBUTES).map(([name, count]) => {
    return count === items.length ? name : `${name} (${figureText(count)})`;
  });
  const more = attributes.size > MOST_ATTRIBUTES ? ', …' : '';
  const [{ keys }] = items as [(typeof items)[number]];
  const have = named.length === 0 ? '' : `: ${named.join(', ')}${more}`;
  const guesses = edges
    .filter(({ isWhole, to }) => !isWhole && attributeFieldsOf(to).length > 0)
    .map(
      ({ type, to }) =>
        `${type} is a guess: ${to.id.map(({ name }) => name).join(', ')} hold${to.id.length === 1 ? 's' : ''} ids of ${to.type} in the sample`,
    );
  return [
    ...comment(`${countText(items.length, 'item')}, such as ${keys.join(' ').trimEnd()}${have}`, indent),
    ...[...unsure, ...guesses].flatMap((doubt) => comment(`UNSURE: ${doubt}.`, indent)),
  ];
}

function leftOutText(leftOut: readonly LeftOut[]): string[] {
  if (leftOut.length === 0) return [];
  const rest = leftOut.slice(MOST_REASONS);
  const lines = leftOut.slice(0, MOST_REASONS).flatMap(({ items, example, reason }) => {
    return comment(`${countText(items, 'item')}, such as ${example.join(' ').trimEnd()}: ${reason}.`);
  });
  const others = rest.reduce((sum, { items }) => sum + items, 0);
  return [
    '',
    ...comment('Not of the graph:'),
    ...lines,
    ...(rest.length > 0 ? comment(`${countText(others, 'item')} for other reasons.`) : []),
  ];
}

/** `printable` escapes line breaks, so the text can't end the comment. */
function comment(text: string, indent = ''): string[] {
  const shown = printable(text);
  return [`${indent}// ${shown.length > WIDTH ? `${shown.slice(0, WIDTH)}…` : shown}`];
}

type Plain = string | readonly Plain[] | { readonly [name: string]: Plain | undefined };

function literal(value: Plain | object): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return '{}';
  return `{ ${members.map(([name, member]) => `${nameText(name)}: ${literal(member as Plain)}`).join(', ')} }`;
}

function nameText(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]{0,100}$/.test(name) ? name : `[${quoted(name)}]`;
}

function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1);
  return `'${printable(inner.replaceAll('\\"', '"').replaceAll("'", "\\'"))}'`;
}
