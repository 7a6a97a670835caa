import { isDrift, VERDICT_NAMES } from '../../../core/verdicts.ts';
import { WRONG_INPUT } from '../../../foundation/errors.ts';
import { MOST_WORKERS } from '../../../trust/check/run/limits.ts';
import { CHECK_MACHINE, CHECK_MACHINE_ROLE, CHECK_SCHEDULE_ROLE, SCHEDULE_DEAD_LETTER_QUEUE } from '../base/ids.ts';
import type { Parameters } from '../base/parameters.ts';
import type { Site } from '../base/site.ts';
import { attribute, type Resources, sub } from '../base/template.ts';

const COUNTS = [
  ...['partitions', 'baseItems', 'derivedItems'],
  ...VERDICT_NAMES.filter((verdict) => !isDrift(verdict)),
  ...['repaired', 'rcu', 'wcu'],
];

const NAMES_OF_INPUT = "['mode', 'workers', 'maxRcu', 'maxWcu']";

// biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation fills it in
const WRITING_FUNCTION = '${RebuildLambdaFunction.Arn}';
const FUNCTION = `{% $states.input.mode = 'rebuild' ? '${WRITING_FUNCTION}' : '\${CheckLambdaFunction.Arn}' %}`;

/**
 * Returns the state machine of checks, rebuilds and migrations in the Amazon States Language. A distributed map runs a
 * child for each share, which calls the function until it returns no cursor. Pauses between calls cost nothing.
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
  const request = (values: Partial<typeof run>): string =>
    `$merge([${JSON.stringify(values).replaceAll('"', "'")}, $sift($states.input, function($value, $name) {$name in ${NAMES_OF_INPUT}})])`;
  const { workers, maxWcu } = run;
  return {
    Comment:
      'Checks every derived item of the table against the base items; with {"mode": "rebuild"} it rebuilds them, with {"mode": "migrate"} it brings the table to the model.',
    QueryLanguage: 'JSONata',
    // A rebuild or migration that takes longer continues when it is started again.
    TimeoutSeconds: 14 * 86_400,
    StartAt: 'Mode',
    States: {
      Mode: {
        Type: 'Choice',
        Choices: [{ Condition: "{% $states.input.mode = 'migrate' %}", Next: 'Migrate' }],
        Default: 'Plan',
      },
      // Reads are unlimited: the write rate limits a migration.
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
    // A retry has the same cursor, so only the failed call's time is lost.
    Retry: [
      // Not retried, because a person has to correct the input.
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

/** The table holds the progress, so another execution can continue. */
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

function distributedMap(first: string, states: object) {
  return {
    Type: 'Map',
    Items: '{% $states.input.shares %}',
    MaxConcurrency: MOST_WORKERS,
    ToleratedFailurePercentage: 0,
    ItemProcessor: {
      // Express executions end after five minutes.
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
      // Drops all other fields, because Step Functions limits the state of an execution to 256 KB.
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
  const drift = VERDICT_NAMES.filter(isDrift).map((kind) => sum(kind, `drift.${kind}`));
  return `{% {${[...COUNTS.map((name) => sum(name)), `'drift': {${drift.join(', ')}}`].join(', ')}} %}`;
}

export function checkResources({ names, parameters }: Site): Resources {
  const { checkSchedule, checkEnabled, tracing, kmsKeyArn } = parameters;
  return {
    [CHECK_MACHINE]: {
      Type: 'AWS::StepFunctions::StateMachine',
      Properties: {
        // A fixed name avoids a circular dependency, because the role's policy names the machine.
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
        // A fixed name, because the role's trust policy names the rule.
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
