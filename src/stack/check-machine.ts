import type { Parameters } from './parameters.ts';
import { attribute, type Resources, sub } from './template.ts';

/** Logical ids. */
export const CHECK_MACHINE = 'CheckMachine';
export const CHECK_MACHINE_ROLE = 'CheckMachineRole';
export const CHECK_SCHEDULE_ROLE = 'CheckScheduleRole';

/** The totals of a check that are added up over its workers; drift is added up of its three kinds. */
const COUNTS = [
  ...['partitions', 'baseItems', 'derivedItems', 'pending', 'superseded', 'dangling', 'unknown', 'quarantined'],
  ...['repaired', 'tidied', 'rcu', 'wcu'],
];

/** One worker's share of a check: the event of its first call. */
export interface CheckShare {
  segments: number;
  onlySegments: number[];
  repair: boolean;
  cursor: null;
}

/** Deals the table's segments out to the workers. */
export function checkShares({ checkSegments, checkWorkers, checkRepair }: Parameters): CheckShare[] {
  return Array.from({ length: checkWorkers }, (_, worker) => {
    const count = Math.ceil((checkSegments - worker) / checkWorkers);
    return {
      segments: checkSegments,
      onlySegments: Array.from({ length: count }, (_, i) => worker + i * checkWorkers),
      repair: checkRepair,
      cursor: null,
    };
  });
}

/**
 * The nightly check in the Amazon States Language. A distributed map runs a child for each worker; a child calls the function
 * with the cursor that it gave the last time, until it gives none. The function adds up the totals of a child, the map's
 * output those of all children.
 */
export function checkDefinition(parameters: Parameters) {
  return {
    Comment: 'Checks every derived item of the table against the base items.',
    QueryLanguage: 'JSONata',
    TimeoutSeconds: parameters.checkHours * 3600,
    StartAt: 'Workers',
    States: {
      Workers: {
        Type: 'Map',
        Label: 'Workers',
        Items: checkShares(parameters),
        MaxConcurrency: parameters.checkWorkers,
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

function childStates() {
  return {
    Check: {
      Type: 'Task',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation fills it in
      Resource: 'arn:${AWS::Partition}:states:::lambda:invoke',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
      Arguments: { FunctionName: '${CheckLambdaFunction.Arn}', Payload: '{% $states.input %}' },
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
      // The cursor has the totals too; each of them may be long, and the state of an execution holds 256 KB.
      Output: `{% $merge([$states.input, {'cursor': $states.result.Payload.cursor, 'totals': ${onlyTotals()}}]) %}`,
      Next: 'IsThereMore',
    },
    IsThereMore: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $states.input.cursor = null %}', Next: 'Totals' }],
      Default: 'Check',
    },
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

/**
 * The state machine and its schedule.
 *
 * @param prefix of names; `edgeloom-prod`.
 */
export function checkResources(prefix: string, parameters: Parameters): Resources {
  return {
    [CHECK_MACHINE]: {
      Type: 'AWS::StepFunctions::StateMachine',
      Properties: {
        // The role names the machine: a fixed name keeps the two from waiting for each other.
        StateMachineName: `${prefix}-check`,
        StateMachineType: 'STANDARD',
        RoleArn: attribute(CHECK_MACHINE_ROLE),
        DefinitionString: sub(JSON.stringify(checkDefinition(parameters))),
      },
    },
    CheckSchedule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        Description: 'Starts the check of the derived items.',
        ScheduleExpression: parameters.checkSchedule,
        State: parameters.checkEnabled ? 'ENABLED' : 'DISABLED',
        Targets: [{ Id: 'check', Arn: attribute(CHECK_MACHINE), RoleArn: attribute(CHECK_SCHEDULE_ROLE), Input: '{}' }],
      },
    },
  };
}
