/**
 * Words of the library's messages, and what they are on the command line: whoever reads an error of a command has options, not methods.
 * Whole phrases come first.
 */
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
  [/\bequals, (?=atLeast|beginsWith|--)/g, '--equals, '],
  [/\b(as|takes) path\b/g, '$1 --path'],
  [/\bcontradicts if\b/g, 'contradicts --if'],
  [/\bifAbsent\b/g, '--if-absent'],
  [/\bifPresent\b/g, '--if-present'],
  [/\batLeast\b/g, '--at-least'],
  [/\bbeginsWith\b/g, '--prefix'],
  [/\bmaxRcu\b/g, '--max-rcu'],
  [/\bmaxNodes\b/g, '--max-nodes'],
];

/** A message or hint of the library in the words of the command line. */
export function inCommandWords(text: string): string {
  return WORDS.reduce((before, [pattern, words]) => before.replace(pattern, words), text);
}
