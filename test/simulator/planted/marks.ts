import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Node, nodeAt, parsed } from './syntax.ts';

/**
 * Marks: a comment `// rule: name` above a statement, a member, a property or another part of the code says that this part keeps a
 * rule of the protocol. A rule about the order of two statements marks both, `// rule: name, first` and `// rule: name, then`.
 */

/** The repository's root. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The production code, and the simulated parts of the world whose rules are broken as well. */
const MARKED_FOLDERS = ['src', 'test/simulator', 'test/support'];
const MARK = /^ rule: ([a-z0-9-]+)(?:, (first|then))?$/;

/** A part of the code that keeps a rule. */
export interface Mark {
  /** The rule, with `, first` or `, then` where it has two parts. */
  name: string;
  /** From the repository's root. */
  file: string;
  /** The text of the file. */
  text: string;
  /** The node that the comment stands above. */
  node: Node;
}

/** The marks of a text; throws where a comment that names a rule has no code below it, or is not written as one is. */
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

/** Where the code goes on after white space and comments. */
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

/** Every mark of the code, by its name. The files are read once for a process. */
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

/** Marks by their names; throws where a name stands twice. */
export function marksByName(found: readonly Mark[]): ReadonlyMap<string, Mark> {
  const byName = new Map<string, Mark>();
  for (const mark of found) {
    const other = byName.get(mark.name);
    if (other !== undefined) throw new Error(`The rule ${mark.name} is marked in ${other.file} and in ${mark.file}.`);
    byName.set(mark.name, mark);
  }
  return byName;
}

/** The mark of this name; throws where there is none. */
export function markOf(name: string, all: ReadonlyMap<string, Mark> = marks()): Mark {
  const mark = all.get(name);
  if (mark === undefined) throw new Error(`No comment "// rule: ${name}" marks the code that keeps this rule.`);
  return mark;
}
