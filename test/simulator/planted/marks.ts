import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Node, nodeAt, parsed } from './syntax.ts';

/**
 * A mark is a comment `// rule: name` above a statement, a member, a property or another part of the code. It says that
 * this code keeps a rule of the protocol. If a rule is about the order of two statements, both are marked:
 * `// rule: name, first` and `// rule: name, then`.
 */

/** The repository's root. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Folders with marks: the production code, and the simulated parts of the world that bugs are planted in. */
const MARKED_FOLDERS = ['src', 'test/simulator', 'test/support'];
const MARK = /^ rule: ([a-z0-9-]+)(?:, (first|then))?$/;

/** Code that keeps a rule. */
export interface Mark {
  /** The name of the rule, followed by `, first` or `, then` if the rule has two marks. */
  name: string;
  /** Relative to the repository's root. */
  file: string;
  /** The whole text of the file. */
  text: string;
  /** The syntax node below the comment. */
  node: Node;
}

/** Returns the marks in a file. Throws if a mark is malformed or has no code below it. */
export function marksOf(file: string, text: string): Mark[] {
  if (!text.includes('// rule:')) return [];
  const { program, comments } = parsed(file, text);
  const after = new Map(comments.map(({ start, end }) => [start, end]));
  return comments
    .filter(({ value }) => /^\s*rule:/.test(value))
    .map(({ value, end }) => {
      const [, rule, part] = MARK.exec(value) ?? [];
      if (rule === undefined) throw new Error(`${file} has a comment that marks no rule as it has to: //${value}`);
      const name = part === undefined ? rule : `${rule}, ${part}`;
      const node = nodeAt(program, nextToken(text, end, after));
      if (node === undefined) throw new Error(`${file}: nothing begins right below the mark of the rule ${name}.`);
      return { name, file, text, node };
    });
}

/** Returns the position of the next code after white space and comments. */
function nextToken(text: string, from: number, commentEnds: ReadonlyMap<number, number>): number {
  let place = from;
  for (;;) {
    while (/\s/.test(text[place] ?? '')) place += 1;
    const end = commentEnds.get(place);
    if (end === undefined) return place;
    place = end;
  }
}

let known: ReadonlyMap<string, Mark> | undefined;

/** Returns every mark by its name. Reads the files once per process. */
export function marks(): ReadonlyMap<string, Mark> {
  known ??= marksByName(
    MARKED_FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .sort()
        .flatMap((path) => marksOf(`${folder}/${path}`, readFileSync(join(ROOT, folder, path), 'utf8'))),
    ),
  );
  return known;
}

/** Returns marks by their names. Throws if two marks have the same name. */
export function marksByName(found: readonly Mark[]): ReadonlyMap<string, Mark> {
  const byName = new Map<string, Mark>();
  for (const mark of found) {
    const other = byName.get(mark.name);
    if (other !== undefined) throw new Error(`The rule ${mark.name} is marked in ${other.file} and in ${mark.file}.`);
    byName.set(mark.name, mark);
  }
  return byName;
}

/** Throws if no mark has this name. */
export function markOf(name: string, all: ReadonlyMap<string, Mark> = marks()): Mark {
  const mark = all.get(name);
  if (mark === undefined) throw new Error(`No comment "// rule: ${name}" marks the code that keeps this rule.`);
  return mark;
}
