import { createReader, type Reader } from '../../../src/client/read/reader.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { currentMoment, type Moment } from '../../../src/foundation/clocks.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import { sleep } from '../../../src/foundation/runtime.ts';
import { LEASE_MS, registryLeases } from '../../../src/registry/reader-lease.ts';
import type { DynamoDBStore } from '../../../src/store/dynamodb.ts';
import type { History } from './history.ts';
import { judge } from './judge.ts';
import { FACTS, MODELS, type Side } from './models.ts';
import { type Question, questionsOf } from './questions.ts';
import type { Tally } from './tally.ts';
import { randomOf } from './traffic.ts';

/** Leases are that many times as short as they are, for readers and for the migration alike. */
const LEASE_SPEED = 6;
/** The questions of readers, and the history that judges their answers. */
export interface Asking {
  store: DynamoDBStore;
  /** Node ids of the airports that are asked about. */
  airports: readonly string[];
  history: History;
  tally: Tally;
  /** The clock of readers. Default: one that is faster, so that leases are short. */
  moment?: () => Moment;
}

/** Askers of each side. */
const ASKERS = 2;
/** Between two questions of one asker. */
const ASK_PAUSE_MS = 5;

/** Waits as a migration does, for leases that are as short as those of the askers. */
export async function waitForShortLeases(milliseconds: number): Promise<void> {
  // No write is late in one process that waits for its consumers.
  await sleep(Math.ceil(Math.min(milliseconds, LEASE_MS) / LEASE_SPEED));
}

function fasterMoment(): Moment {
  const { steadyMs, wallMs } = currentMoment();
  return { steadyMs: steadyMs * LEASE_SPEED, wallMs: wallMs * LEASE_SPEED };
}

/** Asks a reader of one model all the time, until it is over; every answer is judged and counted. */
export async function askUntil(side: Side, asking: Asking, isOver: () => boolean): Promise<void> {
  const { store, moment = fasterMoment } = asking;
  const graph: CompiledModel = MODELS[side];
  const reader = createReader(graph, { store, leases: registryLeases(graph, store, moment) });
  const askers = Array.from({ length: ASKERS }, async () => {
    while (!isOver()) {
      await askAndJudge(side, reader, asking, randomQuestion(side, asking));
      await sleep(ASK_PAUSE_MS);
    }
  });
  await Promise.all(askers);
}

function randomQuestion(side: Side, { airports, history }: Asking): Question {
  const airport = randomOf(airports);
  const { name, city } = history.newestState({ source: airport, target: airport }) as Record<'name' | 'city', string>;
  return randomOf(questionsOf(FACTS[side], { airport, name, city }));
}

async function askAndJudge(side: Side, reader: Reader, { history, tally }: Asking, question: Question): Promise<void> {
  const fromMs = performance.now();
  const text = `${question.kind}: ${question.text}`;
  try {
    const answer = await question.ask(reader);
    const possible = history.possibleItems(fromMs, performance.now(), question.isMeant);
    const { verdict, reason } = judge(answer, possible, question.entryOf);
    tally.add(side, verdict, text, reason);
  } catch (error) {
    if (!(error instanceof EdgeloomError) || error.code !== 'projection-not-ready') throw error;
    tally.add(side, 'notReady', text);
  }
}
