import { readFileSync } from 'node:fs';
import { messagesOf, COMPILERS } from '../support/compiler-messages.ts';
const text = readFileSync(new URL('./messages.test.ts', import.meta.url), 'utf8');
const part = (name) => new Function(`return ${new RegExp(`const ${name} = ([\\s\\S]*?);\\n\\n`).exec(text)[1]}`)();
const which = process.argv[2] ?? 'typescript'; const filter = new RegExp(process.argv[3] ?? '.');
for (const k of (process.argv[4] ?? 'MODEL,QUERY').split(',')) {
  const ms = part(`${k}_MISTAKES`).filter((m) => filter.test(m));
  if (!ms.length) continue;
  const out = await messagesOf(COMPILERS.get(which), part(`${k}_HEAD`) + (k === 'MODEL' ? '\nexport const zz = [defineGraph, nodes, ends, ofEdge, edge, fromSource, node, rank, sum];' : '\nexport const zz = [reader, writer];'), ms);
  for (const [i, m] of ms.entries()) { console.log(m); for (const { at, text } of out[i]) console.log(`  at ${at}: (${text.length}) ${text}`); if (!out[i].length) console.log('  !!! NOTHING'); }
}
