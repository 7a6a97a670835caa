import { WRONG_INPUT } from '../../../foundation/errors.ts';
import { MOST_WORKERS } from '../../../trust/check/run/limits.ts';
import { CHECK_MACHINE, CHECK_MACHINE_ROLE, CHECK_SCHEDULE_ROLE, SCHEDULE_DEAD_LETTER_QUEUE } from '../base/ids.ts';
import type { Parameters } from '../base/parameters.ts';
import type { Site } from '../base/site.ts';
import { attribute, type Resources, sub } from '../base/template.ts';

/** The totals of a check that are added up over its workers; drift is added up of its three kinds. */
const COUNTS = [
  ...['partitions', 'baseItems', 'derivedItems', 'pending', 'superseded', 'dangling', 'unknown', 'unregistered'],
  ...['quarantined', 'repaired', 'rcu', 'wcu'],
];

/** The values that the input of an execution may have. */
const NAMES_OF_INPUT = "['mode', 'workers', 'maxRcu', 'maxWcu']";

/** The function that may write. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation fills it in
const WRITING_FUNCTION = '${RebuildLambdaFunction.Arn}';
/** The function of a run: a check may only read, a rebuild writes. */
const FUNCTION = `{% $states.input.mode = 'rebuild' ? '${WRITING_FUNCTION}' : '\${CheckLambdaFunction.Arn}' %}`;

/**
 * The nightly check, and a rebuild, in the Amazon States Language. A first call looks at the table's size and at what the run
 * before has left, and deals the rest out to workers. A distributed map runs a child for each worker; a child calls the
 * function with the cursor that it gave the last time, until it gives none. Between calls the child waits, so that the table
 * is read at its rate and waiting costs nothing. The function adds up the totals of a child, the map's output those of all.
 *
 * A check stops after its hours; a rebuild and a migration go on until they are done.
 */
export function checkDefinition({ checkHours, checkMaxRcu, checkMaxWcu, checkRepair, checkWorkers }: Parameters) {
  const run = {
    hours: checkHours,
    repair: checkRepair,
    mode: 'check',
    workers: checkWorkers,
    maxRcu: checkMaxRcu,
    maxWcu: checkMaxWcu,
  };
  // The input may have limits of its own.
  const request = (values: Partial<typeof run>): string =>
    `$merge([${JSON.stringify(values).replaceAll('"', "'")}, $sift($states.input, function($value, $name) {$name in ${NAMES_OF_INPUT}})])`;
  const { workers, maxWcu } = run;
  return {
    Comment:
      'Checks every derived item of the table against the base items; with {"mode": "rebuild"} it rebuilds them, with {"mode": "migrate"} it brings the table to the model.',
    QueryLanguage: 'JSONata',
    // A check stops by itself after its hours. A rebuild or a migration that takes longer is started again, and continues.
    TimeoutSeconds: 14 * 86_400,
    StartAt: 'Mode',
    States: {
      Mode: {
        Type: 'Choice',
        Choices: [{ Condition: "{% $states.input.mode = 'migrate' %}", Next: 'Migrate' }],
        Default: 'Plan',
      },
      // A migration reads as fast as it writes.
      ...migrationStates(request({ workers, maxRcu: 0, maxWcu })),
      Plan: {
        ...lambdaTask(FUNCTION, `{% {'plan': ${request(run)}} %}`),
        Output: '{% $states.result.Payload %}',
        Next: 'Workers',
      },
      Workers: { ...distributedMap('Check', childStates()), Label: 'Workers', Output: totalsExpression(), End: true },
    },
  };
}

function lambdaTask(functionName: string, payload: string) {
  return {
    Type: 'Task',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation fills it in
    Resource: 'arn:${AWS::Partition}:states:::lambda:invoke',
    Arguments: { FunctionName: functionName, Payload: payload },
    // A call that fails is made again with the cursor of the last one that did not: nothing is lost but its time.
    Retry: [
      // These wait for a person.
      { ErrorEquals: [WRONG_INPUT], MaxAttempts: 0 },
      {
        ErrorEquals: ['States.ALL'],
        IntervalSeconds: 5,
        BackoffRate: 2,
        MaxDelaySeconds: 300,
        MaxAttempts: 8,
        JitterStrategy: 'FULL',
      },
    ] as const,
  };
}

/**
 * A migration: a call decides the next steps, and deals out a walk over the table. A distributed map runs a child for each share; then
 * a call decides again. Steps and places are in the table, so that the next execution continues where this one ended.
 */
function migrationStates(request: string) {
  return {
    Migrate: {
      ...lambdaTask(WRITING_FUNCTION, `{% {'migrate': ${request}} %}`),
      Output: '{% $merge([$states.input, $states.result.Payload]) %}',
      Next: 'IsMigrated',
    },
    IsMigrated: {
      Type: 'Choice',
      Choices: [
        { Condition: '{% $states.input.done %}', Next: 'Migrated' },
        { Condition: '{% $count($states.input.shares) > 0 %}', Next: 'Walkers' },
      ],
      Default: 'MigrationPause',
    },
    Walkers: {
      ...distributedMap('Walk', {
        Walk: {
          ...lambdaTask(WRITING_FUNCTION, "{% {'walk': $states.input} %}"),
          Output: "{% $merge([$states.input, {'isDone': $states.result.Payload.isDone}]) %}",
          Next: 'IsWalked',
        },
        IsWalked: {
          Type: 'Choice',
          Choices: [{ Condition: '{% $states.input.isDone %}', Next: 'Walked' }],
          Default: 'Walk',
        },
        Walked: { Type: 'Succeed', Output: '{% $states.input.share %}' },
      }),
      Label: 'Walkers',
      Output: '{% $states.input %}',
      Next: 'Migrate',
    },
    MigrationPause: { Type: 'Wait', Seconds: '{% $states.input.waitSeconds %}', Next: 'Migrate' },
    Migrated: { Type: 'Succeed', Output: "{% {'migrated': true} %}" },
  };
}

/** A map over the shares of a run, which fails when one of its children does. */
function distributedMap(first: string, states: object) {
  return {
    Type: 'Map',
    Items: '{% $states.input.shares %}',
    MaxConcurrency: MOST_WORKERS,
    ToleratedFailurePercentage: 0,
    ItemProcessor: {
      // Express children would end after five minutes.
      ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
      StartAt: first,
      States: states,
    },
  };
}

function childStates() {
  return {
    Check: {
      ...lambdaTask(FUNCTION, '{% $states.input %}'),
      // The cursor has the totals too; each of them may be long, and the state of an execution holds 256 KB.
      Output: `{% $merge([$states.input, {'cursor': $states.result.Payload.cursor, 'waitSeconds': $states.result.Payload.waitSeconds, 'totals': ${onlyTotals()}}]) %}`,
      Next: 'IsThereMore',
    },
    IsThereMore: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $states.input.cursor = null %}', Next: 'Totals' }],
      Default: 'Pause',
    },
    Pause: { Type: 'Wait', Seconds: '{% $states.input.waitSeconds %}', Next: 'Check' },
    Totals: { Type: 'Succeed', Output: '{% $states.input.totals %}' },
  };
}

function onlyTotals(): string {
  const counts = COUNTS.map((name) => `'${name}': $states.result.Payload.${name}`);
  return `{${[...counts, "'drift': $states.result.Payload.drift"].join(', ')}}`;
}

function totalsExpression(): string {
  const sum = (name: string, path = name): string => `'${name}': $sum($states.result.${path})`;
  const drift = ['missing', 'stale', 'orphan'].map((kind) => sum(kind, `drift.${kind}`));
  return `{% {${[...COUNTS.map((name) => sum(name)), `'drift': {${drift.join(', ')}}`].join(', ')}} %}`;
}

/** The state machine and its schedule. */
export function checkResources({ names, parameters }: Site): Resources {
  const { checkSchedule, checkEnabled, tracing, kmsKeyArn } = parameters;
  return {
    [CHECK_MACHINE]: {
      Type: 'AWS::StepFunctions::StateMachine',
      Properties: {
        // The role names the machine: a fixed name keeps the two from waiting for each other.
        StateMachineName: names.local('check'),
        StateMachineType: 'STANDARD',
        RoleArn: attribute(CHECK_MACHINE_ROLE),
        DefinitionString: sub(JSON.stringify(checkDefinition(parameters))),
        ...(tracing && { TracingConfiguration: { Enabled: true } }),
        ...(kmsKeyArn !== '' && {
          EncryptionConfiguration: { Type: 'CUSTOMER_MANAGED_KMS_KEY', KmsKeyId: kmsKeyArn },
        }),
      },
    },
    CheckSchedule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        // The role's trust names the rule.
        Name: names.local('check'),
        Description: 'Starts the check of the derived items.',
        ScheduleExpression: checkSchedule,
        State: checkEnabled ? 'ENABLED' : 'DISABLED',
        Targets: [
          {
            Id: 'check',
            Arn: attribute(CHECK_MACHINE),
            RoleArn: attribute(CHECK_SCHEDULE_ROLE),
            Input: '{"mode":"check"}',
            DeadLetterConfig: { Arn: attribute(SCHEDULE_DEAD_LETTER_QUEUE) },
          },
        ],
      },
    },
  };
}
