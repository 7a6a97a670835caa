import { CLIENT_OPERATIONS } from './client.ts';
import { EVOLUTION_OPERATIONS } from './evolution.ts';
import { FEEDING_OPERATIONS } from './feeding.ts';
import { OBSERVING_OPERATIONS } from './observing.ts';
import type { Operation } from './operation.ts';
import { PLANNING_OPERATIONS } from './planning.ts';
import { READING_OPERATIONS } from './reading.ts';
import { STREAM_OPERATIONS } from './stream.ts';
import { TRUST_OPERATIONS } from './trust.ts';
import { WATCHING_OPERATIONS } from './watching.ts';

/** The columns of the matrix, in the order of the page. */
export const OPERATIONS: readonly Operation[] = [
  ...STREAM_OPERATIONS,
  ...TRUST_OPERATIONS,
  ...OBSERVING_OPERATIONS,
  ...FEEDING_OPERATIONS,
  ...EVOLUTION_OPERATIONS,
  ...CLIENT_OPERATIONS,
  ...READING_OPERATIONS,
  ...WATCHING_OPERATIONS,
  ...PLANNING_OPERATIONS,
];
