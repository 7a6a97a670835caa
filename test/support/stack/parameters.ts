import type { Parameters } from '../../../src/stack/parameters.ts';

/** Parameters of no stage of serverless.yml, for tests of the stack itself. */
export const PARAMETERS: Parameters = {
  ...{ batchSize: 100, batchWindowSeconds: 0, parallelizationFactor: 1, retries: 3, recordAgeSeconds: 3600 },
  ...{ pointInTimeRecovery: true, deletionProtection: true, keepData: true, failedBatchDays: 30, redriveMinutes: 60 },
  ...{ checkSchedule: 'rate(1 day)', checkEnabled: true, checkSegments: 10, checkWorkers: 3, checkRepair: false },
  ...{ checkHours: 6, iteratorAgeAlarmSeconds: 300, alarmTopicArn: '', alarmEmail: '' },
};
