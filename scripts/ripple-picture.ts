/** Makes docs/img/ripple.svg: the animated trace of one write of the demo's goals. */
import { writeFileSync } from 'node:fs';
import { startLocal } from '../packages/local/local.ts';
import type { DerivedStep, TraceAnswer, TraceStep } from '../packages/studio/api/trace.ts';
import { ProjectorTap } from '../packages/studio/base/projector-tap.ts';
import { startStudio } from '../packages/studio/server/studio.ts';
import { writeCompany } from '../packages/workbench/demo/company.ts';
import { airportsAndGoals } from '../packages/workbench/demo/model.ts';
import { createWriter } from '../src/client/write/writer.ts';
import type { CompiledModel } from '../src/core/model/compiled.ts';
import { createProjector } from '../src/projecting/apply/projector.ts';
import { createStreamsClient } from '../src/store/client.ts';
import { studioClient } from '../test/support/studio/client.ts';

const WIDTH = 1000;
const CARD = { width: 316, height: 74, gap: 14 };
const LEFT = { base: 24, batch: 400, derived: WIDTH - CARD.width - 24 };
const TOP = 84;
/** Duration of the loop, and the part of it in which the write travels. */
const LOOP_SECONDS = 7;
const TRAVEL = [0.08, 0.6] as const;
const LETTERS = 40;

/** Uses a tapped projector, which measures the milliseconds of each write. */
export async function startTapped(graph: CompiledModel, observe = true) {
  const tap = new ProjectorTap();
  const stores: Awaited<ReturnType<typeof startLocal>>['store'][] = [];
  const local = await startLocal(graph, {
    observe,
    pollIntervalMs: 20,
    projector: {
      project: async (records, options) =>
        await (stores[0] === undefined
          ? createProjector(graph, { store: local.store })
          : tap.projector(graph, stores[0])
        ).project(records, options),
    },
  });
  stores.push(local.store);
  const { store, client } = local;
  const streams = createStreamsClient({ endpoint: local.endpoint });
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const studio = await startStudio({ graph, store, client, streams, tap, isWritable: true, logger });
  const stop = async (): Promise<void> => {
    await studio.close();
    streams.destroy();
    await local.stop();
  };
  return { local, tap, url: studio.url, stop };
}

async function traceOne(): Promise<TraceAnswer> {
  const graph = airportsAndGoals;
  const { local, tap, url, stop } = await startTapped(graph, false);
  try {
    const writer = createWriter(graph, { store: tap.around(graph.table, local.store) });
    await writeCompany(writer);
    const { get } = studioClient(url);
    const traces: TraceAnswer[] = [];
    // The first writes warm up the code, and some of the others are disturbed.
    for (let i = 0; i < 24; i++) {
      const [role, hours] = i % 2 === 0 ? (['HELPER', 4] as const) : (['LEAD', 6] as const);
      await writer.putEdge('GOAL-speed', 'MEMBER', 'USER-tanaka', { role, since: '2026-07-15', hours });
      await local.worker.idle();
      if (i >= 4 && role === 'LEAD') {
        traces.push((await get('/api/trace?source=GOAL-speed&target=MEMBER-USER-tanaka')).answer);
      }
    }
    const endOf = ({ batch }: TraceAnswer): number => batch?.endedMs ?? Number.POSITIVE_INFINITY;
    return traces.sort((left, right) => endOf(left) - endOf(right))[0]!;
  } finally {
    await stop();
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const cut = (text: string): string => (text.length > LETTERS ? `${text.slice(0, LETTERS - 1)}…` : text);
const ms = (value: number): string => `${Math.max(1, Math.round(value))} ms`;

/** Prefers changes of totals, edge sets and index keys to changes of attributes. */
function telling({ changes }: TraceStep): [before: string, after: string] {
  const all = [...changes];
  const rank = ({ name }: { name: string }): number => ['role', 'gsi0sk', 'edgeSet', 'by/role/SLEAD'].indexOf(name);
  const { name, before, after } = all.sort((left, right) => rank(right) - rank(left))[0]!;
  const own = ['gsi0sk', 'edgeSet', 'ledger'].includes(name) ? '' : `${named(name)}: `;
  return [own + plain(before), own + plain(after)];
}

function named(name: string): string {
  return name.replace(/^(sum|by)\//, '').replace('/S', ' ');
}

function plain(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object') {
    const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    return entries.map(([name, one]) => `${named(name)} ${String(one).replace(/^S/, '')}`).join(', ');
  }
  return String(value).replace('\0', ' ');
}

function card(x: number, y: number, at: number, title: string, tail: string, lines: readonly string[]): string {
  const name = `t${Math.round(at * 1000)}`;
  return `<g class="card ${name}" transform="translate(${x} ${y})"><rect width="${CARD.width}" height="${CARD.height}" rx="8"/>
<text x="14" y="24" class="title">${escaped(title)}</text><text x="${CARD.width - 14}" y="24" class="tail">${escaped(tail)}</text>
${lines.map((line, i) => `<text x="14" y="${45 + 18 * i}" class="${i === 0 && lines.length > 1 ? 'old' : 'new'}">${escaped(cut(line))}</text>`).join('\n')}</g>`;
}

function lightUp(at: number): string {
  const name = `t${Math.round(at * 1000)}`;
  const percent = (100 * at).toFixed(1);
  const full = (100 * at + 1.5).toFixed(1);
  return `@keyframes ${name}{0%,${percent}%{opacity:.28}${full}%,94%{opacity:1}100%{opacity:.28}}.${name}{animation:${name} ${LOOP_SECONDS}s infinite}`;
}

function pulse(way: string, from: number, to: number): string {
  const times = `0;${from.toFixed(3)};${to.toFixed(3)};1`;
  const dots = `<animateMotion dur="${LOOP_SECONDS}s" repeatCount="indefinite" calcMode="linear" keyPoints="0;0;1;1" keyTimes="${times}" path="${way}"/>`;
  const shown = `<animate attributeName="opacity" dur="${LOOP_SECONDS}s" repeatCount="indefinite" calcMode="discrete" values="0;1;0" keyTimes="0;${from.toFixed(3)};${to.toFixed(3)}"/>`;
  return `<path d="${way}" class="way"/><circle r="5" class="pulse" opacity="0">${dots}${shown}</circle>`;
}

function drawing({ write, batch, derived }: TraceAnswer): string {
  if (write === null || batch === null) throw new Error('The write was not traced.');
  const height = TOP + derived.length * (CARD.height + CARD.gap) + 62;
  const middle = TOP + (derived.length * (CARD.height + CARD.gap) - CARD.gap) / 2;
  const at = (value: number): number => TRAVEL[0] + ((TRAVEL[1] - TRAVEL[0]) * value) / batch.endedMs;
  const began = at(batch.beganMs);
  const first = TRAVEL[0] / 2;
  const batchWidth = 190;
  const baseWay = `M${LEFT.base + CARD.width} ${middle} L${LEFT.batch} ${middle}`;
  const cards = derived.map((step: DerivedStep, i: number) => {
    const y = TOP + i * (CARD.height + CARD.gap);
    const lines = telling(step);
    const end = at(step.afterMs ?? 0);
    const [x0, x1, y1] = [LEFT.batch + batchWidth, LEFT.derived, y + CARD.height / 2];
    const way = `M${x0} ${middle} C${x0 + 40} ${middle} ${x1 - 40} ${y1} ${x1} ${y1}`;
    const kind = step.kind.replaceAll('-', ' ');
    const title = `${kind[0]!.toUpperCase()}${kind.slice(1)}${step.of === '' ? '' : ` of ${step.of}`}`;
    const tail = `${ms(step.afterMs ?? 0)} · ${step.wcu} WCU`;
    return { times: end, svg: pulse(way, began, end) + card(x1, y, end, title, tail, lines) };
  });
  const seen = TRAVEL[1] + 0.03;
  const wcu = derived.reduce((sum, step) => sum + step.wcu, 0);
  const times = [...new Set([first, began, seen, ...cards.map((one) => one.times)])];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="t d">
<title id="t">One write on its way to readers</title>
<desc id="d">A member of a goal becomes its lead. The write is in the stream, a batch takes it, and ${derived.length} derived items change within ${ms(batch.endedMs)}; then readers see it.</desc>
<style>
svg{font-family:system-ui,-apple-system,"Segoe UI","Open Sans",sans-serif;font-size:14px;--ground:#fff;--text:#1a1d21;--quiet:#565d66;--line:#d5d9de;--accent:#1f5fae;--old:#b3261e;--new:#17693a}
@media (prefers-color-scheme:dark){svg{--ground:#14171c;--text:#e8eaed;--quiet:#a3abb5;--line:#363d46;--accent:#7db4f5;--old:#ff9d94;--new:#74d69b}}
.ground{fill:var(--ground)}text{fill:var(--text)}.card rect{fill:var(--ground);stroke:var(--accent);stroke-width:1.5}.title{font-weight:600}.tail{text-anchor:end;fill:var(--quiet);font-size:13px}
.old,.new,.call{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12px}.old{fill:var(--old);text-decoration:line-through}.new{fill:var(--new)}.call{font-size:14px}
.way{fill:none;stroke:var(--line);stroke-width:2}.pulse{fill:var(--accent)}.seen{font-size:16px;font-weight:600;fill:var(--new);text-anchor:middle}
${times.map(lightUp).join('\n')}
@media (prefers-reduced-motion:reduce){.card,.seen{animation:none}.pulse{display:none}}
</style>
<rect class="ground" width="${WIDTH}" height="${height}" rx="10"/>
<text x="24" y="42" class="call">writer.putEdge('GOAL-speed', 'MEMBER', 'USER-tanaka', { role: 'LEAD', hours: 6 })</text>
${pulse(baseWay, first, began)}
${card(LEFT.base, middle - CARD.height / 2, first, 'Base item', `0 ms · ${write.wcu} WCU`, telling(write))}
<g class="card t${Math.round(began * 1000)}" transform="translate(${LEFT.batch} ${middle - CARD.height / 2})"><rect width="${batchWidth}" height="${CARD.height}" rx="8"/>
<text x="14" y="24" class="title">Stream, then batch</text><text x="14" y="46" class="tail" style="text-anchor:start">taken after ${ms(batch.beganMs)}</text><text x="14" y="63" class="tail" style="text-anchor:start">of ${batch.records} record</text></g>
${cards.map(({ svg }) => svg).join('\n')}
<text x="${WIDTH / 2}" y="${height - 28}" class="seen t${Math.round(seen * 1000)}">Readers see it after ${ms(batch.endedMs)}: ${derived.length} derived items, ${wcu} WCU</text>
</svg>
`;
}

export async function makeRipple(folder: string): Promise<void> {
  writeFileSync(`${folder}ripple.svg`, drawing(await traceOne()));
}
