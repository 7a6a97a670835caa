import { CHECK_MACHINE, CHECK_MACHINE_ROLE, CHECK_SCHEDULE_ROLE, SCHEDULE_DEAD_LETTER_QUEUE } from '../base/ids.ts';
import type { Parameters } from '../base/parameters.ts';
import type { Site } from '../base/site.ts';
import { attribute, type Resources, sub } from '../base/template.ts';

/** The totals of a check that are added up over its workers; drift is added up of its three kinds. */
const COUNTS = [
  ...['partitions', 'baseItems', 'derivedItems', 'pending', 'superseded', 'dangling', 'unknown', 'unregistered'],
  ...['quarantined', 'repaired', 'tidied', 'rcu', 'wcu'],
];

/** Workers that run at once at most; the plan makes as many as the table asks for. */
const MOST_WORKERS = 100;

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
 * A migration is one chain of calls of the function that may write, each from the place where the one before stopped.
 */
export function checkDefinition({ checkHours, checkMaxRcu, checkMaxWcu, checkRepair, checkWorkers }: Parameters) {
  const limits = {
    hours: checkHours,
    workers: checkWorkers,
    maxRcu: checkMaxRcu,
    maxWcu: checkMaxWcu,
    repair: checkRepair,
  };
  return {
    Comment:
      'Checks every derived item of the table against the base items; with {"mode": "rebuild"} it makes them anew, with {"mode": "migrate"} it brings the table to the model.',
    QueryLanguage: 'JSONata',
    // Workers stop by themselves after the hours that they have. A rebuild has days.
    TimeoutSeconds: 14 * 86_400,
    StartAt: 'Mode',
    States: {
      Mode: {
        Type: 'Choice',
        Choices: [{ Condition: "{% $states.input.mode = 'migrate' %}", Next: 'Migrate' }],
        Default: 'Plan',
      },
      ...migrationStates(),
      Plan: {
        ...task(
          FUNCTION,
          `{% {'plan': $merge([${JSON.stringify(limits).replaceAll('"', "'")}, {'mode': $exists($states.input.mode) ? $states.input.mode : 'check'}])} %}`,
        ),
        Output: '{% $states.result.Payload %}',
        Next: 'Workers',
      },
      Workers: {
        Type: 'Map',
        Label: 'Workers',
        Items: '{% $states.input.shares %}',
        MaxConcurrency: MOST_WORKERS,
        ToleratedFailurePercentage: 0,
        ItemProcessor: {
          // Express children would end after five minutes.
          ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
          StartAt: 'Check',
          States: childStates(),
        },
        Output: totalsExpression(),
        End: true,
      },
    },
  };
}

function task(functionName: string, payload: string) {
  return {
    Type: 'Task',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation fills it in
    Resource: 'arn:${AWS::Partition}:states:::lambda:invoke',
    Arguments: { FunctionName: functionName, Payload: payload },
    // A call that fails is made again with the cursor of the last one that did not: nothing is lost but its time.
    Retry: [
      {
        ErrorEquals: ['States.ALL'],
        IntervalSeconds: 5,
        BackoffRate: 2,
        MaxDelaySeconds: 300,
        MaxAttempts: 8,
        JitterStrategy: 'FULL',
      },
    ],
  };
}

/** A migration: its steps stand in the registry, so that the next execution goes on where this one ended. */
function migrationStates() {
  const place = '$exists($states.input.place) ? $states.input.place : null';
  return {
    Migrate: {
      ...task(WRITING_FUNCTION, `{% {'migrate': {'place': ${place}}} %}`),
      Output: "{% $merge([$states.result.Payload, {'mode': 'migrate'}]) %}",
      Next: 'IsMigrated',
    },
    IsMigrated: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $states.input.place = null %}', Next: 'Migrated' }],
      Default: 'MigrationPause',
    },
    MigrationPause: { Type: 'Wait', Seconds: '{% $states.input.waitSeconds %}', Next: 'Migrate' },
    Migrated: { Type: 'Succeed', Output: "{% {'migrated': true} %}" },
  };
}

function childStates() {
  return {
    Check: {
      ...task(FUNCTION, '{% $states.input %}'),
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
  const { checkSchedule, checkEnabled, tracing } = parameters;
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
