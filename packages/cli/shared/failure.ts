import { toJson } from '../../../src/foundation/exact-json.ts';
import { type FailureDocument, failureDocument } from '../../../src/foundation/failure-document.ts';
import { printableLines } from '../../../src/foundation/printable.ts';

function currentText(current: object | null | undefined): string {
  if (current === undefined) return '';
  return current === null ? 'current: there is no such item\n' : `current: ${toJson(current)}\n`;
}

export function commandFailure(failed: unknown): FailureDocument {
  const { error } = failureDocument(failed);
  return { error: { ...error, message: inCommandWords(error.message), hint: inCommandWords(error.hint) } };
}

export function failureText(error: unknown, { withStack = false }: { withStack?: boolean } = {}): string {
  const { code, message, hint, current } = commandFailure(error).error;
  const stack = withStack && error instanceof Error ? `${error.stack}\n` : '';
  return printableLines(
    `error (${code}): ${message}\n${currentText(current)}${hint === '' ? '' : `hint: ${hint}\n`}${stack}`,
  );
}

/** Replaces the library's terms in messages by command options. A phrase comes before the words in it. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/give the update upsert: true/g, 'give --upsert'],
  [/\{ if: \{ ([\w-]+): ([^}\s]+) \} \}/g, '--if $1=$2'],
  [/, or ask for idempotent: true \(twice the capacity\)/g, ''],
  [/\b(get, edges or has) with consistent: true, or a session, which .*?at once/g, 'get with --stored --consistent'],
  [/\b([Rr])ead (it|the item) with consistent: true/g, '$1ead $2 with edgeloom get --stored --consistent'],
  [/\bputNode(?: of a writer)?\b/g, 'edgeloom put'],
  [/\bdeleteNode\b/g, 'edgeloom delete'],
  [/, or in a transaction/g, ''],
  [/; or use scanNodes, which scans the whole table/g, ''],
  [/\bAsk inbound for/g, 'Ask edgeloom list inbound for'],
  [/\bread getNode\b/g, 'read edgeloom get --stored'],
  [/\bgetViews? /g, 'edgeloom get '],
  [/\bgetView\b/g, 'edgeloom get'],
  [/\{ equals \}, \{ beginsWith \}, \{ between \} or \{\}/g, '--equals, --prefix, --from and --to, or none of them'],
  [/\bbeginsWith (and|or) between\b/g, '--prefix, --from $1 --to'],
  [/\bequals, atLeast, path, /g, '--equals, --at-least, --path, '],
  [/\bGive partition: a value of\b/g, 'Give --partition with a value of'],
  [/^between of\b/, 'The range of --from and --to of'],
  [/(?<!--)\bequals, (?=atLeast|beginsWith|--)/g, '--equals, '],
  [/\b(as|takes) path\b/g, '$1 --path'],
  [/\bcontradicts if\b/g, 'contradicts --if'],
  [/\bifAbsent\b/g, '--if-absent'],
  [/\bifPresent\b/g, '--if-present'],
  [/\batLeast\b/g, '--at-least'],
  // Inside the JSON of `--where`, `beginsWith` keeps its name.
  [/(?<!gte, |has |Did you mean )\bbeginsWith\b/g, '--prefix'],
  [/\bmaxRcu\b/g, '--max-rcu'],
  [/\bmaxNodes\b/g, '--max-nodes'],
];

export function inCommandWords(text: string): string {
  return WORDS.reduce((before, [pattern, words]) => before.replace(pattern, words), text);
}
