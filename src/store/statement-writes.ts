import type {
  BatchExecuteStatementCommandInput,
  BatchExecuteStatementCommandOutput,
  BatchStatementResponse,
} from '@aws-sdk/client-dynamodb';
import type { TableNames } from '../core/model/compiled.ts';
import type {
  DerivedUpdate,
  UpdateManyOptions,
  UpdateOutcome,
  UpdateResult,
  WayOfWriting,
} from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { failedConditionUnits, requireAnswer, totalUnits, withClassifiedErrors, withoutLostValues } from './answers.ts';
import { classifyStatementError } from './classify.ts';
import { STATEMENT_FORMS, type Statement, Statements } from './statement.ts';
import { checkDistinct, type UpdatePart, UpdateRun } from './update-run.ts';

const BATCH_STATEMENTS = 25;
/** The last form, after all forms of statements. */
const UPDATE_ITEM = STATEMENT_FORMS.length;

export interface WritingCalls {
  update: (update: DerivedUpdate) => Promise<UpdateResult>;
  execute: (input: BatchExecuteStatementCommandInput) => Promise<BatchExecuteStatementCommandOutput>;
}

interface Placed {
  place: number;
  update: DerivedUpdate;
}

/** Sends updates as statements, 25 per call. Sends rejected statements again in the next form, or as UpdateItem. */
export class StatementWrites {
  private readonly statements: Statements;
  private form = 0;
  /** True once a statement of this form was accepted, so that later refusals concern an item. */
  private isProven = false;
  private areTaken = false;

  constructor(table: TableNames) {
    this.statements = new Statements(table);
  }

  get by(): WayOfWriting | undefined {
    if (this.form === UPDATE_ITEM) return 'UpdateItem';
    return this.areTaken ? 'statements' : undefined;
  }

  async updateMany(
    updates: readonly DerivedUpdate[],
    calls: WritingCalls,
    options?: UpdateManyOptions,
  ): Promise<readonly UpdateOutcome[]> {
    checkDistinct(updates);
    return await new UpdateRun(updates.length, options).send(this.parts(updates, calls), options);
  }

  private *parts(updates: readonly DerivedUpdate[], calls: WritingCalls): Generator<UpdatePart> {
    let chunk: Placed[] = [];
    for (const [place, update] of updates.entries()) {
      // `form` may have changed since the last part was sent.
      if (this.statementOf(update, this.form) === undefined) yield this.part([{ place, update }], calls);
      else if (chunk.push({ place, update }) === BATCH_STATEMENTS) {
        yield this.part(chunk, calls);
        chunk = [];
      }
    }
    if (chunk.length > 0) yield this.part(chunk, calls);
  }

  private part(chunk: readonly Placed[], calls: WritingCalls): UpdatePart {
    // A single update uses UpdateItem, which always returns the item that failed the condition.
    const send = async (run: UpdateRun): Promise<void> => {
      if (chunk.length === 1) await sendEach(chunk, calls, run);
      else await this.sendStatements(chunk, calls, run);
    };
    return { places: chunk.map(({ place }) => place), send };
  }

  private async sendStatements(chunk: readonly Placed[], calls: WritingCalls, run: UpdateRun): Promise<void> {
    let rest = chunk;
    for (let form = this.form; form !== UPDATE_ITEM; ) {
      const made = rest.map((one) => ({ one, statement: this.statementOf(one.update, form) }));
      // Updates without a statement say nothing about the form.
      await sendEach(
        made.filter(({ statement }) => statement === undefined).map(({ one }) => one),
        calls,
        run,
      );
      rest = made.filter(({ statement }) => statement !== undefined).map(({ one }) => one);
      if (rest.length === 0) return;
      const statements = made.map(({ statement }) => statement).filter((statement) => statement !== undefined);
      const answers = await answersOf(statements, calls);
      rest = rest.filter(({ place }, i) => isLeft(run, place, answers[i]!));
      if (rest.length < statements.length) this.areTaken = true;
      if (rest.length === 0) return this.learn(form, statements);
      // A policy may now deny what it allowed before.
      if (answers.includes('denied')) this.isProven = false;
      form = answers.includes('denied') || this.isProven ? UPDATE_ITEM : form + 1;
      if (!run.maySend(rest.map(({ place }) => place))) return;
    }
    const areTaken = await sendEach(rest, calls, run);
    // If UpdateItem accepts the updates, the statements were at fault; otherwise, an item is.
    if (areTaken && !this.isProven) this.form = UPDATE_ITEM;
  }

  private learn(form: number, statements: readonly Statement[]): void {
    if (!statements.some(({ showsForm }) => showsForm)) return;
    // `Math.max`, because another call may have found that no form works.
    this.form = Math.max(this.form, form);
    this.isProven = true;
  }

  private statementOf(update: DerivedUpdate, form: number): Statement | undefined {
    const name = STATEMENT_FORMS[form];
    return name && this.statements.of(update, name);
  }
}

/** Returns false if UpdateItem refuses an update for good. */
async function sendEach(chunk: readonly Placed[], calls: WritingCalls, run: UpdateRun): Promise<boolean> {
  let areTaken = true;
  const sendOne = async ({ place, update }: Placed): Promise<void> => {
    if (!run.maySend([place])) return;
    try {
      run.answer(place, await calls.update(update));
    } catch (error) {
      if (error instanceof StoreError && error.kind !== 'retryable') areTaken = false;
      run.fail([place], error);
    }
  };
  await Promise.all(chunk.map(sendOne));
  return areTaken;
}

/** `unsupported`: this statement isn't accepted; `denied`: no statement is. */
type FormProblem = 'unsupported' | 'denied';
type StatementAnswer = UpdateOutcome | FormProblem;

/** Error codes of policies that forbid statements, and of engines that don't support them. */
const DENIALS: ReadonlySet<string> = new Set(['AccessDeniedException', 'UnknownOperationException']);

async function answersOf(statements: readonly Statement[], { execute }: WritingCalls): Promise<StatementAnswer[]> {
  const input = {
    Statements: statements.map(({ text, parameters }) => ({
      Statement: text,
      Parameters: parameters,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })),
    ReturnConsumedCapacity: 'TOTAL',
  } as BatchExecuteStatementCommandInput;
  try {
    const output = await withClassifiedErrors(() => execute(input));
    const responses = requireAnswer(output.Responses, 'BatchExecuteStatement', 'Responses');
    const answers = statements.map((_, i) =>
      answerOf(requireAnswer(responses[i], 'BatchExecuteStatement', `response ${i + 1}`)),
    );
    return withUnits(answers, output.ConsumedCapacity);
  } catch (error) {
    const problem = error instanceof StoreError ? formProblemOf(error) : undefined;
    if (problem === undefined) throw error;
    return statements.map(() => problem);
  }
}

/** The units are estimates, which `withUnits` replaces if DynamoDB reports units. */
function answerOf({ Error: error }: BatchStatementResponse): StatementAnswer {
  if (error === undefined) return { applied: true, wcu: 1 };
  const { Code, Item } = error;
  if (Code === 'ConditionalCheckFailed' || Code === 'DuplicateItem') {
    const current = Item && withoutLostValues(Item);
    const wcu = failedConditionUnits(current);
    return current === undefined ? { applied: false, wcu, isUnread: true } : { applied: false, wcu, current };
  }
  const failure = classifyStatementError(error);
  return formProblemOf(failure) ?? { applied: false, error: failure };
}

function formProblemOf({ code }: StoreError): FormProblem | undefined {
  if (DENIALS.has(code)) return 'denied';
  return code === 'ValidationException' ? 'unsupported' : undefined;
}

/** DynamoDB reports no units if no statement succeeded; the estimates then stay. */
function withUnits(
  answers: readonly StatementAnswer[],
  consumed: BatchExecuteStatementCommandOutput['ConsumedCapacity'],
): StatementAnswer[] {
  if (consumed === undefined || consumed.length === 0) return [...answers];
  const count = answers.filter((answer) => typeof answer !== 'string' && 'wcu' in answer).length;
  const units = totalUnits(consumed);
  // Rounded down, because fractions may not add up to the total.
  const others = Math.floor(units / count);
  let wcu = units - others * (count - 1);
  return answers.map((answer) => {
    if (typeof answer === 'string' || !('wcu' in answer)) return answer;
    const own = { ...answer, wcu };
    wcu = others;
    return own;
  });
}

function isLeft(run: UpdateRun, place: number, answer: StatementAnswer): boolean {
  if (typeof answer === 'string') return true;
  if (!answer.applied && answer.error !== undefined) run.fail([place], answer.error);
  else run.answer(place, answer);
  return false;
}
