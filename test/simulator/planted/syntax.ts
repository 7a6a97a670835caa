import { isDeepStrictEqual } from 'node:util';
import { parseSync } from 'rolldown/utils';

/** The syntax tree of a source file, as far as planted bugs need it. */

/** A node of the tree: the places in the text where it begins and ends, and parts that its type decides. */
export interface Node {
  type: string;
  start: number;
  end: number;
}

/** A comment. */
interface Comment {
  value: string;
  start: number;
  end: number;
}

/** A file's tree. */
export interface Tree {
  program: Node;
  comments: readonly Comment[];
}

/** Parses TypeScript; throws where it is none. */
export function parsed(file: string, text: string): Tree {
  const { program, comments, errors } = parseSync(file, text);
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(`${file}: ${error.message}\n${error.codeframe ?? ''}`);
  return { program: program as unknown as Node, comments };
}

/** A part of a node by its name; undefined where it has none. */
export function partOf(node: Node, name: string): Node | undefined {
  const part = (node as unknown as Record<string, unknown>)[name];
  return isNode(part) ? part : undefined;
}

/** The nodes right below a node, in no certain order. */
export function* childrenOf(node: Node): Generator<Node> {
  for (const part of Object.values(node)) {
    if (isNode(part)) yield part;
    else if (Array.isArray(part)) for (const element of part) if (isNode(element)) yield element;
  }
}

/** A node and all below it. */
export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

/** The outermost node that begins at a place. */
export function nodeAt(program: Node, place: number): Node | undefined {
  let within: Node | undefined = program;
  while (within !== undefined) {
    const next: Node | undefined = [...childrenOf(within)].find(({ start, end }) => start <= place && place < end);
    if (next?.start === place) return next;
    within = next;
  }
  return undefined;
}

/** The expression without parentheses around it. */
export function bare(node: Node): Node {
  const inner = node.type === 'ParenthesizedExpression' ? partOf(node, 'expression') : undefined;
  return inner === undefined ? node : bare(inner);
}

/** Whether two nodes say the same, however each is formatted. */
export function isAlike(left: Node, right: Node): boolean {
  return isDeepStrictEqual(meaning(left), meaning(right));
}

/** A tree without places, parentheses, and the raw texts of literals. */
function meaning(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaning);
  if (!isNode(value)) return value;
  const entries = Object.entries(bare(value)).filter(([name]) => name !== 'start' && name !== 'end' && name !== 'raw');
  return Object.fromEntries(entries.map(([name, part]) => [name, meaning(part)]));
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
