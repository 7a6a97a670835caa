import { isDeepStrictEqual } from 'node:util';
import { parseSync } from 'rolldown/utils';

/** The parts of the syntax tree of a source file that planted bugs need. */

/** A node of the tree, with its positions in the text. Its other properties depend on its type. */
export interface Node {
  type: string;
  start: number;
  end: number;
}

/** A comment; `value` is the text without the comment's delimiters. */
interface Comment {
  value: string;
  start: number;
  end: number;
}

/** The syntax tree and the comments of a file. */
export interface Tree {
  program: Node;
  comments: readonly Comment[];
}

/** Throws if the text isn't valid TypeScript. */
export function parsed(file: string, text: string): Tree {
  const { program, comments, errors } = parseSync(file, text);
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(`${file}: ${error.message}\n${error.codeframe ?? ''}`);
  return { program: program as unknown as Node, comments };
}

/** Returns the child node that the property `name` holds; undefined if the property doesn't hold one. */
export function partOf(node: Node, name: string): Node | undefined {
  const part = (node as unknown as Record<string, unknown>)[name];
  return isNode(part) ? part : undefined;
}

/** Yields the direct children of a node, in no particular order. */
export function* childrenOf(node: Node): Generator<Node> {
  for (const part of Object.values(node)) {
    if (isNode(part)) yield part;
    else if (Array.isArray(part)) for (const element of part) if (isNode(element)) yield element;
  }
}

/** Yields a node and all its descendants. */
export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

/** Returns the outermost node that begins at a position. */
export function nodeAt(program: Node, place: number): Node | undefined {
  let within: Node | undefined = program;
  while (within !== undefined) {
    const next: Node | undefined = [...childrenOf(within)].find(({ start, end }) => start <= place && place < end);
    if (next?.start === place) return next;
    within = next;
  }
  return undefined;
}

/** Returns the expression without parentheses around it. */
export function bare(node: Node): Node {
  const inner = node.type === 'ParenthesizedExpression' ? partOf(node, 'expression') : undefined;
  return inner === undefined ? node : bare(inner);
}

/** Tells whether two nodes are equal except for their format. */
export function isAlike(left: Node, right: Node): boolean {
  return isDeepStrictEqual(meaning(left), meaning(right));
}

/** Returns a tree without positions, parentheses and the raw texts of literals. */
function meaning(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaning);
  if (!isNode(value)) return value;
  const entries = Object.entries(bare(value)).filter(([name]) => name !== 'start' && name !== 'end' && name !== 'raw');
  return Object.fromEntries(entries.map(([name, part]) => [name, meaning(part)]));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
