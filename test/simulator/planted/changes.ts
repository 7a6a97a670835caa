import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Mark, markOf, marks, ROOT } from './marks.ts';
import { bare, childrenOf, isAlike, type Node, nodesOf, parsed, partOf } from './syntax.ts';

/**
 * Changes that plant a bug. Each names the mark of a rule and says how the marked code changes. A change never names the
 * text around the mark, so that code can be formatted and moved.
 */

/** Replaces a range of a file with another text. */
interface Edit {
  file: string;
  start: number;
  end: number;
  text: string;
}

/** A change at the mark of a rule. */
export interface Change {
  /** The names of the marks that the change uses. */
  marks: readonly string[];
  /** Paths of files that are changed without a mark, relative to the repository's root. */
  files?: readonly string[];
  edits: (mark: (name: string) => Mark) => Edit[];
}

/** The new code, or a function that makes it from the old code. */
type Code = string | ((old: string) => string);

/** Removes the marked statement, property, element or argument. */
export function drop(name: string): Change {
  return at(name, (mark) => [removed(mark, mark.node)]);
}

/** Removes the `else` of the marked `if`. */
export function dropElse(name: string): Change {
  return at(name, (mark) => {
    const { end: start } = needed(mark, partOf(mark.node, 'consequent'), 'consequence');
    const { end } = needed(mark, partOf(mark.node, 'alternate'), 'else');
    return [{ file: mark.file, start, end, text: '' }];
  });
}

/** Replaces the marked code. */
export function replace(name: string, code: Code): Change {
  return at(name, (mark) => [edited(mark, mark.node, code)]);
}

/** Replaces the value of the marked variable, `return`, property or argument, or the body of an arrow function. */
export function setValue(name: string, code: Code): Change {
  return at(name, (mark) => [edited(mark, valueAt(mark), code)]);
}

/** Replaces the condition of an `if`, a loop or a conditional expression (`? :`). */
export function setCondition(name: string, code: Code): Change {
  return at(name, (mark) => [edited(mark, conditionAt(mark), code)]);
}

/** Replaces the value of the property with this key in the marked code. */
export function setProperty(name: string, key: string, code: Code): Change {
  return at(name, (mark) => {
    const property = propertyAt(mark, key);
    // The shorthand `{ key }` needs its key written out.
    const isShort = (property as { shorthand?: boolean }).shorthand === true;
    const value = needed(mark, partOf(property, 'value'), `value of ${key}`);
    return [isShort ? edited(mark, property, (old) => `${key}: ${changed(old, code)}`) : edited(mark, value, code)];
  });
}

/** Removes the property with this key from the marked code. */
export function dropProperty(name: string, key: string): Change {
  return at(name, (mark) => [removed(mark, propertyAt(mark, key))]);
}

/** Replaces an expression that occurs once in the marked code, whatever its format. */
export function replaceIn(name: string, expression: string, code: Code): Change {
  return at(name, (mark) => {
    const [statement] = [...childrenOf(parsed('expression.ts', `(${expression})`).program)];
    const expected = bare(needed(mark, partOf(statement!, 'expression'), 'expression'));
    const found = [...nodesOf(mark.node)].filter((node) => node === bare(node) && isAlike(node, expected));
    return [edited(mark, only(mark, found, expression), code)];
  });
}

/** Replaces an expression that occurs once in a file, whatever its format. For bugs that break no rule of the protocol. */
export function replaceInFile(file: string, expression: string, code: Code): Change {
  return {
    marks: [],
    files: [file],
    edits: () => {
      const text = textOf(file);
      return replaceIn('', expression, code).edits(() => ({
        name: file,
        file,
        text,
        node: parsed(file, text).program,
      }));
    },
  };
}

/** Inserts code before the marked statement. */
export function insertBefore(name: string, code: string): Change {
  return at(name, ({ file, node: { start } }) => [{ file, start, end: start, text: `${code}\n` }]);
}

/** Inserts code after the marked statement. */
export function insertAfter(name: string, code: string): Change {
  return at(name, ({ file, node: { end } }) => [{ file, start: end, end, text: `\n${code}` }]);
}

/** Adds code to the end of the marked file. The code can import by paths from the repository's root: `from 'src/…'`. */
export function addToFile(name: string, code: string): Change {
  return at(name, ({ file, text: { length } }) => {
    const text = code.replace(/from '(src\/[^']+)'/g, (_, path: string) => `from ${JSON.stringify(join(ROOT, path))}`);
    return [{ file, start: length, end: length, text: `\n${text}\n` }];
  });
}

/** Moves the statement marked as `first` behind the statement marked as `then`. */
export function moveBehind(name: string): Change {
  return moved(name, 'end');
}

/** Moves the statement marked as `then` before the statement marked as `first`. */
export function moveAhead(name: string): Change {
  return moved(name, 'start');
}

function moved(name: string, to: 'start' | 'end'): Change {
  const [from, beside] = to === 'end' ? [`${name}, first`, `${name}, then`] : [`${name}, then`, `${name}, first`];
  return {
    marks: [from, beside],
    edits: (mark) => {
      const what = mark(from);
      const { file, node } = mark(beside);
      const text = what.text.slice(what.node.start, what.node.end);
      return [removed(what, what.node), { file, start: node[to], end: node[to], text: `\n${text}\n` }];
    },
  };
}

/**
 * Returns the changed text of each file that the changes edit. Throws if a mark is missing, or if the marked code lacks
 * what a change names.
 */
export function plantedFiles(
  changes: readonly Change[],
  all: ReadonlyMap<string, Mark> = marks(),
): Map<string, string> {
  const mark = (name: string): Mark => markOf(name, all);
  const edits = changes.flatMap((change) => change.edits(mark));
  const texts = new Map(changes.flatMap((change) => change.marks.map((name) => [mark(name).file, mark(name).text])));
  for (const file of changes.flatMap(({ files = [] }) => files)) texts.set(file, textOf(file));
  const inOrder = edits.map((edit, i) => ({ ...edit, i })).sort((a, b) => b.start - a.start || b.i - a.i);
  const begun = new Map<string, number>();
  for (const { file, start, end, text } of inOrder) {
    if (end > (begun.get(file) ?? Number.POSITIVE_INFINITY)) throw new Error(`Two changes of ${file} overlap.`);
    begun.set(file, start);
    const before = texts.get(file)!;
    texts.set(file, before.slice(0, start) + text + before.slice(end));
  }
  for (const [file, text] of texts) parsed(file, text);
  return texts;
}

/** Returns the paths of the changed files, relative to the repository's root. */
export function filesOf(changes: readonly Change[]): string[] {
  return changes.flatMap(({ marks: names, files = [] }) => [...names.map((name) => markOf(name).file), ...files]);
}

function at(name: string, edits: (mark: Mark) => Edit[]): Change {
  return { marks: [name], edits: (mark) => edits(mark(name)) };
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function edited({ file, text }: Mark, { start, end }: Node, code: Code): Edit {
  return { file, start, end, text: changed(text.slice(start, end), code) };
}

function changed(old: string, code: Code): string {
  return typeof code === 'string' ? code : code(old);
}

/** Removes a node and the comma behind it. */
function removed({ file, text }: Mark, { start, end }: Node): Edit {
  const comma = /^\s*,/.exec(text.slice(end))?.[0].length ?? 0;
  return { file, start, end: end + comma, text: '' };
}

/** The properties that hold the value of a syntax node. */
const VALUES = ['init', 'argument', 'right', 'value', 'body'];

function valueAt(mark: Mark): Node {
  const inner = {
    ExportNamedDeclaration: 'declaration',
    VariableDeclaration: 'declarations',
    ExpressionStatement: 'expression',
  };
  let { node } = mark;
  for (const [type, name] of Object.entries(inner)) {
    const part = (node as unknown as Record<string, unknown>)[name];
    if (node.type === type) node = Array.isArray(part) ? only(mark, part as Node[], 'variable') : (part as Node);
  }
  const isExpression = !VALUES.some((name) => partOf(node, name) !== undefined);
  if (isExpression && mark.node.type === 'ExpressionStatement') return node;
  return needed(
    mark,
    VALUES.map((name) => partOf(node, name)).find((part) => part !== undefined),
    'value',
  );
}

function conditionAt(mark: Mark): Node {
  const test = partOf(mark.node, 'test');
  if (test !== undefined) return test;
  const choices = [...nodesOf(mark.node)].filter(({ type }) => type === 'ConditionalExpression');
  return needed(mark, partOf(only(mark, choices, 'a condition'), 'test'), 'condition');
}

function propertyAt(mark: Mark, key: string): Node {
  const isKey = (node: Node): boolean => {
    const name = partOf(node, 'key');
    if (name === undefined) return false;
    const text = mark.text.slice(name.start, name.end);
    return ((node as { computed?: boolean }).computed === true ? `[${text}]` : text) === key;
  };
  const found = [...nodesOf(mark.node)].filter((node) => node.type === 'Property' && isKey(node));
  return only(mark, found, key);
}

function needed(mark: Mark, node: Node | undefined, what: string): Node {
  if (node !== undefined) return node;
  throw new Error(`The code that keeps the rule ${mark.name}, in ${mark.file}, has no ${what}.`);
}

function only(mark: Mark, nodes: readonly Node[], what: string): Node {
  if (nodes.length === 1) return nodes[0]!;
  throw new Error(`The code that keeps the rule ${mark.name}, in ${mark.file}, has ${nodes.length} times: ${what}`);
}
